internal import Synchronization

extension EventLoop {
    /// Runs the loop on the calling thread, which owns it from now on, until `work` has come to its end.
    ///
    /// A ``stop()`` by somebody else does not cut it short: what a daemon does at its end is done to the end, whatever
    /// wants to end it meanwhile.
    ///
    /// - Returns: what `work` does.
    public func wait<Value: Sendable>(for work: @escaping @Sendable () async -> Value) -> Value {
        let result = Mutex<Value?>(nil)
        Task {
            let value = await work()
            // In one piece, so that no stop of this is left over for the next run.
            post { [unowned self] in
                result.withLock { $0 = value }
                isStopping = true
            }
        }
        while true {
            run()
            if let value = result.withLock({ $0 }) { return value }
        }
    }
}
