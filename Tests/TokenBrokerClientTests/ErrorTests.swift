import HTTPWire
import JSON
import Testing

@testable import TokenBrokerClient

@Suite("Errors")
struct ErrorTests {
    private func error(_ answer: HTTPClientResponse) async throws -> TokenBrokerError {
        let world = World(.answer(answer))
        return try #require(await failure { try await world.client.token(named: "web") })
    }

    @Test("tell all that the broker says")
    func problem() async throws {
        let error = try await error(
            .problem(
                503,
                "provider_rate_limited",
                [
                    ("retry_after", 30), ("provider_status", 429), ("provider_code", "slow_down"),
                    ("provider_request_id", "r1"),
                ]
            )
        )
        #expect(error.code == .providerRateLimited)
        #expect(error.detail == "the detail")
        #expect(error.status == 503)
        #expect(error.retryAfter == .seconds(30))
        #expect(error.providerStatus == 429)
        #expect(error.providerCode == "slow_down")
        #expect(error.providerRequestID == "r1")
        #expect(
            "\(error)"
                == "provider_rate_limited: the detail (the provider answered: status 429, code slow_down)"
        )
    }

    @Test("take a code that is not known here")
    func newCode() async throws {
        let error = try await error(.problem(418, "teapot"))
        #expect(error.code.rawValue == "teapot")
        #expect(error.retryAfter == nil)
        #expect("\(error)" == "teapot: the detail")
    }

    @Test(
        "say what is no broker's answer, and nothing of what was in it",
        arguments: [
            (200, ""), (200, "[]"), (200, #"{"access_token":"at_v1_x"}"#), (204, ""), (302, #"{"code":"at_v1_x"}"#),
            (500, "at_v1_x"), (502, #"{"error":"at_v1_x"}"#), (304, ""),
            (
                200,
                #"{"access_token":"at_v1_x","token_type":"Bearer","generation":1,"degraded":false,"refresh_at":null}"#
            ),
            (
                200,
                #"{"access_token":"at_v1_x","token_type":"Bearer","generation":1,"degraded":false,"expires_at_ms":1,"#
                    + #""refresh_at":9223372036854775807}"#
            ),
            (
                200,
                #"{"access_token":"","token_type":"Bearer","generation":1,"degraded":false,"expires_at_ms":1,"#
                    + #""refresh_at":1}"#
            ),
        ]
    )
    func unreadable(_ status: Int, _ body: String) async throws {
        let error = try await error(.answer(status, body))
        #expect(error.code == .unreadable)
        #expect(error.status == nil)
        #expect(!"\(error)".contains("at_v1_x"))
    }

    @Test("a time that is absurd does no harm", arguments: ["9223372036854775807", "-9223372036854775808"])
    func absurd(_ time: String) async throws {
        let body =
            #"{"access_token":"x","token_type":"Bearer","generation":1,"degraded":false,"refresh_at":1,"expires_at_ms":"#
        let world = World(.answer(.answer(200, body + time + "}")), .token(2))
        _ = try await world.client.token(named: "web")
        #expect(try await world.client.token(named: "web").generation == 2)
    }

    @Test("a token prints without its text, however it is printed")
    func redaction() async throws {
        let world = World(.token(7))
        let token = try await world.client.token(named: "web", endUser: EndUser(id: "ann"))
        var dumped = ""
        dump(token, to: &dumped)
        dump([token], to: &dumped)
        for text in ["\(token)", String(reflecting: token), "\([token])", "\(Optional(token) as Any)", dumped] {
            #expect(text.contains("<redacted>"))
            #expect(!text.contains("at_v1_7"))
        }
    }
}

@Suite("Unix time")
struct UnixTimeTests {
    @Test(
        "rounds down to seconds",
        arguments: [(1999, 1), (2000, 2), (-1, -1), (-1000, -1), (0, 0), (.min, .min / 1000 - 1)]
    )
    func seconds(_ milliseconds: Int64, _ seconds: Int64) {
        #expect(UnixTime(milliseconds: milliseconds).seconds == seconds)
    }

    @Test("refuses seconds that it cannot count, and is ordered")
    func limits() {
        #expect(UnixTime(seconds: .max) == nil)
        #expect(UnixTime(seconds: 2)?.milliseconds == 2000)
        #expect(UnixTime(milliseconds: 1) < UnixTime(milliseconds: 2))
    }
}
