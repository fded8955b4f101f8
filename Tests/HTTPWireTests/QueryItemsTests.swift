import HTTPWire
import Testing

@Suite("Query items")
struct QueryItemsTests {
    private func items(_ query: String) -> [String]? {
        QueryItems(parsing: Array(query.utf8)[...])?.items.map { "\($0.name)=\($0.value)" }
    }

    @Test(
        "are decoded as forms are",
        arguments: [
            ("", []), ("min_ttl=60&end_user=a%40b", ["min_ttl=60", "end_user=a@b"]), ("a=b+c%2Bd", ["a=b c+d"]),
            ("a=1&a=2", ["a=1", "a=2"]), ("a", ["a="]), ("a=", ["a="]), ("=b", ["=b"]), ("a=b=c", ["a=b=c"]),
            ("&a=1&&b=2&", ["a=1", "b=2"]), ("%61=%C3%a9", ["a=é"]), ("a=%00", ["a=\0"]), ("a%3Db=c", ["a=b=c"]),
        ] as [(String, [String])]
    )
    func decoding(_ query: String, _ expected: [String]) {
        #expect(items(query) == expected)
    }

    @Test(
        "are nil where malformed",
        arguments: ["%", "a=%", "a=%4", "a=%4g", "a=%%41", "%zz=a", "a=%ff", "a=%C3", "a=1&b=%"]
    )
    func malformed(_ query: String) {
        #expect(items(query) == nil)
    }

    @Test("are found by name, all of them")
    func values() throws {
        let items = try #require(QueryItems(parsing: Array("a=1&b=2&a=3".utf8)[...]))
        #expect(items.values("a") == ["1", "3"])
        #expect(items.values("c") == [])
    }

    @Test("come back as they were written")
    func roundTrip() throws {
        var written = QueryItems()
        written.append("end user", "a+b/c&d=é%\0~")
        written.append("", "")
        let encoded = written.encoded
        #expect(encoded == "end%20user=a%2Bb%2Fc%26d%3D%C3%A9%25%00~&=")
        let read = try #require(QueryItems(parsing: Array(encoded.utf8)[...]))
        #expect(read.items.map(\.name) == written.items.map(\.name))
        #expect(read.items.map(\.value) == written.items.map(\.value))
    }
}
