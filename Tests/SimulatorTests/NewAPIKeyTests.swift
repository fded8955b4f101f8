import HTTPWire
import JSON
import Simulator
import TestSupport
import Testing

@Suite("new-api's keys and refusals", .blocking)
struct NewAPIKeyTests {
    @Test("a key without the flag needs no signature, and is read as the service reads it")
    func unsigned() throws {
        try NewAPIClient.run { (api) throws in
            #expect(try api.control("keys", ["add": "sk-plain", "signed": false]).status == 200)
            for text in ["Bearer sk-plain", "Bearer plain", "bearer sk-plain-channel"] {
                #expect(try api.models([("Authorization", text)]).status == 200)
            }
            #expect(try api.models([("x-api-key", "sk-plain")]).status == 200)
            #expect(try api.models([("Authorization", "Bearer sk-plainer")]).status == 401)
            let path = "/new-api/v1/chat/completions"
            #expect(try api.client.exchange(.post, path, [("x-api-key", "sk-plain")]).status == 401)
            let empty = try api.client.exchange(.post, path, [("Authorization", "Bearer sk-plain")])
            #expect(empty.status == 400)
        }
    }

    @Test("a bundle that is not on the key's list is refused")
    func bundles() throws {
        try NewAPIClient.run { (api) throws in
            #expect(try api.control("keys", ["add": "sk-listed", "bundle_ids": ["com.example.app"]]).status == 200)
            #expect(try api.complete(NewAPIClient.Signing(key: "sk-listed")).status == 200)
            let refused = try api.complete(NewAPIClient.Signing(key: "sk-listed", bundle: "com.example.other"))
            #expect(refused.status == 403)
            #expect(refused.errorCode == "invalid_bundle_id")
        }
    }

    @Test("a revoked key is refused as an unknown one is, in the service's form")
    func revoked() throws {
        try NewAPIClient.run { (api) throws in
            let key = JSONValue.string(SimulatorOptions.demoRelayKey)
            #expect(try api.control("keys", ["revoke": key]).json["keys"] == 0)
            let refused = try api.complete()
            #expect(refused.status == 401)
            let id = try #require(refused.headers.first("X-Oneapi-Request-Id"))
            #expect(refused.headers.count(of: "X-Request-Id") == 0)
            #expect(refused.json["error"]?["type"] == "new_api_error")
            #expect(refused.json["error"]?["message"]?.string?.hasSuffix("(request id: \(id))") == true)
            #expect(refused.errorCode == "")
        }
    }

    @Test(
        "a key is not made of what is none",
        arguments: [
            ["add": "plain"], ["add": "sk-a-b"], ["add": "sk-a", "signed": "no"], ["remove": "sk-a"],
            ["add": "sk-a", "bundle_ids": [7]],
        ] as [JSONValue]
    )
    func malformedKey(_ members: JSONValue) throws {
        try NewAPIClient.run { (api) throws in
            #expect(try api.control("keys", members).status == 400)
            #expect(try api.control("others", members).status == 404)
        }
    }

    @Test("a limit of the address has no body and no Retry-After; a limit of the model has a body")
    func limits() throws {
        try NewAPIClient.run { (api) throws in
            try api.behave(["status": 429])
            let address = try api.complete()
            #expect(address.status == 429)
            #expect(address.body.isEmpty)
            #expect(address.headers.count(of: "Retry-After") == 0)
            try api.behave(["status": nil, "error": "model_rate_limit"])
            let model = try api.complete()
            #expect(model.status == 429)
            #expect(model.errorCode == "")
            #expect(model.headers.count(of: "Retry-After") == 0)
            try api.behave(["retry_after": "7"])
            #expect(try api.complete().headers.first("Retry-After") == "7")
        }
    }

    @Test(
        "an error of the service's own can be asked for",
        arguments: ["access_denied", "insufficient_user_quota", "pre_consume_token_quota_failed"]
    )
    func namedError(_ name: String) throws {
        try NewAPIClient.run { (api) throws in
            try api.behave(["error": .string(name)])
            let response = try api.complete()
            #expect(response.status == 403)
            #expect(response.errorCode == .string(name))
            #expect(try api.client.report("new-api")["verdicts"] == [:])
        }
    }

    @Test("there is nothing at other paths, nor for other methods")
    func paths() throws {
        try NewAPIClient.run { (api) throws in
            #expect(try api.client.exchange(.post, "/new-api/v1/models").status == 404)
            #expect(try api.client.exchange(.get, "/new-api/v1").status == 404)
        }
    }
}
