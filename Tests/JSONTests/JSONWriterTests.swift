import JSON
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    private func text(_ value: JSONValue, pretty: Bool = false) -> String {
        String(decoding: value.serialized(pretty: pretty), as: UTF8.self)
    }

    @Test("writes without white space, members in their order")
    func compact() {
        let value: JSONValue = ["b": [1, -2, true, false, nil], "a": [:], "c": [], "": "x"]
        #expect(text(value) == #"{"b":[1,-2,true,false,null],"a":{},"c":[],"":"x"}"#)
    }

    @Test("writes one member a line, indented by two spaces")
    func pretty() {
        let value: JSONValue = ["a": [1, ["b": nil]], "c": [], "d": [:]]
        let expected = """
            {
              "a": [
                1,
                {
                  "b": null
                }
              ],
              "c": [],
              "d": {}
            }
            """
        #expect(text(value, pretty: true) == expected)
    }

    @Test("escapes what must be escaped and nothing else")
    func escapes() {
        #expect(text("\"\\/\u{08}\u{0C}\n\r\t\0\u{1F}\u{7F}é😀") == #""\"\\/\b\f\n\r\t\u0000\u001f\#u{7F}é😀""#)
        #expect(text(["\n": 1]) == #"{"\n":1}"#)
    }

    @Test("keeps a member's place when its value is set, and drops it for nil")
    func members() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["c"] = 3
        object["a"] = "x"
        object["b"] = nil
        object["d"] = nil
        #expect(object == ["a": "x", "c": 3])
        #expect(object["a"]?.string == "x")
        #expect(object["b"] == nil)
    }

    @Test("writes what the reader reads back", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = JSONValue.random(depth: 0, using: &generator)
        #expect(try JSONValue(parsing: value.serialized()) == value)
        #expect(try JSONValue(parsing: value.serialized(pretty: true)) == value)
    }

    @Test("survives random damage to what it wrote", arguments: 0..<50 as Range<UInt64>)
    func damage(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let document = JSONValue.random(depth: 0, using: &generator).serialized()
        for _ in 0..<100 {
            var damaged = document
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                damaged[damaged.indices.randomElement(using: &generator) ?? 0] = .random(in: 0...255, using: &generator)
            }
            guard let value = try? JSONValue(parsing: damaged) else { continue }
            #expect(try JSONValue(parsing: value.serialized()) == value)
        }
    }
}

/// SplitMix64: the same documents in every run of a seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension JSONValue {
    fileprivate static func random(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        let scalars: [Unicode.Scalar] = ["a", "\"", "\\", "/", "\n", "\0", "\u{1F}", "\u{7F}", "é", "\u{FFFF}", "😀"]
        func text() -> String {
            var text = ""
            for _ in 0..<Int.random(in: 0...8, using: &generator) {
                text.unicodeScalars.append(scalars.randomElement(using: &generator) ?? "a")
            }
            return text
        }
        switch Int.random(in: 0...(depth < 4 ? 7 : 4), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .number(JSONNumber(.random(in: .min ... .max, using: &generator)))
        case 3, 4: return .string(text())
        case 5: return .array((0..<3).map { _ in random(depth: depth + 1, using: &generator) })
        default:
            var object = JSONObject()
            for _ in 0..<4 { object[text()] = random(depth: depth + 1, using: &generator) }
            return .object(object)
        }
    }
}
