import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Metrics", .blocking)
struct MetricsTests {
    @Test("are OpenMetrics, not to be stored")
    func form() async throws {
        let harness = try Harness.operated(.account([.open("web"), .open("ahead", .ahead)]))
        try await harness.mintWeb("at_v1_value")
        let answer = try await harness.request("GET /metrics", on: .admin)
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        #expect(answer.header("Cache-Control") == "no-store")
        let metrics = try Exposition(String(decoding: answer.response.body, as: UTF8.self))
        #expect(metrics.names.allSatisfy { $0.hasPrefix("tokenbroker_") })
        #expect(metrics.value("tokenbroker_build_info", ["version": "1.2.3"]) == "1")
        #expect(metrics.value("tokenbroker_process_start_time_seconds") == "1774000000.5")
        #expect(metrics.value("tokenbroker_ready") == "0")
        #expect(!answer.text.contains("at_v1"))
    }

    @Test("tell how mints ended, with a zero for each way that none did")
    func mints() async throws {
        let harness = try Harness.operated()
        let before = try await harness.metrics()
        #expect(before.value("tokenbroker_mints_total", ["token": "web", "outcome": "success"]) == "0")
        #expect(before.value("tokenbroker_mints_total", ["token": "web", "outcome": "provider_untrusted"]) == "0")
        try await harness.mintWeb()
        harness.provider.give(.failure(.secretRejected))
        _ = try await harness.request("POST /v1/tokens/web/refresh", on: .admin)
        let after = try await harness.metrics()
        #expect(after.value("tokenbroker_mints_total", ["token": "web", "outcome": "success"]) == "1")
        let refused = ["token": "web", "outcome": "provider_rejected_secret"]
        #expect(after.value("tokenbroker_mints_total", refused) == "1")
        #expect(after.value("tokenbroker_token_failures_in_a_row", ["token": "web"]) == "1")
        #expect(
            after.value("tokenbroker_token_failing", ["token": "web", "code": "provider_rejected_secret"]) == "1"
        )
    }

    @Test("count an answer of the provider that brings nothing by itself")
    func noProgress() async throws {
        let harness = try Harness.operated()
        try await harness.mintWeb("at_v1_same")
        harness.provider.give(.token("at_v1_same"))
        _ = try await harness.request("POST /v1/tokens/web/refresh", on: .admin)
        let metrics = try await harness.metrics()
        #expect(metrics.value("tokenbroker_mints_total", ["token": "web", "outcome": "no_progress"]) == "1")
        #expect(metrics.value("tokenbroker_mints_total", ["token": "web", "outcome": "success"]) == "1")
    }

    @Test("tell of each token whether it can be served, its end and its next refresh")
    func tokens() async throws {
        let harness = try Harness.operated()
        let before = try await harness.metrics()
        #expect(before.value("tokenbroker_token_servable", ["token": "web"]) == "0")
        #expect(before.value("tokenbroker_token_expiry_timestamp_seconds", ["token": "web"]) == nil)
        #expect(before.value("tokenbroker_token_refresh_due_seconds", ["token": "web"]) == nil)
        try await harness.mintWeb()
        await harness.advance(by: .seconds(10))
        let after = try await harness.metrics()
        #expect(after.value("tokenbroker_token_servable", ["token": "web"]) == "1")
        #expect(after.value("tokenbroker_token_expiry_timestamp_seconds", ["token": "web"]) == "1775003600")
        let due = try #require(after.value("tokenbroker_token_refresh_due_seconds", ["token": "web"]))
        #expect(try (0.7 * 3600 - 11...0.85 * 3600).contains(#require(Double(due))))
        let states = after.samples.filter { $0.name == "tokenbroker_token_state" && $0.value == "1" }
        #expect(states.map(\.labels) == [["token": "web", "tokenbroker_token_state": "ready"]])
    }

    @Test("leave a reloaded configuration's old tokens out")
    func reloaded() async throws {
        let harness = try Harness.operated()
        try await harness.mintWeb()
        harness.take(.account([.open("other")]), operators: [AdminPrincipal(user: geteuid())])
        let metrics = try await harness.metrics()
        #expect(metrics.samples.allSatisfy { $0.labels["token"] != "web" })
        #expect(metrics.samples.contains { $0.labels["token"] == "other" })
    }

    @Test("count what is under way")
    func activity() async throws {
        let harness = try Harness.operated()
        let caller = try harness.connect()
        caller.send(message("GET /v1/tokens/web"))
        try await harness.until { harness.provider.waiting == 1 }
        let during = try await harness.metrics()
        let running = ["provider": "account", "stage": "running"]
        #expect(during.value("tokenbroker_mints_under_way", running) == "1")
        #expect(during.value("tokenbroker_mints_under_way", ["provider": "account", "stage": "queued"]) == "0")
        #expect(during.value("tokenbroker_waiters") == "1")
        #expect(during.value("tokenbroker_connections", ["socket": "apps"]) == "1")
        caller.close()
        try await harness.until { harness.waiters == 0 }
        harness.provider.give(.token("at_v1_first"))
        try await harness.until { harness.broker.status(of: "web")?.mints == 1 }
        let after = try await harness.metrics()
        #expect(after.value("tokenbroker_mints_under_way", running) == "0")
        #expect(after.value("tokenbroker_waiters") == "0")
        #expect(after.value("tokenbroker_connections", ["socket": "apps"]) == "0")
        #expect(after.requests("token", "499") == "1")
    }

    @Test("queue behind the places of an account")
    func queued() async throws {
        let names: [Name] = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
        let harness = try Harness.operated(.account(names.map { .open($0, .ahead) }))
        harness.broker.start()
        try await harness.until { harness.provider.waiting == 8 }
        let metrics = try await harness.metrics()
        #expect(metrics.value("tokenbroker_mints_under_way", ["provider": "account", "stage": "running"]) == "8")
        #expect(metrics.value("tokenbroker_mints_under_way", ["provider": "account", "stage": "queued"]) == "1")
    }

    @Test("count requests by endpoint and status, whatever the path says")
    func requests() async throws {
        let harness = try Harness.operated()
        try await harness.mintWeb()
        _ = try await harness.request("GET /v1/tokens/web")
        _ = try await harness.request("GET /v1/tokens/ghost")
        _ = try await harness.request("DELETE /v1/tokens/web")
        _ = try await harness.request("GET /evil%22path")
        _ = try await harness.request("GET /healthz", on: .admin)
        let client = try harness.connect()
        client.send("nonsense\r\n\r\n")
        _ = try await harness.answer(on: client)
        let metrics = try await harness.metrics()
        #expect(metrics.requests("token", "200") == "2")
        #expect(metrics.requests("token", "404") == "1")
        #expect(metrics.requests("token", "405") == "1")
        #expect(metrics.requests("other", "404") == "1")
        #expect(metrics.requests("unread", "400") == "1")
        #expect(metrics.requests("health", "200", socket: "admin") == "1")
        #expect(metrics.requests("health", "200") == nil)
        #expect(metrics.samples.allSatisfy { $0.labels.values.allSatisfy { !$0.contains("evil") } })
    }

    @Test("tell how long answers took")
    func latency() async throws {
        let harness = try Harness.operated()
        let client = try harness.connect()
        client.send(message("GET /v1/tokens/web"))
        try await harness.until { harness.provider.waiting == 1 }
        await harness.advance(by: .milliseconds(2250))
        harness.provider.give(.token("at_v1_first"))
        _ = try await harness.answer(on: client)
        _ = try await harness.exchange(client, "GET /v1/tokens/web")
        let metrics = try await harness.metrics()
        let labels = ["socket": "apps", "endpoint": "token"]
        let name = "tokenbroker_http_request_duration_seconds"
        #expect(metrics.value("\(name)_count", labels) == "2")
        #expect(metrics.value("\(name)_sum", labels) == "2.25")
        #expect(metrics.value("\(name)_bucket", labels.merging(["le": "1.0"]) { _, new in new }) == "1")
        #expect(metrics.value("\(name)_bucket", labels.merging(["le": "2.5"]) { _, new in new }) == "2")
    }

    @Test("keep long polls apart from those who wait for a mint")
    func polls() async throws {
        let harness = try Harness.operated()
        try await harness.mintWeb()
        let client = try await harness.parkedPoll()
        harness.clock.advance(by: .seconds(5))
        #expect(try await harness.answer(on: client).status == 304)
        let metrics = try await harness.metrics()
        #expect(metrics.requests("token_poll", "304") == "1")
        #expect(metrics.requests("token", "304") == nil)
    }

    @Test("tell that a reload was refused")
    func refusedReload() async throws {
        let harness = try Harness.operated()
        #expect(try await harness.metrics().value("tokenbroker_configuration_refused") == "0")
        var facts = DaemonFacts.example
        facts.reloadProblems = ["line 1"]
        harness.servers.factsChanged(facts)
        await harness.settle()
        #expect(try await harness.metrics().value("tokenbroker_configuration_refused") == "1")
    }

    @Test("tell of the store where there is one")
    func store() async throws {
        let harness = try Harness.operated()
        #expect(try await harness.metrics().value("tokenbroker_store_failing") == nil)
        for (state, failing) in [(.serving, "0"), (.failing(.wrongKey), "1")] as [(StoreHealth.State, String)] {
            var facts = DaemonFacts.example
            facts.storeHealth = { StoreHealth(state: state, since: ManualClock.start.wall, unreadableRows: 3) }
            harness.servers.factsChanged(facts)
            await harness.settle()
            let metrics = try await harness.metrics()
            #expect(metrics.value("tokenbroker_store_failing") == failing)
            #expect(metrics.value("tokenbroker_store_unreadable_rows") == "3")
        }
    }

    @Test("pass every event on")
    func events() {
        let next = RecordingObserver()
        let counters = MintCounters(passingOnTo: next)
        counters.observe(.dropped("web"))
        counters.observe(.noProgress(TokenKey("web")))
        #expect(next.count == 2)
        #expect(counters.counts(of: "web").filter { $0.count > 0 }.map(\.outcome) == ["no_progress"])
    }
}

extension Harness {
    func metrics(_ sourceLocation: SourceLocation = #_sourceLocation) async throws -> Exposition {
        let answer = try await request("GET /metrics", on: .admin, sourceLocation)
        return try Exposition(String(decoding: answer.response.body, as: UTF8.self))
    }
}

extension Exposition {
    func requests(_ endpoint: String, _ code: String, socket: String = "apps") -> String? {
        value("tokenbroker_http_requests_total", ["socket": socket, "endpoint": endpoint, "code": code])
    }
}
