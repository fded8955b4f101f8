import TestSupport
import Testing

@testable import Configuration

@Suite("Robustness of the reader", .blocking)
struct RobustnessTests {
    @Test("every beginning of the example is read or refused with a place")
    func truncations() {
        let example = Array(Example.text.utf8)
        for length in 0...example.count {
            let log = ProblemLog()
            do {
                let document = try YAMLDocument(example.prefix(length))
                guard let root = document.root else { continue }
                var sections = Sections()
                sections.addMain(Field(node: root, path: "", file: "f", log: log), accounts: FakeAccounts())
            } catch {
                #expect(error.position.line >= 1 && error.position.column >= 1)
                #expect(error.message.hasPrefix("not YAML: "))
            }
        }
    }

    @Test("every single-byte change of the example is read or refused")
    func mutations() {
        var generator = SplitMix(state: 1)
        let example = Array(Example.text.utf8)
        for _ in 0..<3000 {
            var text = example
            text[Int.random(in: text.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            guard let root = try? YAMLDocument(text).root else { continue }
            var sections = Sections()
            sections.addMain(Field(node: root, path: "", file: "f", log: ProblemLog()), accounts: FakeAccounts())
        }
    }

    @Test("a byte that is no UTF-8 is pointed at, counting characters")
    func invalidUTF8() {
        let text = Array("log:\n  level: ää".utf8) + [0xFF]
        let fault = #expect(throws: YAMLFault.self) { try YAMLDocument(text) }
        #expect(fault?.position == SourcePosition(line: 2, column: 12))
        #expect(fault?.message == "not YAML: invalid leading UTF-8 octet")
    }

    @Test("UTF-16 is not tried")
    func otherEncodings() {
        #expect(throws: YAMLFault.self) { try YAMLDocument([0xFF, 0xFE, 0x61, 0x00]) }
    }

    @Test("a column counts characters, not bytes")
    func columnsAreCharacters() throws {
        let document = try YAMLDocument(Array(#"{ "ä": 1, x: 2 }"#.utf8))
        guard case .mapping(let entries) = document.root?.content else {
            Issue.record("no mapping")
            return
        }
        #expect(entries.map(\.keyPosition.column) == [3, 11])
    }
}

/// A generator whose run can be repeated.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
