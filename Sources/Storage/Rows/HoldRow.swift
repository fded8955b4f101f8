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
        plaintext.append(hold.providerStatus.map(Int64.init))
        plaintext.append(hold.providerCode)
        plaintext.append(hold.providerRequestID)
    }

    init(_ head: RowHead, _ reader: inout PlaintextReader) throws(UnreadableRow) {
        guard let account = Name(head.scope) else { throw UnreadableRow() }
        stamp = WriteStamp(bootID: BootID(try reader.text()), writtenAt: head.writtenAt)
        let failureCode = try reader.text()
        let detail = try reader.text()
        let until = try reader.moment()
        let attempts = Int(try reader.number())
        // Rows of the first versions end before what the provider answered.
        hold = StoredHold(
            key: HoldKey(account: account, endpoint: head.key),
            failureCode: failureCode,
            detail: detail,
            providerStatus: reader.isAtEnd ? nil : try reader.optionalNumber().map(Int.init),
            providerCode: reader.isAtEnd ? nil : try reader.optionalText(),
            providerRequestID: reader.isAtEnd ? nil : try reader.optionalText(),
            until: until,
            attempts: attempts
        )
    }
}
