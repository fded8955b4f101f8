import JSON
import Testing

@Suite("JSON numbers")
struct JSONNumberTests {
    @Test(
        "have an integer value where they are whole and in range",
        arguments: [
            ("0", 0), ("-0", 0), ("0.0", 0), ("0e400", 0), ("0e999999999999999999999", 0), ("-0.000e-5", 0),
            ("1", 1), ("-1", -1), ("3600.0", 3600), ("3.6e3", 3600), ("3.6E+3", 3600), ("360000e-2", 3600),
            ("0.00036e7", 3600), ("36e2", 3600), ("100e-2", 1),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("-9223372036854775808.000", .min),
            ("922337203685477580700000e-5", .max), ("9.223372036854775807e18", .max),
            ("1e18", 1_000_000_000_000_000_000),
        ] as [(String, Int64)]
    )
    func integers(_ literal: String, _ value: Int64) throws {
        let number = try #require(JSONNumber(literal: literal))
        #expect(number.int64 == value)
        #expect(number.literal == literal)
    }

    @Test(
        "have no integer value otherwise, and never trap",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "1e19", "9.3e18", "1e400", "-1e400", "1e-400", "0.5",
            "3600.5",
            "1e-1", "1e99999999999999999999", "1e-99999999999999999999", "12345678901234567890123",
            "0.00000000000000000000000000000000000001",
        ]
    )
    func notIntegers(_ literal: String) throws {
        #expect(try #require(JSONNumber(literal: literal)).int64 == nil)
    }

    @Test(
        "are taken from text only in JSON's own grammar",
        arguments: ["", " 1", "1 ", "01", "+1", "0x1", "1_000", "١", "1."]
    )
    func grammar(_ text: String) {
        #expect(JSONNumber(literal: text) == nil)
    }

    @Test("keep their digits through a document")
    func literals() throws {
        let text = "[1e400,9223372036854775808,-0,1.50,0.10000000000000000555]"
        #expect(try JSONValue(parsing: Array(text.utf8)).serialized() == Array(text.utf8))
    }

    @Test("are written in decimal", arguments: [0, 42, Int64.min, .max])
    func written(_ value: Int64) {
        #expect(JSONNumber(value).literal == "\(value)")
        #expect(JSONNumber(value).int64 == value)
    }
}
