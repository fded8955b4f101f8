internal import TokenBroker

/// A row of the audit log as it is in the file.
struct AuditChainRow {
    let sequence: Int64
    let auditClass: String
    let writtenAt: WallInstant
    let sealed: [UInt8]
    let mac: [UInt8]

    static let columns = "sequence, class, written_at, sealed, mac"

    /// - Parameter row: of ``columns``.
    init(_ row: borrowing DatabaseRow) {
        sequence = row.integer(0)
        auditClass = row.text(1)
        writtenAt = WallInstant(milliseconds: row.integer(2))
        sealed = row.blob(3)
        mac = row.blob(4)
    }

    /// What it is written as, and as nothing else.
    var identity: RowIdentity { Self.identity(sequence, auditClass, at: writtenAt) }

    static func identity(_ sequence: Int64, _ auditClass: String, at instant: WallInstant) -> RowIdentity {
        RowIdentity(
            table: .audit,
            scope: auditClass,
            code: [],
            version: sequence,
            writtenAtMilliseconds: instant.milliseconds
        )
    }

    /// Nil where the row is not as it was written.
    func payload(_ keys: KeyRing) -> [UInt8]? {
        guard let plaintext = try? keys.open(sealed, as: identity) else { return nil }
        return plaintext.withBytes { Array($0) }
    }
}

extension Plaintext {
    /// The bytes alone, without their length.
    init(bare bytes: [UInt8]) {
        self.init(capacity: bytes.count)
        append(bytes.count) { $0.copyBytes(from: bytes) }
    }
}
