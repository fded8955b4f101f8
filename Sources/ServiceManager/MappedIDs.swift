/// The users, or the groups, that a user namespace tells apart; all others read as one and the same
/// (user_namespaces(7)).
public struct MappedIDs: Equatable, Sendable {
    private let ranges: [ClosedRange<UInt64>]

    /// - Parameter text: as of `/proc/self/uid_map`; nil where the kernel does not tell, and then there is no namespace
    ///   that could hide any.
    init(text: String?) {
        guard let text else {
            ranges = [0...UInt64(UInt32.max)]
            return
        }
        ranges = text.split(separator: "\n").compactMap { line in
            // The first inside, the first outside, and how many.
            let fields = line.split(separator: " ").compactMap { UInt32($0) }.map(UInt64.init)
            guard fields.count == 3, fields[2] > 0 else { return nil }
            return fields[0]...fields[0] + fields[2] - 1
        }
    }

    public func contains(_ id: UInt32) -> Bool {
        ranges.contains { $0.contains(UInt64(id)) }
    }
}
