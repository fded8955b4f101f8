internal import CCurl

/// A set of transfers and the connections they share: one pool.
///
/// Used by the pool's thread alone, but for ``wake()``, which any thread may call.
final class MultiHandle: Sendable {
    // Set once; libcurl allows curl_multi_wakeup from any thread, and all other calls are the pool thread's until the
    // last owner lets go.
    private nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    /// - Returns: nil when there is no memory or no descriptor for it.
    init?() {
        _ = libraryIsReady
        guard let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
    }

    deinit {
        curl_multi_cleanup(pointer)
    }

    /// Ends a ``wait(milliseconds:)``, the present or the next one.
    func wake() {
        curl_multi_wakeup(pointer)
    }

    func add(_ easy: EasyHandle) -> Bool {
        curl_multi_add_handle(pointer, easy.pointer) == CURLM_OK
    }

    func remove(_ easy: EasyHandle) {
        curl_multi_remove_handle(pointer, easy.pointer)
    }

    /// Does what can be done without waiting.
    func perform() {
        var running: Int32 = 0
        curl_multi_perform(pointer, &running)
    }

    /// The next transfer that has ended, and how.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, result: CURLcode)? {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(pointer, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            return (easy, curl_message_result(message))
        }
        return nil
    }

    /// Waits until a connection can go on, one of libcurl's own limits is reached, ``wake()`` or the given time.
    func wait(milliseconds: Int32) {
        curl_multi_poll(pointer, nil, 0, milliseconds, nil)
    }
}

/// libcurl wants this once before anything else.
private let libraryIsReady: Bool = curl_global_init_wiping(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
