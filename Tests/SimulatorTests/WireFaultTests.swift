import HTTPWire
import JSON
import Simulator
import TestSupport
import Testing

@Suite("Faults on the wire", .blocking)
struct WireFaultTests {
    @Test("every answer has a Date and a request id of its own")
    func headers() throws {
        try Client.run { (client) throws in
            let answers = [try client.mint(), try client.mint("sk_v1_unknown"), try client.suggest(nil)]
            #expect(Set(answers.map { $0.headers.first("X-Request-Id") }).count == 3)
            #expect(answers.allSatisfy { $0.headers.first("Date")?.hasSuffix(" GMT") == true })
        }
    }

    @Test("a hung request blocks no other, and ends with its client")
    func hang() throws {
        try Client.run { (client) throws in
            try client.behave(["hang": true, "times": 1])
            var hung: ClientConnection? = try ClientConnection(port: client.port)
            try hung?.send(client.encode(.post, Client.tokenPath, bearer: SimulatorOptions.demoSecretKey))
            #expect(try client.waits(for: "in_flight", toBe: 1))
            #expect(try client.mint().status == 200)
            #expect(try client.count("in_flight") == 1)
            hung = nil
            #expect(try client.waits(for: "in_flight", toBe: 0))
            #expect(try client.count("mints") == 1)
        }
    }

    @Test("an answer can be late")
    func delay() throws {
        try Client.run { (client) throws in
            try client.behave(["delay_ms": 60])
            var status = 0
            let elapsed = try ContinuousClock().measure { status = try client.mint().status }
            #expect(status == 200)
            #expect(elapsed >= .milliseconds(60))
        }
    }

    @Test("a client that leaves before a late answer gets nothing minted")
    func abandonedDelay() throws {
        try Client.run { (client) throws in
            try client.behave(["delay_ms": 600_000, "times": 1])
            var waiting: ClientConnection? = try ClientConnection(port: client.port)
            try waiting?.send(client.encode(.post, Client.tokenPath, bearer: SimulatorOptions.demoSecretKey))
            #expect(try client.waits(for: "in_flight", toBe: 1))
            waiting = nil
            #expect(try client.waits(for: "in_flight", toBe: 0))
            #expect(try client.count("mints") == 0)
        }
    }

    @Test("the connection can be dropped before and inside an answer, after the mint", arguments: [0, 1, 40, 10_000])
    func close(after bytes: Int64) throws {
        try Client.run { (client) throws in
            try client.behave(["close_after_bytes": .number(JSONNumber(bytes)), "times": 1])
            let connection = try ClientConnection(port: client.port)
            let body: JSONValue = ["product_id": .string(Client.product)]
            let request = try client.encode(.post, Client.tokenPath, bearer: SimulatorOptions.demoSecretKey, body)
            try connection.send(request)
            let received = try connection.receiveAll()
            // The whole answer is shorter than the last of them, and then the connection is dropped all the same.
            #expect(bytes == 10_000 ? received.last == UInt8(ascii: "}") : received.count == Int(bytes))
            #expect(try client.count("mints") == 1)
            #expect(try client.mint().status == 200)
        }
    }

    @Test("another status than 2xx mints nothing", arguments: [302, 400, 401, 429, 500, 503] as [Int64])
    func status(_ status: Int64) throws {
        try Client.run { (client) throws in
            try client.behave(["status": .number(JSONNumber(status))])
            let response = try client.mint()
            #expect(response.status == Int(status))
            #expect(response.json["error"]?["code"]?.string != nil)
            #expect(try client.count("mints") == 0)
        }
    }

    @Test("another 2xx status mints")
    func otherSuccess() throws {
        try Client.run { (client) throws in
            try client.behave(["status": 201])
            let response = try client.mint()
            #expect(response.status == 201)
            #expect(try client.suggest(response.json["access_token"]?.string).status == 201)
        }
    }

    @Test("Retry-After, Location and Content-Type are sent as given")
    func headerFields() throws {
        try Client.run { (client) throws in
            let location = "https://elsewhere.example/"
            try client.behave([
                "status": 307, "retry_after": "Fri, 31 Dec 1999 23:59:59 GMT", "location": .string(location),
                "content_type": "text/plain",
            ])
            let response = try client.mint()
            #expect(response.headers.first("Retry-After") == "Fri, 31 Dec 1999 23:59:59 GMT")
            #expect(response.headers.first("Location") == location)
            #expect(response.headers.values("Content-Type") == ["text/plain"])
        }
    }

    @Test("a body can be any text, a page, or empty")
    func otherBodies() throws {
        try Client.run { (client) throws in
            try client.behave(["body": "{\"access_token\": 7}"])
            #expect(try client.mint().text == "{\"access_token\": 7}")
            try client.behave(["body": nil, "body_form": "html"])
            let page = try client.mint()
            #expect(page.text.hasPrefix("<!DOCTYPE html>"))
            #expect(page.headers.values("Content-Type") == ["text/html"])
            try client.behave(["body_form": "empty"])
            #expect(try client.mint().body.isEmpty)
        }
    }

    @Test("a body can be damaged")
    func damagedBodies() throws {
        try Client.run { (client) throws in
            try client.behave(["body_form": "truncated"])
            let truncated = try client.mint()
            #expect(truncated.text.hasPrefix("{\"access_token\":\"at_v1_"))
            #expect(throws: JSONError.self) { try JSONValue(parsing: truncated.body) }
            try client.behave(["body_form": "non_utf8"])
            let body = try client.mint().body
            #expect(String(validating: body, as: UTF8.self) == nil)
            #expect(try JSONValue(parsing: body.filter { $0 != 0xFF })["access_token"] != nil)
            try client.behave(["body_form": "bom"])
            let marked = try client.mint()
            #expect(marked.body.starts(with: [0xEF, 0xBB, 0xBF]))
            #expect(marked.json["access_token"] != nil)
        }
    }

    @Test("a body can be too large and yet right")
    func oversizedBody() throws {
        try Client.run { (client) throws in
            try client.behave(["body_form": "oversized", "oversized_bytes": 3_000_000])
            let sized = try client.mint()
            #expect(sized.body.count == 3_000_000)
            #expect(sized.json["access_token"] != nil)
            try client.behave(["oversized_bytes": nil])
            #expect(try client.mint().body.count == 8 * 1024 * 1024)
        }
    }

    @Test("one connection serves request after request, pipelined ones too, in order")
    func keepAlive() throws {
        try Client.run { (client) throws in
            // The first is late, so that the second has to wait in the buffer.
            try client.behave(["delay_ms": 20, "times": 1])
            let connection = try ClientConnection(port: client.port)
            let health = try client.encode(.get, "/control/healthz")
            try connection.send(client.encode(.get, Client.tokenPath) + health + health)
            #expect(try connection.receive().status == 405)
            #expect(try connection.receive().json["status"] == "ok")
            #expect(try connection.receive().json["status"] == "ok")
            try connection.send(health)
            #expect(try connection.receive().status == 200)
        }
    }

    @Test("what is not HTTP is refused, and the connection closed")
    func malformed() throws {
        try Client.run { (client) throws in
            let connection = try ClientConnection(port: client.port)
            try connection.send(Array("nonsense\r\n\r\n".utf8))
            let text = String(decoding: try connection.receiveAll(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 400 "))
        }
    }
}
