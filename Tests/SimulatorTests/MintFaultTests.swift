import HTTPWire
import JSON
import Simulator
import TestSupport
import Testing

@Suite("Faults in what is minted", .blocking)
struct MintFaultTests {
    @Test("a token lives as long as it is told to, and not a moment longer")
    func lifetime() throws {
        try Client.run { (client) throws in
            try client.behave(["lifetime_seconds": 50])
            let minted = try client.mint()
            let token = minted.json["access_token"]?.string
            #expect(try client.lifetime(of: minted) == 50)
            try client.behave(["clock_skew_seconds": 45])
            #expect(try client.suggest(token).status == 200)
            try client.behave(["clock_skew_seconds": 50])
            #expect(try client.suggest(token).status == 401)
        }
    }

    @Test("the end of a token can be written in every wrong way", arguments: ["seconds", "milliseconds", "string"])
    func sameInstant(_ form: String) throws {
        try Client.run { (client) throws in
            // The same token again, so that the forms can be compared to the digit.
            try client.behave(["same_token": true])
            let seconds = try #require(try client.mint().json["expires_at"]?.number?.int64)
            try client.behave(["expires_at": .string(form)])
            let expected: [String: JSONValue] = [
                "seconds": .number(JSONNumber(seconds)),
                "milliseconds": .number(JSONNumber(seconds * 1000)),
                "string": .string(String(seconds)),
            ]
            #expect(try client.mint().json["expires_at"] == expected[form])
        }
    }

    @Test("the end of a token can be no whole number, nothing, or over")
    func otherForms() throws {
        try Client.run { (client) throws in
            try client.behave(["same_token": true])
            let seconds = try #require(try client.mint().json["expires_at"]?.number?.int64)
            func form(_ form: JSONValue) throws -> JSONValue? {
                try client.behave(["expires_at": form])
                return try client.mint().json["expires_at"]
            }
            #expect(try form("float") == JSONNumber(literal: "\(seconds).5").map(JSONValue.number))
            #expect(try form("missing") == nil)
            #expect(try form("null") == .some(.null))
            #expect(try form("zero") == 0)
            let past = try #require(try form("past")?.number?.int64)
            // An hour and a minute, less what went by between the two.
            #expect((3600...3660).contains(seconds - past))
            #expect(try form(nil)?.number?.int64 == seconds)
        }
    }

    @Test("an instant is written as RFC 3339 has it")
    func rfc3339() throws {
        try Client.run { (client) throws in
            try client.behave(["expires_at": "rfc3339"])
            let text = try #require(try client.mint().json["expires_at"]?.string)
            #expect(text.wholeMatch(of: #/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/#) != nil)
        }
    }

    @Test("the same token can be answered again")
    func sameToken() throws {
        try Client.run { (client) throws in
            let token = try client.mintedToken()
            try client.behave(["same_token": true])
            #expect(try client.mintedToken() == token)
            #expect(try client.mintedToken() == token)
            try client.behave(["same_token": nil])
            #expect(try client.mintedToken() != token)
            #expect(try client.count("mints") == 4)
        }
    }

    @Test("a wrong clock is wrong in Date and in the expiry alike")
    func clockSkew() throws {
        try Client.run { (client) throws in
            let right = try client.mint()
            try client.behave(["clock_skew_seconds": -1_000_000_000])
            let wrong = try client.mint()
            let difference = try client.expiry(of: right) - client.expiry(of: wrong)
            #expect((999_999_900...1_000_000_000).contains(difference))
            let (rightDate, wrongDate) = (right.headers.first("Date"), wrong.headers.first("Date"))
            #expect(rightDate != nil && wrongDate != nil && rightDate != wrongDate)
            #expect(try client.suggest(wrong.json["access_token"]?.string).status == 200)
        }
    }
}

extension Client {
    fileprivate func expiry(of response: HTTPClientResponse) throws -> Int64 {
        try #require(response.json["expires_at"]?.number?.int64)
    }

    /// Seconds from the mint that the report saw last.
    fileprivate func lifetime(of response: HTTPClientResponse) throws -> Int64 {
        let mintedAt = try #require(try report()["minted_at_ms"]?.array?.last?.number?.int64)
        return try expiry(of: response) - mintedAt / 1000
    }
}
