import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("The doctor", .blocking)
struct DoctorTests {
    private struct Result {
        let ending: Int32
        let findings: [JSONValue]

        func finding(_ code: String, about text: String = "") -> JSONValue? {
            findings.first { $0["code"]?.string == code && $0["text"]?.string?.contains(text) == true }
        }

        var faults: [String] {
            findings.filter { $0["level"] == "fault" }.compactMap { $0["code"]?.string }
        }
    }

    private func doctor(_ site: Site) throws -> Result {
        let configuration = site.scratch.path(BrokerProcess.configurationName)
        let process = try RunningProcess(
            "tokenbroker",
            ["doctor", "--json", configuration],
            environment: [
                "TOKENBROKER_ADMIN_SOCKET=\(site.broker.adminSocket)", "TOKENBROKER_SOCKET=\(site.broker.appsSocket)",
            ]
        )
        let ending = try process.waitForEnd()
        let output = process.output.text
        guard let findings = (try? JSONValue(parsing: Array(output.utf8)))?.array else {
            throw HarnessError("no findings: \(output)\(process.errors.text)")
        }
        return Result(ending: ending, findings: findings)
    }

    @Test("finds no fault where all is as it should be, and sends no key to find out")
    func healthy() throws {
        let site = try Site { settings, _ in settings.addStore() }
        #expect(try site.broker.fetch("web").status == 200)
        let mints = try site.simulator.mints()
        let result = try doctor(site)
        #expect(result.ending == 0)
        #expect(result.faults == [])
        for code in ["daemon_serves", "configuration_valid", "secret_readable", "store_serves", "provider_reached"] {
            #expect(result.finding(code)?["remedy"] == .null, "\(code)")
        }
        #expect(result.findings.filter { $0["code"] == "socket_as_meant" }.count == 2)
        #expect(try site.simulator.mints() == mints)
        #expect(!site.broker.log.text.contains(SimulatorProcess.secretKey))
    }

    @Test("names each fault and the command that mends it; once it is run the fault is gone")
    func faults() throws {
        let site = try Site { settings, simulator in
            try settings.scratch.write("open", SimulatorProcess.secretKey, mode: 0o644)
            settings.addSecret("open", file: "open")
            settings.addSecret("gone", file: "gone")
            let dead = try FreePort.number()
            settings.addProvider("dead", "http://127.0.0.1:\(dead)", secret: "open")
            settings.addProvider("untrusted", simulator.secureBaseURL, secret: "gone")
        }
        let result = try doctor(site)
        #expect(result.ending == 2)
        #expect(
            result.faults.sorted() == [
                "provider_unreachable", "provider_unreachable", "secret_unusable", "secret_unusable",
            ]
        )
        #expect(result.finding("provider_unreachable", about: "dead")?["remedy"]?.string?.hasPrefix("curl ") == true)
        let untrusted = result.finding("provider_unreachable", about: "untrusted")
        #expect(untrusted?["remedy"]?.string?.hasPrefix("openssl s_client ") == true)
        for name in ["open", "gone"] {
            let remedy = try #require(result.finding("secret_unusable", about: "secret \(name)")?["remedy"]?.string)
            let shell = try RunningProcess("/bin/sh", ["-c", "echo \(SimulatorProcess.secretKey) | (\(remedy))"])
            #expect(try shell.waitForEnd() == 0)
        }
        #expect(try doctor(site).faults == ["provider_unreachable", "provider_unreachable"])
    }

    @Test("says what a reload would not take although the daemon runs")
    func configuration() throws {
        let site = try Site()
        try site.broker.rewrite(site.settings.text + "nonsense: 1\n")
        let invalid = try doctor(site)
        #expect(invalid.ending == 2)
        #expect(invalid.finding("configuration_invalid", about: "nonsense") != nil)
        #expect(try site.broker.admin(.post, "/v1/reload").status == 422)
        try site.broker.rewrite(site.settings.text)
        let mended = try doctor(site)
        #expect(mended.ending == 0)
        #expect(mended.finding("configuration_not_loaded")?["remedy"] == "tokenbroker reload")
    }

    @Test("compares the clock with the providers'")
    func clock() throws {
        let site = try Site { _, simulator in try simulator.behave(["clock_skew_seconds": 3600]) }
        #expect(try site.broker.fetch("web").status == 200)
        let result = try doctor(site)
        #expect(result.ending == 2)
        #expect(result.finding("clock_off")?["remedy"] == "timedatectl set-ntp true")
    }

    @Test("a daemon that has stopped is the first fault, and its files are looked at without it")
    func stopped() throws {
        let site = try Site()
        site.broker.process.send(SIGTERM)
        #expect(try site.broker.process.waitForEnd() == 0)
        let result = try doctor(site)
        #expect(result.ending == 2)
        #expect(result.faults == ["daemon_absent"])
        #expect(result.findings.first?["remedy"]?.string?.hasPrefix("systemctl start ") == true)
        #expect(result.finding("configuration_valid") != nil)
        #expect(result.finding("secret_readable", about: "key") != nil)
    }
}
