import Glibc
import HTTPWire
import JSON
import Logging
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Audit API", .blocking)
struct AuditAPITests {
    @Test("tells what operators did and who was denied, with the peer")
    func events() async throws {
        let harness = try Harness.operated(.account([.open("web"), .closed("other")]))
        _ = try await harness.request("GET /v1/tokens/other")
        _ = try await harness.request("DELETE /v1/tokens/web", on: .admin)
        let answer = try await harness.request("GET /v1/audit", on: .admin)
        #expect(answer.status == 200)
        let uid = JSONValue.number(JSONNumber(Int64(geteuid())))
        let pid = JSONValue.number(JSONNumber(Int64(getpid())))
        let events = try #require(answer.json?["events"]?.array)
        #expect(
            events.first == [
                "sequence": 1, "at": 1_775_000_000, "kind": "denial", "action": "tokens", "subject": "other",
                "outcome": "unknown_token", "detail": "not allowed: another user", "count": 1, "uid": uid, "pid": pid,
                "unit": nil,
            ]
        )
        #expect(events.count == 2)
        let drop = try #require(events.last)
        #expect(drop["kind"] == "operator")
        #expect(drop["action"] == "token drop")
        #expect(drop["subject"] == "web")
        #expect(drop["outcome"] == "ok")
        #expect(drop["detail"] == .null)
        #expect(drop["uid"] == uid)
        #expect(drop["pid"] == pid)
        #expect(answer.json?["next"] == 2)
    }

    @Test("a key that was pasted where a name belongs is not written down, and other names that nobody defined are")
    func pastedKeys() async throws {
        let harness = try Harness.operated(.account([.open("web")]))
        for name in ["at_v1_canary", "rd_sk_live_canary", "pb_demo_scanary", "canary0123456789abcdef", "ghost"] {
            for target in ["GET /v1/tokens/", "GET /v1/forward-auth/", "GET /routes/"] {
                _ = try await harness.request(target + name)
            }
            _ = try await harness.request("POST /v1/secrets/\(name)/verify", on: .admin)
            _ = try await harness.request("DELETE /v1/devices/\(name)", on: .admin)
        }
        let answer = try await harness.request("GET /v1/audit", on: .admin)
        #expect(!(answer.text + harness.log.text).contains("canary"))
        let subjects = (answer.json?["events"]?.array ?? []).compactMap { $0["subject"]?.string }
        #expect(Set(subjects) == ["…", "ghost", "?"])
    }

    @Test("a secret whose name looks like a key is written down as what the configuration calls it")
    func definedNames() async throws {
        let harness = try Harness.operated(.account([.closed("at_home")]))
        _ = try await harness.request("GET /v1/tokens/at_home")
        let events = try await harness.request("GET /v1/audit", on: .admin).json?["events"]?.array
        #expect(events?.first?["subject"] == "at_home")
    }

    @Test("tells of a token that an app reports as refused, with the peer, and not of one that it had from long ago")
    func rejections() async throws {
        let harness = try Harness.operated()
        try await harness.mintWeb("at_v1_first")
        _ = try await harness.request("POST /v1/tokens/web/rejected", body: #"{"access_token":"at_v1_old"}"#)
        harness.provider.give(.token("at_v1_second"))
        _ = try await harness.request("POST /v1/tokens/web/rejected", body: #"{"access_token":"at_v1_first"}"#)
        let answer = try await harness.request("GET /v1/audit", on: .admin)
        let events = try #require(answer.json?["events"]?.array)
        #expect(events.count == 1)
        #expect(events.first?["kind"] == "forced_mint")
        #expect(events.first?["action"] == "rejected")
        #expect(events.first?["outcome"] == "ok")
        #expect(events.first?["uid"] == .number(JSONNumber(Int64(geteuid()))))
        #expect(!answer.text.contains("at_v1"))
    }

    @Test("answers a page at a time, and from a time on")
    func pages() async throws {
        let harness = try Harness.operated()
        for number in 1...3 {
            harness.audit.record(AuditEvent(.operation, "step \(number)"))
            harness.clock.advance(by: .seconds(10))
        }
        func actions(_ query: String) async throws -> ([String?], JSONValue?) {
            let answer = try await harness.request("GET /v1/audit\(query)", on: .admin)
            return (answer.json?["events"]?.array?.map { $0["action"]?.string } ?? [], answer.json?["next"])
        }
        #expect(try await actions("?limit=2") == (["step 1", "step 2"], 2))
        #expect(try await actions("?after=2") == (["step 3"], 3))
        #expect(try await actions("?after=3") == ([], 3))
        #expect(try await actions("?after=9") == ([], 9))
        #expect(try await actions("?since=1775000010") == (["step 2", "step 3"], 3))
        #expect(try await actions("?after=1&since=1775000000&limit=1") == (["step 2"], 2))
    }

    @Test(
        "refuses a query that it does not understand",
        arguments: [
            "?after=-1", "?after=x", "?since=", "?limit=0", "?limit=1001", "?other=1", "?after=%zz", "/verify?head=x",
            "/verify?after=1", "/verify?head=nobody:1:00",
        ]
    )
    func badQuery(_ query: String) async throws {
        let answer = try await Harness.operated().request("GET /v1/audit\(query)", on: .admin)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_request")
    }

    @Test("says what a look through all rows came to")
    func verification() async throws {
        let harness = try Harness.operated()
        harness.audit.record(AuditEvent(.operation, "step"))
        let valid = try await harness.request("GET /v1/audit/verify", on: .admin)
        #expect(valid.json?["valid"] == true)
        #expect(valid.json?["gaps"] == 0)
        #expect(valid.json?["chains"]?.array?.map { $0["rows"] } == [1, 0, 0, 0])
        let wrong = try await harness.request("GET /v1/audit/verify?head=operator:7:0aff", on: .admin)
        #expect(wrong.status == 200)
        #expect(wrong.json?["valid"] == false)
        let chain = try #require(wrong.json?["chains"]?.array?.first)
        #expect(chain["class"] == "operator")
        #expect(chain["valid"] == false)
        #expect(chain["first_bad"] == 7)
        #expect(chain["reason"]?.string?.contains("row 7") == true)
    }

    @Test("says so where there is no store, and where it cannot be read")
    func noStore() async throws {
        let without = try Harness(operators: [AdminPrincipal(user: geteuid())], hasStore: false)
        for path in ["/v1/audit", "/v1/audit/verify"] {
            #expect(try await without.request("GET \(path)", on: .admin).code == "not_found")
        }
        let broken = try Harness.operated()
        broken.auditStore?.fail(with: .corrupt)
        let answer = try await broken.request("GET /v1/audit", on: .admin)
        #expect(answer.status == 500)
        #expect(answer.code == "internal")
    }
}
