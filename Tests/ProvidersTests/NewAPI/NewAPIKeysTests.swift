import JSON
import Synchronization
import Testing
import TokenBroker
import Upstream

@testable import Providers

/// The token management of an installation, in memory.
private final class Installation: HTTPSender {
    struct State {
        var keys: [(id: Int64, name: String, text: String)] = []
        var order: JSONValue?
        var pageSize = Int.max
        /// What is answered to a request for a key in place of success; the key is made all the same.
        var answerToCreation: (status: Int, body: String)?
        var makesKeys = true
        var template = ""
        var requests: [String] = []
    }

    let state = Mutex(State())

    var requests: [String] { state.withLock { $0.requests } }

    func send(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse {
        let (status, body) = state.withLock { Self.answer(to: request, &$0) }
        guard status != 0 else {
            throw UpstreamFailure(.timedOut, "host: timed out", requestMayHaveBeenSent: true)
        }
        return UpstreamResponse(
            status: status,
            body: Array(body.utf8),
            requestedAt: FakeSender.requestedAt,
            receivedAt: FakeSender.requestedAt.wall
        )
    }

    private static func answer(to request: UpstreamRequest, _ state: inout State) -> (Int, String) {
        state.requests.append("\(request.method) \(request.path)")
        guard request.headerLines.contains("New-Api-User: 7"),
            request.headerLines.contains("Authorization: Bearer canary-token")
        else { return (401, #"{"success":false,"message":"no","code":"AUTH_UNAUTHORIZED"}"#) }
        let parts = request.path.dropFirst("/api/token/".count).split(separator: "/")
        switch request.method {
        case .get:
            let page = request.path.contains("p=0") || request.path.contains("p=1&") ? 0 : 1
            let keys = state.keys.reversed().dropFirst(page * state.pageSize).prefix(state.pageSize)
            let items = keys.map { key in
                let mask = "\(key.text.prefix(4))**********\(key.text.suffix(4))"
                return #"{"id":\#(key.id),"name":"\#(key.name)","key":"\#(mask)"\#(state.template)}"#
            }
            let list = items.joined(separator: ",")
            return (200, #"{"success":true,"data":{"items":[\#(list)],"total":\#(state.keys.count)}}"#)
        case .delete:
            guard let id = Int64(parts[0]), state.keys.contains(where: { $0.id == id }) else {
                return (200, #"{"success":false,"message":"record not found"}"#)
            }
            state.keys.removeAll { $0.id == id }
            return (200, #"{"success":true,"message":""}"#)
        case .post where parts.count == 2:
            guard let key = state.keys.first(where: { String($0.id) == parts[0] }) else { return (500, "") }
            return (200, #"{"success":true,"data":{"key":"\#(key.text)"}}"#)
        case .post:
            state.order = try? JSONValue(parsing: request.body)
            if state.makesKeys {
                let id = Int64(state.keys.count + 1)
                state.keys.append((id, state.order?["name"]?.string ?? "", "madeABCDEFGHI\(id)wxyz"))
            }
            return state.answerToCreation.map { ($0.status, $0.body) } ?? (200, #"{"success":true,"message":""}"#)
        }
    }
}

@Suite("new-api: making and revoking keys")
struct NewAPIKeysTests {
    private static let credential = Secret("canary-token".utf8)

    private let installation = Installation()

    private func issuer(user: String = "7") throws -> any KeyIssuer {
        let definition = ProviderDefinition(
            name: "chat",
            kind: "new-api",
            baseURL: "https://api.example.com",
            secret: "key",
            timeout: .seconds(10),
            options: Options(["bundle_id": "b", "device_id": "d", "management_user": user])
        )
        return try #require(NewAPIProvider(definition, .fake(installation)).keyIssuer)
    }

    private func issue(like model: Secret? = nil, user: String = "7") async throws -> Result<NewKey, KeyIssueFailure> {
        let issuer = try issuer(user: user)
        do throws(KeyIssueFailure) {
            return .success(try await issuer.issue("label", like: model, by: Self.credential))
        } catch {
            return .failure(error)
        }
    }

    @Test("makes a key, finds it by its name, and reveals it")
    func issue() async throws {
        installation.state.withLock { $0.keys = [(1, "old", "oldABCDEFGHIJKLMwxyz")] }
        let made = try await issue().get()
        #expect(made.id == "2")
        #expect(made.value == Secret("sk-madeABCDEFGHI2wxyz".utf8))
        #expect(
            installation.requests == [
                "get /api/token/?p=0&size=100&page_size=100", "post /api/token/",
                "get /api/token/?p=0&size=100&page_size=100", "post /api/token/2/key",
            ]
        )
        let order = installation.state.withLock { $0.order }
        #expect(order == ["name": "label", "expired_time": -1, "unlimited_quota": true])
    }

    @Test("makes a key that may do no more than the one in force, which it tells by how it is listed")
    func model() async throws {
        installation.state.withLock { state in
            state.keys = [(1, "old", "oldABCDEFGHIJKLMwxyz")]
            state.template =
                #","unlimited_quota":false,"remain_quota":5,"group":"g","expired_time":1,"allow_ips":"10.0.0.1""#
        }
        _ = try await issue(like: Secret("sk-oldABCDEFGHIJKLMwxyz".utf8)).get()
        #expect(
            installation.state.withLock { $0.order } == [
                "name": "label", "expired_time": -1, "unlimited_quota": false, "remain_quota": 5,
                "allow_ips": "10.0.0.1", "group": "g",
            ]
        )
    }

    @Test("has the key all the same when the answer to the request is lost", arguments: [0, 502])
    func lostAnswer(_ status: Int) async throws {
        installation.state.withLock { $0.answerToCreation = (status, "") }
        #expect(try await issue().get().id == "1")
        #expect(installation.requests.count { $0 == "post /api/token/" } == 1)
    }

    @Test("does not know what came of a request that it cannot find the key of")
    func unknown() async throws {
        installation.state.withLock { state in
            state.makesKeys = false
            state.answerToCreation = (0, "")
        }
        guard case .failure(.unknown) = try await issue() else { throw MintFailure(.transient, detail: "known") }
    }

    @Test("knows that no key was made where new-api says so")
    func refused() async throws {
        installation.state.withLock { state in
            state.makesKeys = false
            state.answerToCreation = (200, #"{"success":false,"message":"too many: canary-token"}"#)
        }
        guard case .failure(.refused(let failure)) = try await issue() else {
            throw MintFailure(.transient, detail: "not refused")
        }
        #expect(failure.failureClass == .requestRejected)
        #expect(!failure.detail.contains("canary"))
        guard case .failure(.refused(let stranger)) = try await issue(user: "8") else {
            throw MintFailure(.transient, detail: "not refused")
        }
        #expect(stranger.failureClass == .secretRejected)
    }

    @Test("finds a key on whichever page it is")
    func pages() async throws {
        installation.state.withLock { state in
            state.pageSize = 1
            state.keys = [(1, "label", "a"), (2, "other", "b")]
        }
        #expect(try await issuer().ids(of: "label", by: Self.credential) == ["1"])
    }

    @Test("revokes a key; one that is gone was revoked")
    func revoke() async throws {
        installation.state.withLock { $0.keys = [(1, "label", "a"), (2, "other", "b")] }
        for _ in 0..<2 { try await issuer().revoke("1", by: Self.credential) }
        #expect(installation.state.withLock { $0.keys.map(\.id) } == [2])
        await #expect(throws: MintFailure.self) { try await issuer(user: "8").revoke("2", by: Self.credential) }
    }

    @Test(
        "takes no user but a number, and none without a token of that user",
        arguments: [
            (["management": "m", "management_user": "x"], "expected the number of a user"),
            (["management_user": "7"], "goes with management only"),
        ]
    )
    func options(_ options: [String: String], _ fault: String) {
        #expect(NewAPIProvider.kind.fault(provider: Options(options))?.contains(fault) == true)
        #expect(NewAPIProvider.kind.fault(provider: Options(["management": "m", "management_user": "7"])) == nil)
    }
}
