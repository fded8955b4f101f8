internal import TokenBroker

/// A token with the boot in which it was written: its boot deadline means nothing in another.
struct TokenRow: Row {
    static let table = Table.tokens

    let token: StoredToken
    let stamp: WriteStamp

    init(_ token: StoredToken, _ stamp: WriteStamp) {
        self.token = token
        self.stamp = stamp
    }

    var scope: String { token.key.name.text }
    var key: String { Self.key(token.key) }
    var version: Int64 { token.generation.number }

    /// A shared token's key is empty, and that of an end user never is.
    static func key(_ key: StoredTokenKey) -> String {
        key.subject.map { "=" + $0 } ?? ""
    }

    /// By the bytes: a sign that stands on the one before it, at the beginning of a user's id, is one character with the
    /// mark, and would go with it.
    private static func subject(_ key: String) -> String? {
        key.isEmpty ? nil : String(Substring(key.utf8.dropFirst()))
    }

    func write(to plaintext: inout Plaintext) {
        plaintext.append(stamp.bootID.text)
        plaintext.append(token.definitionDigest)
        plaintext.append(token.text)
        plaintext.append(token.issuedAt)
        plaintext.append(token.lifetime)
        plaintext.append(token.providerExpiry.milliseconds)
        plaintext.append(token.refreshAge)
        plaintext.append(token.secretVersion)
        plaintext.append(token.scope)
    }

    init(_ head: RowHead, _ reader: inout PlaintextReader) throws(UnreadableRow) {
        guard let name = Name(head.scope) else { throw UnreadableRow() }
        stamp = WriteStamp(bootID: BootID(try reader.repeatedText()), writtenAt: head.writtenAt)
        token = StoredToken(
            key: StoredTokenKey(name: name, subject: Self.subject(head.key)),
            definitionDigest: try reader.repeatedText(),
            text: try reader.secret(),
            generation: Generation(head.version),
            issuedAt: try reader.moment(),
            lifetime: try reader.duration(),
            providerExpiry: WallInstant(milliseconds: try reader.number()),
            refreshAge: try reader.duration(),
            secretVersion: try reader.optionalNumber(),
            // Rows of the first versions end before it.
            scope: reader.isAtEnd ? nil : try reader.optionalText()
        )
    }
}
