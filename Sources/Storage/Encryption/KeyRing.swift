internal import TokenBroker

/// The keys of one store, derived from its one key and its salt.
struct KeyRing {
    let salt: [UInt8]
    /// Tells the right key from a wrong one, where a damaged row could not.
    let fingerprint: [UInt8]
    private let ciphers: [Table: Cipher]
    private let codeKey: Secret
    private let auditKey: Secret

    private static let saltLength = 32

    /// - Parameter salt: the store's; nil makes a new one.
    init(_ key: StoreKey, salt: [UInt8]? = nil) {
        let salt = salt ?? randomBytes(Self.saltLength)
        let derivation = KeyDerivation(key.secret, salt: salt)
        self.salt = salt
        fingerprint = derivation.key(for: "tokenbroker store: fingerprint").withBytes { Array($0) }
        codeKey = derivation.key(for: "tokenbroker store: codes")
        auditKey = derivation.key(for: "tokenbroker store: audit chains")
        ciphers = Dictionary(
            uniqueKeysWithValues: Table.allCases.map { table in
                (table, Cipher(key: derivation.key(for: "tokenbroker store: \(table.rawValue)")))
            }
        )
    }

    /// The code under which a key is found: the same each time, and telling nothing without the ring.
    func code(_ parts: String...) -> [UInt8] {
        var message = Plaintext(capacity: 128)
        for part in parts { message.append(part) }
        return message.withBytes { message in
            codeKey.withBytes { authenticationCode(key: $0, of: message) }
        }
        .withBytes { Array($0) }
    }

    /// The authentication code of an audit row: of all that it says, and of the code of the row before it.
    func auditMAC(of payload: [UInt8], as identity: RowIdentity, after previous: [UInt8]) -> [UInt8] {
        var message = Plaintext(capacity: 256 + payload.count)
        message.append(previous)
        message.append(identity.bytes)
        message.append(payload)
        return message.withBytes { message in
            auditKey.withBytes { authenticationCode(key: $0, of: message) }
        }
        .withBytes { Array($0) }
    }

    func seal(_ plaintext: borrowing Plaintext, as identity: RowIdentity) -> [UInt8] {
        cipher(identity.table).seal(plaintext, as: identity.bytes)
    }

    func open(_ sealed: [UInt8], as identity: RowIdentity) throws(UnreadableRow) -> Plaintext {
        try cipher(identity.table).open(sealed, as: identity.bytes)
    }

    private func cipher(_ table: Table) -> Cipher {
        guard let cipher = ciphers[table] else { preconditionFailure("a table without a cipher") }
        return cipher
    }
}
