import Testing

@testable import Serving

@Suite("Token request")
struct TokenRequestTests {
    @Test(
        "reads min_ttl from the query",
        arguments: [
            ("/", 0), ("/?", 0), ("/?min_ttl=0", 0), ("/?min_ttl=60", 60), ("/?min_ttl=2592000", 2_592_000),
            ("/?min%5Fttl=%36%30", 60), ("/?&min_ttl=60&", 60),
        ]
    )
    func query(_ target: String, _ seconds: Int64) throws {
        #expect(try TokenRequest(parsed(message("GET \(target)"))).minimum == .seconds(seconds))
    }

    @Test(
        "refuses a query that it cannot take whole",
        arguments: [
            "min_ttl", "min_ttl=", "min_ttl=-1", "min_ttl=%2B1", "min_ttl=1.0", "min_ttl=2592001", "min_ttl=%D9%A5",
            "min_ttl=99999999999999999999", "min_ttl=1&min_ttl=1", "MIN_TTL=1", "ttl=1", "min_ttl=%", "min_ttl=%zz",
            "%ff=1", "=1", "end_user=u&end_user=u", "issuer_token=t",
        ]
    )
    func malformedQuery(_ query: String) throws {
        let request = try parsed(message("GET /?\(query)"))
        #expect(throws: InvalidRequest.self) { try TokenRequest(request) }
    }

    @Test(
        "reads min_ttl from the body of a POST",
        arguments: [
            ("", 0), ("{}", 0), (#"{"min_ttl":60}"#, 60), (#"{"min_ttl":60.0}"#, 60), (#"{"min_ttl":6e1}"#, 60),
            (#" {"min_ttl" : 2592000 } "#, 2_592_000),
        ]
    )
    func body(_ body: String, _ seconds: Int64) throws {
        #expect(try TokenRequest(parsed(message("POST /", body: body))).minimum == .seconds(seconds))
    }

    @Test(
        "refuses a body that it cannot take whole",
        arguments: [
            "x", "[]", "60", "null", #"{"min_ttl":"60"}"#, #"{"min_ttl":null}"#, #"{"min_ttl":-1}"#,
            #"{"min_ttl":0.5}"#, #"{"min_ttl":2592001}"#, #"{"min_ttl":1e400}"#, #"{"min_ttl":1,"min_ttl":1}"#,
            #"{"other":1}"#, #"{"min_ttl":1} x"#, #"{"end_user":"u"}"#, #"{"end_user":{}}"#, #"{"end_user":{"id":1}}"#,
            #"{"end_user":{"id":"u","other":1}}"#, #"{"end_user":{"id":"u","attributes":"x"}}"#, #"{"issuer_token":1}"#,
        ]
    )
    func malformedBody(_ body: String) throws {
        let request = try parsed(message("POST /", body: body))
        #expect(throws: InvalidRequest.self) { try TokenRequest(request) }
    }

    @Test("refuses min_ttl in the query and in the body")
    func both() throws {
        let request = try parsed(message("POST /?min_ttl=1", body: #"{"min_ttl":2}"#))
        #expect(throws: InvalidRequest.self) { try TokenRequest(request) }
    }

    @Test("never repeats what the caller sent")
    func discretion() throws {
        let request = try parsed(message("POST /", body: #"{"sk_v1_pasted":1}"#))
        let error = #expect(throws: InvalidRequest.self) { try TokenRequest(request) }
        #expect(error?.detail.contains("sk_v1") == false)
    }
}
