import HTTPWire
import JSON
import Simulator
import TestSupport
import Testing

@Suite("new-api's management of keys", .blocking)
struct NewAPIManagementTests {
    @Test("a key is made, revealed, used and deleted")
    func lifetime() throws {
        try NewAPIClient.run { (api) throws in
            let created = try api.manage(.post, "/", ["name": "broker", "expired_time": -1])
            #expect(created.json == ["success": true, "message": ""])
            let id = try api.id(named: "broker")
            let revealed = try api.manage(.post, "/\(id)/key")
            let text = try #require(revealed.json["data"]?["key"]?.string)
            #expect(text.wholeMatch(of: #/[0-9a-zA-Z]{48}/#) != nil)
            #expect(revealed.headers.first("Cache-Control") == "no-store")
            let listed = try api.manage(.get, "/\(id)").json["data"]
            #expect(listed?["key"] == .string("\(text.prefix(4))**********\(text.suffix(4))"))
            #expect(listed?["expired_time"] == -1)
            #expect(try api.complete(NewAPIClient.Signing(key: "sk-" + text)).status == 200)
            #expect(try api.manage(.delete, "/\(id)").json["success"] == true)
            #expect(try api.complete(NewAPIClient.Signing(key: "sk-" + text)).status == 401)
            #expect(try api.manage(.get, "/\(id)").json["success"] == false)
            #expect(try api.manage(.delete, "/\(id)").json["success"] == false)
        }
    }

    @Test("a key can be disabled and enabled; status_only leaves its name")
    func status() throws {
        try NewAPIClient.run { (api) throws in
            let id = try api.id(named: "demo")
            let change: JSONValue = ["id": .number(JSONNumber(id)), "status": 2, "name": "other"]
            #expect(try api.manage(.put, "/?status_only=true", change).json["data"]?["status"] == 2)
            #expect(try api.id(named: "demo") == id)
            #expect(try api.complete().status == 401)
            _ = try api.manage(.put, "/", ["id": .number(JSONNumber(id)), "status": 1, "name": "other"])
            #expect(try api.id(named: "other") == id)
            #expect(try api.complete().status == 200)
            #expect(try api.manage(.put, "/", ["id": 77, "status": 1]).json["success"] == false)
        }
    }

    @Test("a key ends at its second")
    func expiry() throws {
        try NewAPIClient.run { (api) throws in
            _ = try api.manage(.post, "/", ["name": "ended", "expired_time": 1_700_000_000])
            let text = try api.manage(.post, "/\(api.id(named: "ended"))/key").json["data"]?["key"]?.string
            #expect(try api.complete(NewAPIClient.Signing(key: "sk-" + #require(text))).status == 401)
        }
    }

    @Test("needs the system's token and the user's id, both")
    func credentials() throws {
        try NewAPIClient.run { (api) throws in
            let token = ("Authorization", "Bearer \(SimulatorOptions.demoSystemToken)")
            let user = ("New-Api-User", SimulatorOptions.demoUserID)
            let relay = ("Authorization", "Bearer \(SimulatorOptions.demoRelayKey)")
            for headers in [[], [token], [user], [token, ("New-Api-User", "2")], [relay, user]] {
                let response = try api.client.exchange(.get, "/new-api/api/token/", headers)
                #expect(response.status == 401)
                #expect(response.json["success"] == false)
            }
            #expect(try api.manage(.get, "/").status == 200)
            #expect(try api.manage(.get, "/1/key").status == 404)
        }
    }

    @Test("a name has at most fifty characters", arguments: [(50, true), (51, false)])
    func name(_ length: Int, _ isTaken: Bool) throws {
        try NewAPIClient.run { (api) throws in
            let name = String(repeating: "n", count: length)
            #expect(try api.manage(.post, "/", ["name": .string(name)]).json["success"] == .bool(isTaken))
            #expect(try api.manage(.post, "/").json["success"] == false)
        }
    }
}

extension NewAPIClient {
    fileprivate func manage(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) throws -> HTTPClientResponse
    {
        let headers = [
            ("Authorization", "Bearer \(SimulatorOptions.demoSystemToken)"),
            ("New-Api-User", SimulatorOptions.demoUserID), ("Content-Type", "application/json"),
        ]
        return try client.exchange(method, "/new-api/api/token" + path, headers, body: body?.serialized() ?? [])
    }

    fileprivate func id(named name: String) throws -> Int64 {
        let items = try manage(.get, "/").json["data"]?["items"]?.array
        return try #require(items?.first { $0["name"] == .string(name) }?["id"]?.number?.int64)
    }
}
