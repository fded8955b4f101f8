internal import TokenBroker

/// A hold with the boot in which it was written.
struct HoldRow: Row {
    static let table = Table.holds

    let hold: StoredHold
    let stamp: WriteStamp

    init(_ hold: StoredHold, _ stamp: WriteStamp) {
        self.hold = hold
        self.stamp = stamp
    }

    var scope: String { hold.key.account.text }
    var key: String { hold.key.endpoint }
    var version: Int64 { 0 }

    func write(to plaintext: inout Plaintext) {
        plaintext.append(stamp.bootID.text)
        plaintext.append(hold.failureCode)
        plaintext.append(hold.detail)
        plaintext.append(hold.until)
        plaintext.append(Int64(hold.attempts))
    }

    init(_ head: RowHead, _ reader: inout PlaintextReader) throws(UnreadableRow) {
        guard let account = Name(head.scope) else { throw UnreadableRow() }
        stamp = WriteStamp(bootID: BootID(try reader.text()), writtenAt: head.writtenAt)
        hold = StoredHold(
            key: HoldKey(account: account, endpoint: head.key),
            failureCode: try reader.text(),
            detail: try reader.text(),
            until: try reader.moment(),
            attempts: Int(try reader.number())
        )
    }
}
