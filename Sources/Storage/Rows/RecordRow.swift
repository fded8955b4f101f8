internal import TokenBroker

/// A versioned record.
struct RecordRow: Row {
    static let table = Table.records

    let record: VersionedRecord

    init(_ record: VersionedRecord) {
        self.record = record
    }

    var scope: String { record.id.kind.rawValue }
    var key: String { record.id.key }
    var version: Int64 { record.version.number }

    func write(to plaintext: inout Plaintext) {
        plaintext.append(record.payload)
    }

    init(_ head: RowHead, _ reader: inout PlaintextReader) throws(UnreadableRow) {
        guard let kind = RecordID.Kind(rawValue: head.scope) else { throw UnreadableRow() }
        record = VersionedRecord(
            id: RecordID(kind, head.key),
            version: RecordVersion(head.version),
            payload: try reader.secret()
        )
    }
}
