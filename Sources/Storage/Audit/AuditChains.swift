internal import TokenBroker

/// A place in a chain: a row that is in it, or was.
struct AuditLink: Equatable {
    var sequence: Int64 = 0
    /// What the next row's code is made with; that of a chain's beginning is all zeros.
    var mac = [UInt8](repeating: 0, count: 32)
    /// How many rows the chain has had up to here.
    var count: Int64 = 0
}

/// Where the rows of one class begin and end.
struct AuditChain: Equatable {
    /// The last row that was pruned: what the first one that is left follows.
    var anchor = AuditLink()
    /// The last row.
    var head = AuditLink()

    /// How many rows there are, where none was taken out.
    var rows: Int64 { head.count - anchor.count }
}

/// The record of all chains, kept as one encrypted row: a chain cannot be cut at either end without it.
struct AuditChains: Equatable {
    private var chains: [AuditClass: AuditChain] = [:]
    /// Whether an earlier record was lost: what was in the chains then cannot be told any more.
    var isLost = false

    subscript(auditClass: AuditClass) -> AuditChain {
        get { chains[auditClass] ?? AuditChain() }
        set { chains[auditClass] = newValue }
    }

    /// A number that no row is above.
    var lastSequence: Int64 { chains.values.map(\.head.sequence).max() ?? 0 }

    /// What the row is encrypted as: there is only one.
    static let identity = RowIdentity(table: .auditChains, scope: "", code: [], version: 0, writtenAtMilliseconds: 0)

    init() {}

    init(_ reader: inout PlaintextReader) throws(UnreadableRow) {
        isLost = try reader.number() != 0
        let count = try reader.number()
        guard (0...Int64(AuditClass.allCases.count)).contains(count) else { throw UnreadableRow() }
        for _ in 0..<count {
            guard let auditClass = AuditClass(rawValue: try reader.text()) else { throw UnreadableRow() }
            chains[auditClass] = AuditChain(anchor: try AuditLink(&reader), head: try AuditLink(&reader))
        }
    }

    var plaintext: Plaintext {
        var plaintext = Plaintext()
        plaintext.append(isLost ? 1 : 0 as Int64)
        plaintext.append(Int64(chains.count))
        for (auditClass, chain) in chains {
            plaintext.append(auditClass.rawValue)
            chain.anchor.write(to: &plaintext)
            chain.head.write(to: &plaintext)
        }
        return plaintext
    }
}

extension AuditLink {
    fileprivate init(_ reader: inout PlaintextReader) throws(UnreadableRow) {
        sequence = try reader.number()
        mac = try reader.bytes()
        count = try reader.number()
    }

    fileprivate func write(to plaintext: inout Plaintext) {
        plaintext.append(sequence)
        plaintext.append(mac)
        plaintext.append(count)
    }
}
