public import TokenBroker

/// Keeps the lives of secrets in the store: one record a secret, which holds all its versions, so that a step is one write.
public struct SecretArchive: SecretJournal {
    private let store: SQLiteStore

    public init(_ store: SQLiteStore) {
        self.store = store
    }

    /// A record that this version did not write counts as none: the secret begins anew from what its source gives.
    public func lives() async throws(StoreError) -> [Name: KeptLife] {
        var lives: [Name: KeptLife] = [:]
        for record in try await store.records(of: .secretVersion) {
            guard let name = Name(record.id.key), let life = SecretLife(payload: record.payload) else { continue }
            lives[name] = KeptLife(life, record.version)
        }
        return lives
    }

    public func mayHaveLost() async throws(StoreError) -> Bool {
        try await store.mayHaveLost(.secretVersion)
    }

    public func keep(
        _ life: SecretLife,
        of secret: Name,
        replacing expected: RecordVersion?,
        _ durability: Durability
    ) async throws(StoreError) -> RecordVersion {
        let id = RecordID(.secretVersion, secret.text)
        do throws(StoreError) {
            return try await store.write(life.payload, to: id, expecting: expected, durability).version
        } catch {
            guard error.code == .conflict else { throw error }
            let present = try await store.record(id)
            // A store that was begun anew has no record of what this process knows, and one that nobody can read is none.
            let isOvertaken = expected == nil ? present.map(\.isReadable) ?? true : present != nil
            if isOvertaken { throw error }
            return try await store.write(life.payload, to: id, expecting: present?.version, durability).version
        }
    }
}

extension VersionedRecord {
    fileprivate var isReadable: Bool { SecretLife(payload: payload) != nil }
}

extension SecretLife {
    /// The first number of every record.
    fileprivate enum Form: Int64, Comparable {
        case first = 1
        /// With what is known of keys that providers made.
        case withKeys
        /// With whether a version was taken back.
        case withReturns

        static func < (lhs: Form, rhs: Form) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// - Returns: nil for a payload that this version did not write.
    fileprivate init?(payload: Secret) {
        do throws(UnreadableRow) {
            self = try payload.withBytes { (bytes) throws(UnreadableRow) in
                var reader = PlaintextReader(bytes)
                guard let form = Form(rawValue: try reader.number()) else { throw UnreadableRow() }
                let last = SecretVersionNumber(try reader.number())
                let mayFallBack = try reader.number() != 0
                var versions: [SecretVersion] = []
                let count = try reader.number()
                guard (0...1000).contains(count) else { throw UnreadableRow() }
                for _ in 0..<count { versions.append(try SecretVersion(&reader, form)) }
                return SecretLife(versions: versions, lastNumber: last, mayFallBack: mayFallBack)
            }
        } catch {
            return nil
        }
    }

    fileprivate var payload: Secret {
        var plaintext = Plaintext()
        plaintext.append(Form.withReturns.rawValue)
        plaintext.append(lastNumber.number)
        plaintext.append(mayFallBack ? 1 as Int64 : 0)
        plaintext.append(Int64(versions.count))
        for version in versions { version.write(to: &plaintext) }
        return plaintext.withBytes { Secret($0) }
    }
}

extension SecretVersion {
    fileprivate init(_ reader: inout PlaintextReader, _ form: SecretLife.Form) throws(UnreadableRow) {
        let number = SecretVersionNumber(try reader.number())
        let fingerprint = try reader.text()
        guard let origin = Origin(rawValue: try reader.text()) else { throw UnreadableRow() }
        let givenAt = WallInstant(milliseconds: try reader.number())
        guard let state = State(rawValue: try reader.text()) else { throw UnreadableRow() }
        let changedAt = WallInstant(milliseconds: try reader.number())
        let value = state.hasValue ? try reader.secret() : nil
        let refusal = try reader.optionalText()
        self.init(
            number: number,
            fingerprint: fingerprint,
            origin: origin,
            givenAt: givenAt,
            value: value,
            state: state,
            changedAt: changedAt,
            refusal: refusal,
            retiresAt: try reader.optionalNumber().map(WallInstant.init(milliseconds:)),
            issued: form >= .withKeys ? try IssuedKey(&reader) : nil,
            // Where nobody knows, nothing comes back by itself.
            wasTakenBack: form >= .withReturns ? try reader.number() != 0 : refusal != nil
        )
    }

    fileprivate func write(to plaintext: inout Plaintext) {
        plaintext.append(number.number)
        plaintext.append(fingerprint)
        plaintext.append(origin.rawValue)
        plaintext.append(givenAt.milliseconds)
        plaintext.append(state.rawValue)
        plaintext.append(changedAt.milliseconds)
        if let value { plaintext.append(value) }
        plaintext.append(refusal)
        plaintext.append(retiresAt?.milliseconds)
        plaintext.append(issued?.account.text)
        issued?.write(to: &plaintext)
        plaintext.append(wasTakenBack ? 1 as Int64 : 0)
    }
}

extension SecretVersion.State {
    fileprivate var hasValue: Bool { self != .requested && self != .retired }
}

extension IssuedKey {
    /// - Returns: nil where there is none.
    fileprivate init?(_ reader: inout PlaintextReader) throws(UnreadableRow) {
        guard let text = try reader.optionalText() else { return nil }
        guard let account = Name(text) else { throw UnreadableRow() }
        self.init(
            account: account,
            label: try reader.text(),
            requestedAt: WallInstant(milliseconds: try reader.number()),
            id: try reader.optionalText(),
            revokedAt: try reader.optionalNumber().map(WallInstant.init(milliseconds:))
        )
    }

    /// All but the account, which stands before it.
    fileprivate func write(to plaintext: inout Plaintext) {
        plaintext.append(label)
        plaintext.append(requestedAt.milliseconds)
        plaintext.append(id)
        plaintext.append(revokedAt?.milliseconds)
    }
}
