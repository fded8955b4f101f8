import Testing
import TokenBroker

@testable import Storage

@Suite("The archive of secrets")
struct SecretArchiveTests {
    private static let now = WallInstant(milliseconds: 1_775_000_000_000)

    /// A life with a version in each state.
    private func life() throws -> SecretLife {
        var life = SecretLife()
        for (count, value) in ["zero", "one", "two", "three"].enumerated() {
            _ = life.take(Secret(value.utf8), fingerprint: "f-\(value)", from: .file, at: Self.now)
            guard count > 0 else { continue }
            try life.verify(life.lastNumber, at: Self.now)
            try life.promote(retiring: count == 1 ? nil : Self.now.advanced(by: .seconds(60)), at: Self.now)
        }
        _ = life.take(Secret("four".utf8), fingerprint: "f-four", from: .managed, at: Self.now)
        try life.refuse(life.lastNumber, because: "no such key", at: Self.now)
        let key = IssuedKey(account: "gateway", label: "tokenbroker-key-6", requestedAt: Self.now)
        let made = try life.request(key, at: Self.now)
        _ = try life.receive(Secret("six".utf8), id: "key_6", fingerprint: "f-six", for: made, at: Self.now)
        try life.refuse(made, because: "not this one", at: Self.now)
        try life.noteRevoked(made, at: Self.now)
        _ = try life.request(key, at: Self.now)
        try life.rollBack(because: "it failed", at: Self.now)
        return life
    }

    @Test("gives back every version as it was, after a restart")
    func roundTrip() async throws {
        let folder = TemporaryFolder()
        let life = try life()
        let archive = SecretArchive(Bench(folder).store)
        let record = try await archive.keep(life, of: "key", replacing: nil, .durable)
        #expect(try await archive.lives()["key"]?.life == life)
        #expect(try await archive.lives()["key"]?.record == record)
        #expect(try await archive.keep(life, of: "key", replacing: record, .durable) > record)
    }

    @Test("reads what was kept before there were keys that providers made", arguments: [1, 2] as [Int64])
    func formBefore(_ form: Int64) async throws {
        let folder = TemporaryFolder()
        let store = Bench(folder).store
        var plaintext = Plaintext()
        for number in [form, 2, 0, 2] { plaintext.append(number) }
        for (number, refusal) in [(1, nil), (2, "not this one")] as [(Int64, String?)] {
            plaintext.append(number)
            plaintext.append("f-\(number)")
            plaintext.append("file")
            plaintext.append(Self.now.milliseconds)
            plaintext.append(refusal == nil ? "active" : "staged")
            plaintext.append(Self.now.milliseconds)
            plaintext.append(Secret("value-\(number)".utf8))
            plaintext.append(refusal)
            plaintext.append(nil as Int64?)
            if form == 2 { plaintext.append(nil as String?) }
        }
        let payload = plaintext.withBytes { Secret($0) }
        _ = try await store.write(payload, to: RecordID(.secretVersion, "key"), expecting: nil, .durable)
        let life = try #require(try await SecretArchive(store).lives()["key"]?.life)
        #expect(life.versions.map(\.state) == [.active, .staged])
        #expect(life.versions.map(\.value) == [Secret("value-1".utf8), Secret("value-2".utf8)])
        #expect(life.candidate?.refusal == "not this one")
        // Where it is not known who refused it, it does not come back by itself.
        #expect(life.candidate?.wasTakenBack == true)
    }

    @Test("refuses a life that somebody else has changed, and keeps one that the store lost")
    func conflict() async throws {
        let folder = TemporaryFolder()
        let archive = SecretArchive(Bench(folder).store)
        let life = try life()
        let first = try await archive.keep(life, of: "key", replacing: nil, .durable)
        _ = try await archive.keep(life, of: "key", replacing: first, .durable)
        let code = await failureCode { () async throws(StoreError) in
            _ = try await archive.keep(life, of: "key", replacing: first, .durable)
        }
        #expect(code == .conflict)
        // A store that was begun anew.
        _ = try await archive.keep(life, of: "other", replacing: first, .durable)
        #expect(try await archive.lives()["other"]?.life == life)
    }

    @Test("may have lost what does not decrypt")
    func lost() async throws {
        let folder = TemporaryFolder()
        let first = Bench(folder)
        _ = try await SecretArchive(first.store).keep(try life(), of: "key", replacing: nil, .durable)
        #expect(try await !SecretArchive(first.store).mayHaveLost())
        await first.store.close()
        do {
            let other = try Database(folder.storePath)
            try other.run("UPDATE records SET sealed = zeroblob(length(sealed))")
        }
        let archive = SecretArchive(Bench(folder).store)
        #expect(try await archive.mayHaveLost())
        #expect(try await archive.lives().isEmpty)
    }

    @Test("passes over a record that it cannot read, and writes over it")
    func foreign() async throws {
        let folder = TemporaryFolder()
        let store = Bench(folder).store
        for payload in [[], [0], Array(repeating: UInt8(255), count: 64)] {
            let id = RecordID(.secretVersion, "key-\(payload.count)")
            _ = try await store.write(Secret(payload), to: id, expecting: nil, .durable)
        }
        let archive = SecretArchive(store)
        #expect(try await archive.lives().isEmpty)
        let life = try life()
        let record = try await archive.keep(life, of: "key-0", replacing: nil, .durable)
        #expect(try await archive.lives()["key-0"]?.life == life)
        // What can be read by now is somebody's.
        let code = await failureCode { () async throws(StoreError) in
            _ = try await archive.keep(life, of: "key-0", replacing: nil, .durable)
        }
        #expect(code == .conflict)
        #expect(try await archive.lives()["key-0"]?.record == record)
    }
}
