/// One of several changes of records that are made together.
public struct RecordChange: Sendable {
    public enum Result: Equatable, Sendable {
        case written(RecordVersion)
        case removed
        /// The record is at another version by now, or gone: nothing was done to it.
        case conflict
    }

    public let id: RecordID
    /// The record's new value; nil removes it.
    public let payload: Secret?
    /// The version that the caller read; nil where it read that there is none.
    public let expected: RecordVersion?

    public init(_ id: RecordID, to payload: Secret?, expecting expected: RecordVersion?) {
        self.id = id
        self.payload = payload
        self.expected = expected
    }
}

extension Store {
    /// One after the other, for a store that has no better way.
    public func apply(
        _ changes: [RecordChange],
        _ durability: Durability
    ) async throws(StoreError) -> [RecordChange.Result] {
        var results: [RecordChange.Result] = []
        for change in changes {
            do throws(StoreError) {
                results.append(try await apply(change, durability))
            } catch {
                guard error.code == .conflict else { throw error }
                results.append(.conflict)
            }
        }
        return results
    }

    private func apply(
        _ change: RecordChange,
        _ durability: Durability
    ) async throws(StoreError) -> RecordChange.Result {
        if let payload = change.payload {
            return .written(try await write(payload, to: change.id, expecting: change.expected, durability).version)
        }
        guard let expected = change.expected else { return .removed }
        try await remove(change.id, expecting: expected, durability)
        return .removed
    }
}
