import HTTPWire
import JSON
import Simulator
import TestSupport
import Testing

@Suite("Control API", .blocking)
struct ControlTests {
    private static let behaviour = "/control/ai-autocomplete/behaviour"

    @Test("a partial update keeps the rest, and null takes one back")
    func partialUpdate() throws {
        try Client.run { (client) throws in
            try client.behave(["status": 503, "retry_after": "7"])
            #expect(try client.behave(["status": 429]).json == ["status": 429, "retry_after": "7"])
            #expect(try client.mint().headers.first("Retry-After") == "7")
            #expect(try client.behave(["status": nil]).json == ["retry_after": "7"])
            #expect(try client.send(.get, Self.behaviour).json == ["retry_after": "7"])
            #expect(try client.mint().status == 200)
        }
    }

    @Test("DELETE makes the provider normal again")
    func reset() throws {
        try Client.run { (client) throws in
            try client.behave(["lifetime_seconds": 1])
            try client.behave(["status": 500, "times": 5])
            #expect(try client.send(.delete, Self.behaviour).json == [:])
            #expect(try client.mint().status == 200)
            #expect(try client.report()["behaviour"] == [:])
        }
    }

    @Test("times limits a fault to the next requests; then what stood before comes back")
    func times() throws {
        try Client.run { (client) throws in
            try client.behave(["retry_after": "1"])
            #expect(try client.behave(["status": 503, "times": 2]).json["times"] == 2)
            #expect(try client.mint().status == 503)
            #expect(try client.report()["behaviour"]?["times"] == 1)
            // An update without times is for good, and for the fault still to come as well.
            try client.behave(["retry_after": "2"])
            let last = try client.mint()
            #expect(last.status == 503)
            #expect(last.headers.first("Retry-After") == "2")
            let normal = try client.mint()
            #expect(normal.status == 200)
            #expect(normal.headers.first("Retry-After") == "2")
            try client.behave(["status": 503, "times": 2])
            try client.behave(["times": 0])
            #expect(try client.mint().status == 200)
        }
    }

    @Test("a path limits a fault to its requests, and only they count")
    func path() throws {
        try Client.run { (client) throws in
            let token = try client.mintedToken()
            try client.behave(["status": 500, "path": "/api/auth/token", "times": 1])
            #expect(try client.suggest(token).status == 200)
            #expect(try client.mint().status == 500)
            #expect(try client.mint().status == 200)
            try client.behave(["status": 401, "path": "/api/suggest"])
            #expect(try client.mint().status == 200)
            #expect(try client.suggest(token).status == 401)
        }
    }

    @Test(
        "what cannot be meant is refused and changes nothing",
        arguments: [
            ["hangs": true], ["hang": "yes"], ["status": 199], ["status": 600], ["delay_ms": -1], ["delay_ms": "5"],
            ["body_form": "pdf"], ["retry_after": "1\r\nX: y"], ["times": -1], ["times": "2"], ["body": 7],
            ["delay_ms": 5, "stauts": 500], [1], "status",
        ] as [JSONValue]
    )
    func refused(_ body: JSONValue) throws {
        try Client.run { (client) throws in
            let response = try client.behave(body)
            #expect(response.status == 400)
            #expect(response.json["error"]?.string?.isEmpty == false)
            #expect(try client.send(.get, Self.behaviour).json == [:])
        }
    }

    @Test("reports the last request without the values of its header fields")
    func report() throws {
        try Client.run { (client) throws in
            _ = try client.mint()
            let response = try client.send(.get, "/control/ai-autocomplete")
            let last = response.json["last_request"]
            #expect(response.json["requests"] == 1)
            #expect(last?["method"] == "POST")
            #expect(last?["path"] == "/api/auth/token")
            #expect(last?["header_names"]?.array?.contains("Authorization") == true)
            #expect(!response.text.contains(SimulatorOptions.demoSecretKey))
            #expect(!response.text.contains("at_v1_"))
        }
    }

    @Test("says when it serves, and what is not there")
    func paths() throws {
        try Client.run { (client) throws in
            #expect(try client.send(.get, "/control/healthz").status == 200)
            #expect(try client.send(.get, "/control/nobody").status == 404)
            #expect(try client.send(.get, "/control").status == 404)
            #expect(try client.send(.post, "/control/ai-autocomplete/nothing").status == 404)
            #expect(try client.send(.get, "/control/ai-autocomplete/keys").status == 404)
            #expect(try client.send(.get, "/").status == 404)
        }
    }
}
