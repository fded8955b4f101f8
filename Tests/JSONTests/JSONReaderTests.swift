import JSON
import Testing

@Suite("JSON reader")
struct JSONReaderTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let document: String
        let code: JSONError.Code
        let offset: Int
        var testDescription: String { document.debugDescription }

        init(_ document: String, _ code: JSONError.Code, _ offset: Int) {
            self.document = document
            self.code = code
            self.offset = offset
        }
    }

    @Test(
        "refuses what RFC 8259 does not allow, and says where",
        arguments: [
            Refusal("", .unexpectedEnd, 0),
            Refusal("  ", .unexpectedEnd, 2),
            Refusal("\u{FEFF}", .unexpectedEnd, 3),
            Refusal("\u{FEFF}\u{FEFF}1", .unexpectedByte, 3),
            Refusal("[1,]", .unexpectedByte, 3),
            Refusal("[,1]", .unexpectedByte, 1),
            Refusal("[1 2]", .unexpectedByte, 3),
            Refusal("[1}", .unexpectedByte, 2),
            Refusal(#"{"a":1,}"#, .unexpectedByte, 7),
            Refusal(#"{"a" 1}"#, .unexpectedByte, 5),
            Refusal(#"{a:1}"#, .unexpectedByte, 1),
            Refusal(#"{1:1}"#, .unexpectedByte, 1),
            Refusal(#"{'a':1}"#, .unexpectedByte, 1),
            Refusal("// a\n1", .unexpectedByte, 0),
            Refusal("1 /* a */", .trailingBytes, 2),
            Refusal("1 2", .trailingBytes, 2),
            Refusal("{}\0", .trailingBytes, 2),
            Refusal("[1]]", .trailingBytes, 3),
            Refusal("tru", .unexpectedEnd, 3),
            Refusal("trUe", .unexpectedByte, 2),
            Refusal("True", .unexpectedByte, 0),
            Refusal("nul1", .unexpectedByte, 3),
            Refusal("NaN", .unexpectedByte, 0),
            Refusal("Infinity", .unexpectedByte, 0),
            Refusal("01", .malformedNumber, 0),
            Refusal("-", .malformedNumber, 0),
            Refusal("-01", .malformedNumber, 0),
            Refusal("-a", .malformedNumber, 0),
            Refusal("+1", .unexpectedByte, 0),
            Refusal(".5", .unexpectedByte, 0),
            Refusal("1.", .malformedNumber, 0),
            Refusal("1.e1", .malformedNumber, 0),
            Refusal("1e", .malformedNumber, 0),
            Refusal("1e+", .malformedNumber, 0),
            Refusal("0x10", .trailingBytes, 1),
            Refusal(#""a"#, .unexpectedEnd, 2),
            Refusal("\"a\nb\"", .controlCharacter, 2),
            Refusal("\"a\0\"", .controlCharacter, 2),
            Refusal("\"\t\"", .controlCharacter, 1),
            Refusal(#""\x""#, .malformedEscape, 1),
            Refusal(#""a\u12G4""#, .malformedEscape, 2),
            Refusal(#""\u+123""#, .malformedEscape, 1),
            Refusal(#""\uD800""#, .loneSurrogate, 1),
            Refusal(#""\uDC00""#, .loneSurrogate, 1),
            Refusal(#""\uD800\u0041""#, .loneSurrogate, 1),
            Refusal(#""\uD800\uD800""#, .loneSurrogate, 1),
            Refusal(#""\uD800\n""#, .loneSurrogate, 1),
            Refusal(#""\uDC00\uD800""#, .loneSurrogate, 1),
            Refusal(#"{"a":1,"a":1}"#, .duplicateMember, 7),
            Refusal(#"{"a":1,"\u0061":2}"#, .duplicateMember, 7),
            Refusal(#"[{"b":{"c":0,"d":0,"c":0}}]"#, .duplicateMember, 19),
        ]
    )
    func refusal(_ refusal: Refusal) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Array(refusal.document.utf8)) }
        #expect(error?.code == refusal.code)
        #expect(error?.offset == refusal.offset)
    }

    @Test(
        "refuses strings that are not UTF-8",
        arguments: [
            [0xFF], [0x80], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]]
    )
    func invalidUTF8(_ bytes: [UInt8]) {
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")])
        }
        #expect(error?.code == .invalidUTF8)
    }

    @Test("refuses UTF-16")
    func utf16() {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0xFF, 0xFE, 0x31, 0x00]) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x31, 0x00]) }
    }

    @Test("reads values, white space and one byte order mark")
    func values() throws {
        let text = "\u{FEFF} {\"a\" : [ 1 , -2.50, true,\tfalse, null ],\r\n\"b\":{},\"\":[ ] } "
        let value = try JSONValue(parsing: Array(text.utf8))
        let fraction = try #require(JSONNumber(literal: "-2.50"))
        #expect(value == ["a": [1, .number(fraction), true, false, nil], "b": [:], "": []])
        #expect(value.object?.members.map(\.name) == ["a", "b", ""])
        #expect(value["a"]?.array?.count == 5)
        #expect(value["c"] == nil)
        #expect(value["a"]?["b"] == nil)
    }

    @Test("reads every escape")
    func escapes() throws {
        let value = try JSONValue(parsing: Array(#""\"\\\/\b\f\n\r\té\u00e9\u0000\uD83D\uDE00x""#.utf8))
        #expect(value == "\"\\/\u{08}\u{0C}\n\r\té\u{E9}\0😀x")
    }

    @Test("opens as many arrays and objects as the limit, and not one more")
    func depth() throws {
        let deepest = Array(String(repeating: "[", count: 32).utf8) + Array(String(repeating: "]", count: 32).utf8)
        _ = try JSONValue(parsing: deepest)
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: Array(#"{"a":"#.utf8) + deepest + [UInt8(ascii: "}")])
        }
        #expect(error?.code == .tooDeep)
        #expect(try JSONValue(parsing: [UInt8(ascii: "1")], maximumDepth: 0) == 1)
        #expect(throws: JSONError.self) { try JSONValue(parsing: Array("[]".utf8), maximumDepth: 0) }
        #expect(throws: JSONError.self) {
            try JSONValue(parsing: Array(repeatElement(UInt8(ascii: "["), count: 1_000_000)))
        }
    }

    @Test("refuses every truncation of a document")
    func truncations() throws {
        let document = Array(#"{"a":[1.5e3,-0,true,false,null,"é\uD83D\uDE00\n"],"b":{"c":{}}}"#.utf8)
        _ = try JSONValue(parsing: document)
        for length in document.indices {
            #expect(throws: JSONError.self, "\(length)") { try JSONValue(parsing: document[..<length]) }
        }
    }

    @Test("says what is wrong without repeating what it read")
    func safeDescription() {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Array(#"{"t":"sk_v1_x" "#.utf8)) }
        #expect(error.map(String.init(describing:)) == "malformed JSON: document ends too early at byte 15")
    }
}
