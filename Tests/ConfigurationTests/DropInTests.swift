import Glibc
import Testing
import TokenBroker

@testable import Configuration

@Suite("Drop-ins")
struct DropInTests {
    @Test("add blocks, and references cross the files in both directions")
    func addBlocks() throws {
        let configuration = try load(
            "secrets: { sk: { file: /k } }\ntokens: { t: { provider: p, allow: [{ user: api }] } }",
            dropIns: [
                "10-p.yaml": #"providers: { p: { kind: chatty, base_url: "https://h", bundle_id: b, secret: sk } }"#,
                "20-s.yaml": "secrets: { more: { credential: more } }",
                "30-nothing.yaml": "# nothing\n",
            ]
        )
        #expect(configuration.definition.secrets.keys.sorted() == ["more", "sk"])
        #expect(configuration.definition.tokens["t"]?.provider == "p")
        #expect(configuration.definition.providers["p"]?.secret == "sk")
    }

    @Test("may not change what the main file says, nor define a name again")
    func refuseOverrides() {
        let misplaced = "belongs in the main file: a drop-in adds secrets, providers, tokens, routes and devices"
        let lines = complaints(
            "secrets: { sk: { file: /k } }",
            dropIns: [
                "b.yaml": "secrets:\n  sk: { file: /other }\n  two: { file: /b }",
                "a.yaml": "log: { level: trace }\nlisten: {}\nsecrets: { two: { file: /a } }\ndevice: {}",
            ]
        )
        #expect(
            lines == [
                "conf.d/a.yaml:1:1: log: \(misplaced)", "conf.d/a.yaml:2:1: listen: \(misplaced)",
                "conf.d/a.yaml:4:1: device: unknown key; did you mean 'devices'?",
                "conf.d/b.yaml:2:3: secrets.sk: already defined at main.yaml:1:12",
                "conf.d/b.yaml:3:3: secrets.two: already defined at conf.d/a.yaml:3:12",
            ]
        )
    }

    @Test("count only in a folder that nobody else can write to")
    func folder() throws {
        let folder = TemporaryFolder()
        let path = folder.write("main.yaml", "operators: []")
        folder.makeFolder("conf.d")
        _ = try loader.load(path: path)
        #expect(chmod(folder.path(of: "conf.d"), 0o777) == 0)
        #expect {
            _ = try loader.load(path: path)
        } throws: { error in
            "\(error)".contains("conf.d: others than its owner may write to it: chmod go-w")
        }
    }

    @Test("are read in the byte order of their names, the main file first")
    func orderOfBytes() {
        let names = ["b.yaml", "B.yaml", "10.yaml", "9.yaml", "é.yaml"]
        let lines = complaints("x: 1", dropIns: Dictionary(uniqueKeysWithValues: names.map { ($0, "x: 1") }))
        let files = lines.map { $0.prefix { $0 != ":" } }
        #expect(
            files == [
                "main.yaml", "conf.d/10.yaml", "conf.d/9.yaml", "conf.d/B.yaml", "conf.d/b.yaml", "conf.d/é.yaml",
            ]
        )
    }

    @Test("are only the files that end in .yaml and do not hide")
    func otherFilesAreIgnored() throws {
        let junk = ["README": "junk: [", "a.yaml~": "junk: [", ".a.yaml": "junk: [", "a.yml": "junk: ["]
        #expect(try load("", dropIns: junk) == Configuration())
    }

    @Test("are reported together with the faults of a main file that cannot be parsed")
    func reportedBesideBrokenMain() {
        let lines = complaints("log: [", dropIns: ["a.yaml": "secrets: 5"])
        #expect(lines.count == 2)
        #expect(lines.last == "conf.d/a.yaml:1:10: secrets: expected a mapping, found a single value")
    }

    @Test("are found beside a main file without a folder")
    func relativePath() {
        #expect(DropIns.folder(beside: "main.yaml") == "conf.d")
        #expect(DropIns.folder(beside: "/etc/tokenbroker/main.yaml") == "/etc/tokenbroker/conf.d")
    }
}
