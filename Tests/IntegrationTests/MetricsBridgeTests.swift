import HTTPWire
import TestSupport
import Testing

@Suite("Metrics on a loopback port", .blocking, .with(.nginx))
struct MetricsBridgeTests {
    @Test("the shipped bridge passes the metrics on, and nothing else of the admin socket")
    func bridge() throws {
        let site = try Site()
        let port = try FreePort.number()
        try ShippedFiles("prometheus", ["metrics-bridge.conf"], into: "", site.scratch).write([
            .init(line: "daemon off;", change: "daemon off;\nmaster_process off;"),
            .init(line: "127.0.0.1:9464;", change: "127.0.0.1:\(port);"),
            .init(line: "/run/tokenbroker-admin/admin.sock", change: site.broker.adminSocket),
            .init(line: "/run/tokenbroker-metrics/", change: site.scratch.path("")),
        ])
        let nginx = try RunningProcess(
            Installed.nginx.rawValue,
            ["-e", "stderr", "-c", site.scratch.path("metrics-bridge.conf")]
        )
        do {
            try Deadline.until("nginx listens") { (try? Connection(port: port)) != nil }
        } catch {
            throw HarnessError("\(error)\n\(nginx.errors.text)")
        }
        func ask(_ method: HTTPMethod, _ target: String) throws -> Answer {
            try Connection(port: port).exchange(method, target, headers: [("Origin", "http://example.com")])
        }
        let metrics = try ask(.get, "/metrics?x=y")
        #expect(metrics.status == 200)
        #expect(metrics.headers.first("Content-Type")?.hasPrefix("application/openmetrics-text") == true)
        #expect(String(decoding: metrics.body, as: UTF8.self).hasSuffix("# EOF\n"))
        for target in ["/", "/v1/status", "/metrics/", "/metrics/../v1/status", "/healthz", "/%2e/v1/status"] {
            #expect(try ask(.get, target).status == 404, "\(target)")
        }
        #expect(try ask(.post, "/metrics").status == 403)
        #expect(try ask(.post, "/v1/reload").status == 404)
        #expect(!site.broker.log.text.contains("Configuration reloaded"))
    }
}
