internal import Synchronization

extension DevicePolicies {
    private typealias Found = (stored: StoredDevicePolicy, version: RecordVersion?)

    /// Reads what operators have set: at the start, and each time that the store works again. Where it cannot be read, what
    /// was known before holds on.
    public func read() async {
        guard let store else { return }
        // Once more where a change came between: what was read before it is old.
        while true {
            let before = state.withLock { $0.version }
            let found: Found
            do throws(StoreError) {
                found = try await lookUp(in: store, isExpected: before != nil)
            } catch {
                return stayUnknown(because: error.message)
            }
            if take(found, ifStillAt: before) { return }
        }
    }

    /// - Parameter isExpected: whether there was a record, so that none means a loss.
    private func lookUp(in store: any Store, isExpected: Bool) async throws(StoreError) -> Found {
        if let record = try await store.record(DevicePolicyRecord.id) {
            switch DevicePolicyRecord(record.payload) {
            case .policy(let policy): return (.known(policy), record.version)
            case .lost: return (.unknown(Self.lost), record.version)
            case nil: return (.unknown("the store has it in a form that is not known here"), record.version)
            }
        }
        var isLost = isExpected
        if !isLost { isLost = try await mayBeLost(DevicePolicyRecord.id) }
        guard isLost else { return (.known(DevicePolicy()), nil) }
        // So that it stays lost when the store that was put aside is tidied away.
        let mark = try? await store.write(
            DevicePolicyRecord.lost.payload,
            to: DevicePolicyRecord.id,
            expecting: nil,
            .durable
        )
        return (.unknown(Self.lost), mark?.version)
    }

    private static let lost = "the store that had it is lost; set a policy, or reset it to the file's"

    private func take(_ found: Found, ifStillAt version: RecordVersion?) -> Bool {
        state.withLock { state in
            guard state.version == version else { return false }
            (state.stored, state.version) = found
            state.settle()
            return true
        }
    }

    private func stayUnknown(because problem: String) {
        state.withLock { state in
            guard state.stored.policy == nil else { return }
            state.stored = .unknown(problem)
            state.settle()
        }
    }

    /// Changes what `change` says and keeps the rest; of a policy that is not known there is none. It holds from when this
    /// returns, and across the loss of power.
    ///
    /// - Parameter revision: that the writer has read.
    /// - Returns: the policy as it is now.
    public func set(
        _ change: DevicePolicy,
        at revision: Int64
    ) async throws(DevicePolicyRefusal) -> DevicePolicyInForce {
        try await write(at: revision) { (state) throws(DevicePolicyRefusal) in
            if let stranger = change.modes.keys.sorted().first(where: { !state.file.routes.contains($0) }) {
                throw .unknownRoute(stranger)
            }
            return (state.stored.policy ?? DevicePolicy()).changed(by: change)
        }
    }

    /// Goes back to what the file says.
    ///
    /// - Parameter revision: that the writer has read.
    /// - Returns: the policy as it is now.
    public func reset(at revision: Int64) async throws(DevicePolicyRefusal) -> DevicePolicyInForce {
        try await write(at: revision) { _ in DevicePolicy() }
    }

    private func write(
        at revision: Int64,
        _ make: (State) throws(DevicePolicyRefusal) -> DevicePolicy
    ) async throws(DevicePolicyRefusal) -> DevicePolicyInForce {
        guard let store else { throw .noStore }
        let (policy, version) = try state.withLock { (state) throws(DevicePolicyRefusal) in
            guard state.inForce.revision == revision else { throw .changedMeanwhile }
            let policy = try make(state)
            // One that is closed already is no reason to refuse what is about others.
            let before = state.inForce.closedRoutes
            let after = DevicePolicyInForce(state.file, .known(policy), nil).closedRoutes
            let closed = after.filter { !before.contains($0) }
            guard closed.isEmpty else { throw .nothingToAccept(closed) }
            return (policy, state.version)
        }
        do throws(StoreError) {
            let record = try await store.write(
                DevicePolicyRecord.policy(policy).payload,
                to: DevicePolicyRecord.id,
                expecting: version,
                .durable
            )
            return state.withLock { state in
                (state.stored, state.version) = (.known(policy), record.version)
                state.settle()
                return state.inForce
            }
        } catch {
            guard error.code == .conflict else { throw .storeFails(error) }
            await read()
            throw .changedMeanwhile
        }
    }
}
