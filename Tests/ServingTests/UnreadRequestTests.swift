import EventLoop
import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@testable import Serving
@testable import TokenBroker

@Suite("A request whose answer is known", .blocking)
struct UnreadRequestTests {
    /// A connection on which the token was asked for often enough that its answer is known.
    private func client(of harness: Harness) async throws -> Client {
        let client = try harness.connect()
        for _ in 1...3 { #expect(try await token(client, harness) == "at_v1_first") }
        return client
    }

    private func token(_ client: Client, _ harness: Harness) async throws -> String? {
        try await harness.exchange(client, "GET /v1/tokens/web").json?["access_token"]?.string
    }

    @Test("gets the next token as soon as there is one, and not the dropped one")
    func nextToken() async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first")
        let client = try await client(of: harness)
        harness.provider.give(.token("at_v1_second"))
        _ = harness.broker.forceRefresh(TokenKey("web")) { _ in }
        try await harness.until { harness.broker.status(of: "web")?.mints == 2 }
        #expect(try await token(client, harness) == "at_v1_second")
        #expect(harness.broker.drop("web"))
        harness.provider.give(.token("at_v1_third"))
        #expect(try await token(client, harness) == "at_v1_third")
    }

    @Test("keeps a token wanted: what is asked for is refreshed again")
    func keepsAsking() async throws {
        let harness = try Harness(.account([.open("web", .onDemand)]))
        try await harness.mintWeb("at_v1_first")
        _ = try await client(of: harness)
        for (number, text) in ["at_v1_second", "at_v1_third"].enumerated() {
            await harness.advance(by: .seconds(3300))
            harness.provider.give(.token(text))
            harness.broker.wake()
            try await harness.until { harness.broker.status(of: "web")?.mints == number + 2 }
            // The connections of before have been idle for too long.
            #expect(try await token(harness.connect(), harness) == text)
        }
        #expect(harness.provider.started == 3)
    }

    @Test("is told that a refresh failed, and that the failure is over")
    func degraded() async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first")
        let client = try await client(of: harness)
        harness.provider.give(.failure(.transient))
        _ = harness.broker.forceRefresh(TokenKey("web")) { _ in }
        try await harness.until { harness.broker.status(of: "web")?.failures == 1 }
        for _ in 1...2 {
            let answer = try await harness.exchange(client, "GET /v1/tokens/web")
            #expect(answer.json?["degraded"] == true)
        }
        harness.broker.keyChanged("key", to: SecretVersionNumber(2), proofs: [], isUrgent: false)
        #expect(try await harness.exchange(client, "GET /v1/tokens/web").json?["degraded"] == false)
    }

    @Test("is not answered when the grant is gone")
    func grantGone() async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first")
        let client = try await client(of: harness)
        harness.broker.reload(Broker.Supply(.account([.closed("web")]), with: harness.provider))
        // Still under the old grants, as all requests are until the sockets know.
        #expect(try await token(client, harness) == "at_v1_first")
        harness.servers.configurationChanged(operators: [], observers: [], facts: .example)
        await harness.turn()
        #expect(try await harness.exchange(client, "GET /v1/tokens/web").code == "unknown_token")
    }

    @Test("is not served a token that has ended by either clock", arguments: [true, false])
    func ended(_ byWallAlone: Bool) async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first")
        let client = try await client(of: harness)
        if byWallAlone { harness.clock.setWall(by: .seconds(3600)) } else { harness.clock.advance(by: .seconds(3600)) }
        let answer = try await harness.exchange(client, "GET /v1/tokens/web", ["Prefer: wait=0"])
        #expect(answer.status == 504)
        harness.provider.give(.token("at_v1_second"))
        #expect(try await token(client, harness) == "at_v1_second")
    }

    @Test("is answered in order with what is sent behind it, and in pieces as well")
    func pieces() async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first")
        let client = try await client(of: harness)
        let request = message("GET /v1/tokens/web")
        client.send(request + message("GET /healthz"))
        #expect(try await harness.answer(on: client).json?["access_token"] == "at_v1_first")
        #expect(try await harness.answer(on: client).json == ["status": "ok"])
        client.send(String(request.prefix(20)))
        await harness.settle()
        // The rest is no request of its own, though it is sent alone.
        client.send(String(request.dropFirst(20)))
        #expect(try await harness.answer(on: client).json?["access_token"] == "at_v1_first")
        client.send("\r\n" + request)
        #expect(try await harness.answer(on: client).json?["access_token"] == "at_v1_first")
    }

    @Test("ends its connection where the server stops")
    func draining() async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first")
        let client = try await client(of: harness)
        client.send(message("GET /v1/tokens/web"))
        harness.servers.drain {}
        try await harness.until {
            client.receive()
            return client.isEnded
        }
    }
}

@Suite("What is kept of an answer", .blocking)
struct KeptAnswerTests {
    private let harness: Harness
    private let api: AppsAPI
    private let completion: Completion

    init() async throws {
        let tokens = [
            TokenDefinition(
                name: "web",
                provider: "account",
                refresh: .onDemand,
                grants: [
                    Grant(user: 1000), Grant(group: 7),
                    Grant(user: 1001, executable: ExecutableFile(device: 1, inode: 2)),
                ]
            )
        ]
        harness = try Harness(.account(tokens))
        api = AppsAPI(broker: harness.broker, clock: harness.clock, audit: harness.audit)
        let server = Server(
            SocketMetrics("test"),
            loop: harness.loop,
            handler: api,
            logger: harness.logger,
            connectionsPerUID: 1,
            onFailure: {}
        )
        completion = Completion(server: server, connection: ConnectionID(number: 0), request: 1)
        harness.provider.give(.token("at_v1_first"))
        _ = harness.broker.ask(TokenKey("web"), minimum: .zero) { _ in }
        let broker = harness.broker
        try await harness.until { broker.status(of: "web")?.mints == 1 }
    }

    /// Whether the same bytes are answered without being read, once they have been answered.
    private func isKept(_ text: String, for peer: Peer) throws -> Bool {
        guard case .reply = api.respond(to: try parsed(text), from: peer, completion) else { return false }
        return Array(text.utf8).withUnsafeBytes { api.readyAnswer(to: $0, from: peer) } != nil
    }

    private let user = Peer(pid: 1, uid: 1000, gid: 1000)

    @Test("is a plain GET's", arguments: ["/v1/tokens/web", "http://localhost/v1/tokens/web"])
    func plain(_ target: String) throws {
        #expect(try isKept(message("GET \(target)"), for: user))
        #expect(try isKept(message("GET \(target)", ["User-Agent: curl/8"]), for: user))
    }

    @Test(
        "is nothing that depends on more than the request's head",
        arguments: [
            message("GET /v1/tokens/web?min_ttl=1"), message("GET /v1/tokens/web?"), message("HEAD /v1/tokens/web"),
            message("POST /v1/tokens/web"), message("GET /v1/tokens/web", ["If-None-Match: \"1\""]),
            message("GET /v1/tokens/web", ["Connection: close"]), message("GET /v1/tokens/web", body: "{}"),
            message("GET /v1/tokens/web", ["Transfer-Encoding: chunked"]) + "0\r\n\r\n",
            "GET /v1/tokens/web HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", message("GET /healthz"),
            message("GET /v1/tokens"), message("GET /v1/whoami"), message("GET /v1/tokens/ghost"),
        ]
    )
    func other(_ text: String) throws {
        #expect(try !isKept(text, for: user))
    }

    @Test("is one to a peer whom its credentials let in, and not its process")
    func process() throws {
        struct Witness: ProcessWitness {
            func look() -> PeerProcessFacts? {
                PeerProcessFacts(executable: ExecutableFile(device: 1, inode: 2))
            }
        }
        let text = message("GET /v1/tokens/web")
        #expect(try !isKept(text, for: Peer(pid: 1, uid: 1001, gid: 1, process: Witness())))
        #expect(try isKept(text, for: Peer(pid: 1, uid: 1001, gid: 7, process: Witness())))
    }
}
