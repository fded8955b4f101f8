import Glibc
import Testing
import TokenBroker

@testable import Configuration

@Suite("Secrets from files")
struct SecretFileSourceTests {
    private let folder = TemporaryFolder()

    @Test(
        "lose exactly one line end",
        arguments: [
            ("sk_v1_abc", "sk_v1_abc"), ("sk_v1_abc\n", "sk_v1_abc"), ("sk_v1_abc\r\n", "sk_v1_abc"),
            ("two words", "two words"),
        ]
    )
    func losesOneLineEnd(_ content: String, _ value: String) throws {
        let secret = try read(content.utf8)
        #expect(secret == Secret(value.utf8))
    }

    @Test(
        "are refused when they are no key, without a word of the value",
        arguments: [
            ("", "is empty"), ("\n", "is empty"), ("\r\n", "is empty"),
            ("CANARY\n\n", "has more than one line"), ("CANARY\r", "has more than one line"),
            ("CANARY\r\n\r\n", "has more than one line"), ("CAN\nARY", "has more than one line"),
            ("\nCANARY", "has more than one line"),
            ("\u{FEFF}CANARY", "begins with a byte order mark: save it as UTF-8 without one"),
            ("CANARY\u{0}", "has a control character in it (byte 7)"),
            ("CAN\tARY", "has a control character in it (byte 4)"),
            ("CANARY\u{7F}", "has a control character in it (byte 7)"),
            ("CANÄRY", "has a character that is not ASCII (byte 4)"),
        ]
    )
    func refusesWhatIsNoKey(_ content: String, _ fault: String) {
        let problem = #expect(throws: SecretProblem.self) { try read(content.utf8) }
        #expect(problem?.code == .malformed)
        #expect(problem?.description == "secret key: \(folder.path(of: "key")): \(fault)")
    }

    @Test("may be as long as the limit and no longer")
    func limitsLength() throws {
        #expect(try read(repeatElement(0x61, count: 65536)).count == 65536)
        let problem = #expect(throws: SecretProblem.self) { try read(repeatElement(0x61, count: 65537)) }
        #expect(problem?.code == .malformed)
    }

    @Test(
        "are refused where others could read or change them",
        arguments: [0o604, 0o606, 0o660, 0o602] as [mode_t]
    )
    func refusesExposed(_ permissions: mode_t) {
        let problem = #expect(throws: SecretProblem.self) { try read("CANARY".utf8, permissions: permissions) }
        #expect(problem?.code == .exposed)
        #expect(problem?.description.contains("chmod") == true)
        #expect(problem?.description.contains("CANARY") == false)
    }

    @Test("name the fault and the command that mends it")
    func namesRemedy() {
        let path = folder.path(of: "key")
        let problem = #expect(throws: SecretProblem.self) { try read("CANARY".utf8, permissions: 0o664) }
        #expect(
            problem?.description
                == "secret key: \(path): it is open to everybody, its group may write to it: "
                + "chmod o= \(path) && chmod g-w \(path)"
        )
        #expect(problem?.remedy == "chmod o= \(path) && chmod g-w \(path)")
    }

    @Test("can be replaced by a command that leaves them to the daemon alone")
    func replacement() {
        let source = SecretFileSource(credentialsDirectory: nil, daemon: DaemonIdentity(uid: 998, gid: 997))
        let file = source.replacement(of: definition(.file(path: "/s/a key")))
        #expect(file == "install -m 0600 -o 998 /dev/stdin '/s/a key'")
        #expect(source.replacement(of: definition(.managed)) == "tokenbroker secret rotate key < value")
        let credential = source.replacement(of: definition(.credential(name: "k")))
        #expect(
            credential == "install -m 0400 /dev/stdin /etc/credstore/k && systemctl restart tokenbroker.service"
        )
    }

    @Test("may be read by the daemon's group and by no other")
    func groupReadable() throws {
        let path = folder.write("key", "value", permissions: 0o640)
        let definition = SecretDefinition(name: "key", source: .file(path: path))
        let own = DaemonIdentity.current
        #expect(throws: Never.self) {
            try SecretFileSource(credentialsDirectory: nil, daemon: own).read(definition)
        }
        let other = DaemonIdentity(uid: own.uid, gid: own.gid + 1)
        let problem = #expect(throws: SecretProblem.self) {
            try SecretFileSource(credentialsDirectory: nil, daemon: other).read(definition)
        }
        #expect(problem?.code == .exposed)
        #expect(problem?.description.hasSuffix("chgrp \(other.gid) \(path)") == true)
    }

    @Test("of another user are refused", .enabled(if: geteuid() == 0))
    func refusesForeignOwner() {
        let path = folder.write("key", "value")
        #expect(chown(path, 12345, 0) == 0)
        let problem = #expect(throws: SecretProblem.self) { try source.read(definition(.file(path: path))) }
        #expect(problem?.code == .exposed)
        #expect(problem?.description.hasSuffix("chown 0 \(path)") == true)
    }

    @Test("that are not there are missing, and a folder is not one")
    func missing() {
        let path = folder.path(of: "nothing")
        let problem = #expect(throws: SecretProblem.self) { try source.read(definition(.file(path: path))) }
        #expect(problem?.code == .missing)
        #expect(problem?.description == "secret key: \(path): there is no such file")
        let ofFolder = #expect(throws: SecretProblem.self) { try source.read(definition(.file(path: folder.path))) }
        #expect(ofFolder?.code == .unreadable)
    }

    @Test("passed in by the service manager are taken with the mode they have")
    func credential() throws {
        folder.write("broker-key", "value\n", permissions: 0o444)
        let secret = try source.read(definition(.credential(name: "broker-key")))
        #expect(secret == Secret("value".utf8))
    }

    @Test("are missing when the service manager passed in none")
    func noCredentials() {
        let source = SecretFileSource(credentialsDirectory: nil)
        let problem = #expect(throws: SecretProblem.self) { try source.read(definition(.credential(name: "k"))) }
        #expect(problem?.code == .missing)
        #expect(problem?.description.contains("LoadCredential=k:PATH") == true)
    }

    @Test("are read anew each time, through links as mounted secrets have them")
    func readsAnew() throws {
        let link = folder.path(of: "link")
        #expect(symlink(folder.write("v1", "one"), link) == 0)
        #expect(try source.read(definition(.file(path: link))) == Secret("one".utf8))
        #expect(unlink(link) == 0 && symlink(folder.write("v2", "two"), link) == 0)
        #expect(try source.read(definition(.file(path: link))) == Secret("two".utf8))
    }

    @Test("of a recognisably wrong kind are refused with the prefix expected")
    func wrongKind() throws {
        let definition = definition(.file(path: "/k"))
        let problem = kinds[0].problem(with: Secret("pk_v1_CANARY".utf8), of: definition, among: kinds)
        #expect(
            problem?.description
                == "secret key: a key that begins with pk_v1_ is of the wrong kind: "
                + "ai-autocomplete takes a key that begins with sk_v1_"
        )
        #expect(problem?.code == .malformed)
        for text in ["sk_v1_x", "unheard-of"] {
            #expect(kinds[0].problem(with: Secret(text.utf8), of: definition, among: kinds) == nil)
        }
    }

    @Test(
        "of another kind of provider go to none but that, and to kinds whose keys begin anyhow",
        arguments: [
            (0, "chat-CANARY", "chat-", "ai-autocomplete takes a key that begins with sk_v1_"),
            (1, "sk_v1_CANARY", "sk_v1_", "chatty takes a key that begins with chat-"),
            (1, "pk_v1_CANARY", "pk_v1_", "chatty takes a key that begins with chat-"),
        ]
    )
    func foreignKind(_ kind: Int, _ text: String, _ prefix: String, _ expectation: String) {
        let definition = definition(.file(path: "/k"))
        let problem = kinds[kind].problem(with: Secret(text.utf8), of: definition, among: kinds)
        #expect(
            problem?.description == "secret key: a key that begins with \(prefix) is of the wrong kind: \(expectation)"
        )
        #expect(kinds[2].problem(with: Secret(text.utf8), of: definition, among: kinds) == nil)
    }

    private var source: SecretFileSource { SecretFileSource(credentialsDirectory: folder.path) }

    private func definition(_ source: SecretDefinition.Source) -> SecretDefinition {
        SecretDefinition(name: "key", source: source)
    }

    private func read(_ content: some Sequence<UInt8>, permissions: mode_t = 0o600) throws(SecretProblem) -> Secret {
        try source.read(definition(.file(path: folder.write("key", content, permissions: permissions))))
    }
}
