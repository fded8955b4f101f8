internal import Synchronization

/// Keeps devices in the store: all that changed while it was at work go together in the next transaction.
///
/// While the store cannot be written nobody waits for it: what has changed is written when it works again.
final class DeviceArchive: Sendable {
    /// What became of a change.
    enum Outcome: Sendable {
        case kept
        /// There is no store, or it cannot be written now: the change holds for as long as the process.
        case unkept
        /// The store has a counter as great already, which another broker wrote there.
        case outpaced(UInt32)
    }

    typealias Completion = @Sendable (Outcome) -> Void

    /// How many go into one transaction: the store's thread has others to serve.
    private static let mostAtOnce = 256

    private let store: (any Store)?
    private let state = Mutex(State())

    init(_ store: (any Store)?) {
        self.store = store
    }

    /// All devices that the store has. Those of which a change waits are left out: what is in memory is newer.
    func restore() async throws(StoreError) -> [Device] {
        guard let store else { return [] }
        let records = try await store.records(of: .deviceCounter)
        return state.withLock { state in
            records.compactMap { record in
                guard let device = Device(record) else { return nil }
                state.versions[device.id] = record.version
                return state.changes[device.id] == nil ? device : nil
            }
        }
    }

    func save(_ device: Device, _ durability: Durability, _ completion: @escaping Completion) {
        add(device, for: device.id, durability, completion)
    }

    func remove(_ id: DeviceID, _ completion: @escaping Completion) {
        add(nil, for: id, .durable, completion)
    }

    /// The store can be written again.
    func storeRecovered() {
        state.withLock { beginWriting(&$0) }
    }

    /// Waits until everything is written that can be.
    func finish() async {
        while let writing = state.withLock({ $0.writing }) { await writing.value }
    }

    private func add(
        _ device: Device?,
        for id: DeviceID,
        _ durability: Durability,
        _ completion: @escaping Completion
    ) {
        guard let store else { return completion(.unkept) }
        let isWaited = state.withLock { state in
            // Looked at under the lock: it works again before ``storeRecovered()`` is called, which then finds the change.
            let isFailing = if case .failing = store.health.state { true } else { false }
            let completions = isFailing ? [] : [completion]
            state.add(Change(device: device, durability: durability, completions: completions), to: id)
            if !isFailing { beginWriting(&state) }
            return !isFailing
        }
        if !isWaited { completion(.unkept) }
    }

    private func beginWriting(_ state: inout State) {
        guard let store, state.writing == nil, !state.changes.isEmpty else { return }
        state.writing = Task { [self] in
            while let batch = self.state.withLock({ $0.takeBatch(of: Self.mostAtOnce) }) {
                await write(batch, to: store)
            }
        }
    }

    private func write(_ batch: [Entry], to store: any Store) async {
        let changes = batch.map {
            RecordChange(Device.recordID($0.id), to: $0.change.device?.payload, expecting: $0.expected)
        }
        let isDurable = batch.contains { $0.change.durability == .durable }
        do throws(StoreError) {
            let results = try await store.apply(changes, isDurable ? .durable : .ordinary)
            for (entry, result) in zip(batch, results) { await finish(entry, result, in: store) }
        } catch {
            giveUp(batch)
        }
    }

    private func finish(_ entry: Entry, _ result: RecordChange.Result, in store: any Store) async {
        switch result {
        case .written(let version): state.withLock { $0.versions[entry.id] = version }
        case .removed: state.withLock { $0.versions[entry.id] = nil }
        case .conflict: return await settle(entry, in: store)
        }
        entry.change.complete(.kept)
    }

    /// Somebody else has written the record, or the store was begun anew.
    private func settle(_ entry: Entry, in store: any Store) async {
        do throws(StoreError) {
            let found = try await store.record(Device.recordID(entry.id))
            if let device = entry.change.device, let other = found.flatMap(Device.init),
                other.counter >= device.counter
            {
                state.withLock { $0.versions[entry.id] = found?.version }
                return entry.change.complete(.outpaced(other.counter))
            }
            state.withLock { state in
                state.versions[entry.id] = found?.version
                state.putBack(entry)
            }
        } catch {
            giveUp([entry])
        }
    }

    /// The store failed: nobody waits for it any more, and all that has changed stays to be written.
    private func giveUp(_ batch: [Entry]) {
        let completions = state.withLock { state in
            for entry in batch { state.putBack(entry) }
            state.writing = nil
            return state.takeCompletions()
        }
        for completion in completions { completion(.unkept) }
    }
}

extension DeviceArchive {
    /// The newest that is known of a device and that the store has yet to learn.
    fileprivate struct Change {
        /// nil where the device is to be forgotten.
        var device: Device?
        /// Whether its loss would be noticed: a counter's is not, because no proof outlives the process.
        var durability: Durability
        var completions: [Completion]

        func complete(_ outcome: Outcome) {
            for completion in completions { completion(outcome) }
        }
    }

    /// A change on its way into the store.
    fileprivate struct Entry {
        let id: DeviceID
        let change: Change
        let expected: RecordVersion?
    }

    fileprivate struct State {
        var changes: [DeviceID: Change] = [:]
        /// Of each device's record, as far as there is one.
        var versions: [DeviceID: RecordVersion] = [:]
        var writing: Task<Void, Never>?

        /// Takes a change in, in place of an earlier one.
        mutating func add(_ change: Change, to id: DeviceID) {
            let earlier = changes[id]
            changes[id] = Change(
                device: change.device,
                durability: earlier?.durability == .durable ? .durable : change.durability,
                completions: (earlier?.completions ?? []) + change.completions
            )
        }

        /// Takes back a change that was not made, unless there is a newer one by now.
        mutating func putBack(_ entry: Entry) {
            guard let newer = changes.updateValue(entry.change, forKey: entry.id) else { return }
            add(newer, to: entry.id)
        }

        /// - Returns: nil where there is nothing to write, and nobody is writing from then on.
        mutating func takeBatch(of count: Int) -> [Entry]? {
            guard writing != nil, !changes.isEmpty else {
                writing = nil
                return nil
            }
            let batch = changes.prefix(count).map { Entry(id: $0, change: $1, expected: versions[$0]) }
            for entry in batch { changes[entry.id] = nil }
            return batch
        }

        mutating func takeCompletions() -> [Completion] {
            let completions = changes.values.flatMap(\.completions)
            for id in changes.keys { changes[id]?.completions = [] }
            return completions
        }
    }
}
