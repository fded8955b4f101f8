import JSON
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("Findings of the doctor")
struct FindingTests {
    /// Every case, its level, and a part of the command that mends it.
    static let all: [(Finding, Finding.Level, String?)] = [
        (.daemonServes(version: "1", pid: "2"), .ok, nil),
        (.daemonAbsent(reason: "gone"), .fault, "systemctl start tokenbroker.socket"),
        (.daemonSaysLittle(reason: "old"), .warning, "tokenbroker status"),
        (.daemonOfAnotherVersion("0.9"), .warning, "systemctl restart tokenbroker.service"),
        (.seenWithoutRoot, .warning, "sudo tokenbroker doctor"),
        (.configurationValid(path: "/c"), .ok, nil),
        (.configurationInvalid(path: "/c", problem: "/c:1:2: x: unknown key"), .fault, "sudoedit /c"),
        (.configurationDoubtful(path: "/c d", warning: "/c d:1:1: hm"), .warning, "sudoedit '/c d'"),
        (.configurationNotLoaded(path: "/c"), .warning, "tokenbroker reload"),
        (.secretReadable(name: "s"), .ok, nil),
        (.secretUnusable(name: "s", reason: "open", remedy: "chmod o= /s"), .fault, "chmod o= /s"),
        (.storeServes, .ok, nil),
        (.storeAbsent, .ok, nil),
        (.storeFails(state: "full", reason: "no space"), .fault, "journalctl"),
        (.storeSetAside(path: "/s p"), .warning, "rm '/s p'*"),
        (.storeRowsUnreadable(count: 3), .warning, "journalctl"),
        (.memoryUnlocked(bytes: 65536), .warning, "LimitMEMLOCK=256M"),
        (.gatesClosed(reason: "lost", storeServes: true), .fault, "tokenbroker device policy set --reset"),
        (.gatesClosed(reason: "wrong key", storeServes: false), .fault, "journalctl"),
        (.secretValueRefused(name: "s", reason: "secret s: version 5 is not taken"), .warning, "secret list"),
        (.tokenWaitsForSomebody(name: "t", state: "misconfigured", reason: "no"), .fault, "token refresh t"),
        (.tokenWaitsForSomebody(name: "t", state: "session_lost", reason: "spent"), .fault, "secret list"),
        (.tokenWaitsForSomebody(name: "t", state: "secret_rejected", reason: "no"), .fault, "secret list"),
        (.tokenFailsForNow(name: "t", state: "degraded", reason: "503"), .warning, "token refresh t"),
        (.providerReached(name: "p", origin: "https://p", milliseconds: 3), .ok, nil),
        (
            .providerUnreachable(name: "p", origin: "https://p:1", code: "could_not_resolve", reason: "no name"),
            .fault, "getent ahosts p"
        ),
        (.clockAgrees(provider: "p"), .ok, nil),
        (.clockOff(provider: "p", milliseconds: -59_999), .warning, "timedatectl set-ntp true"),
        (.clockOff(provider: "p", milliseconds: 60_000), .fault, "timedatectl set-ntp true"),
        (.confined, .ok, nil),
        (.runsAsRoot, .warning, "User=tokenbroker"),
        (.confinementMissing(.systemCalls), .warning, "systemd-analyze security"),
        (.filesScarce(limit: 1024, connectionsPerUser: 16384), .warning, "LimitNOFILE=32768"),
        (.callersUnseen(["user u", "group g"]), .fault, "PrivateUsers=no"),
        (.processesUnseen, .fault, "ProtectProc=default"),
        (.bootUnseen, .warning, "ProcSubset=all"),
        (.socketAsMeant(path: "/a"), .ok, nil),
        (.socketSilent(path: "/a", reason: "refused"), .fault, "systemctl restart tokenbroker.socket"),
        (.socketTooNarrow(path: "/a", isApps: true, reason: "shut", remedy: "chmod 0666 /a"), .fault, "chmod 0666 /a"),
        (.socketTooNarrow(path: "/a", isApps: false, reason: "shut", remedy: "chgrp g /a"), .warning, "chgrp g /a"),
        (.socketTooWide(path: "/a", reason: "open", remedy: "chmod go-w /"), .fault, "chmod go-w /"),
        (.userShutOut(user: "u", group: "g", configuration: "/c"), .fault, "usermod --append --groups g u"),
        (.userShutOut(user: "u", group: nil, configuration: "/c d"), .fault, "sudoedit '/c d'  # operators: [{ group:"),
    ]

    @Test("have a level, and the command that mends it unless they are as they should be", arguments: all)
    func levelAndRemedy(_ finding: Finding, _ level: Finding.Level, _ remedy: String?) throws {
        #expect(finding.level == level)
        #expect((finding.remedy == nil) == (level == .ok))
        if let remedy { #expect(try #require(finding.remedy).contains(remedy)) }
        #expect(!finding.text.isEmpty && !finding.text.contains("\n"))
    }

    @Test("have a code each")
    func codes() {
        // Two findings are there with two levels, and three with other remedies.
        #expect(Set(Self.all.map(\.0.code)).count == Self.all.count - 6)
        #expect(Self.all.allSatisfy { $0.0.code.allSatisfy { $0 == "_" || $0.isLowercase } })
    }

    @Test(
        "of a file's owner or mode have the command that its problem ends with",
        arguments: [
            ("/c: others than its owner may write to it: chmod go-w /c", "chmod go-w /c"),
            ("/c: uid 7 owns it: chown 0 /c", "chown 0 /c"),
            ("/c:1:1: a: rm -rf /", "sudoedit /c"), ("whatever", "sudoedit /c"),
        ]
    )
    func configurationRemedy(_ problem: String, _ remedy: String) {
        #expect(Finding.configurationInvalid(path: "/c", problem: problem).remedy == remedy)
    }

    @Test(
        "of a provider that cannot be reached have the command that shows why",
        arguments: [
            ("could_not_resolve", "https://a.example:8443", "getent ahosts a.example"),
            ("could_not_resolve", "https://a.example", "getent ahosts a.example"),
            ("tls_untrusted", "https://a.example", "openssl s_client -connect a.example:443 -showcerts </dev/null"),
            ("tls_untrusted", "https://[::1]:8", "openssl s_client -connect [::1]:8 -showcerts </dev/null"),
            ("timed_out", "https://a.example", "curl --verbose --output /dev/null https://a.example/"),
        ]
    )
    func providerRemedy(_ code: String, _ origin: String, _ remedy: String) {
        #expect(Finding.providerUnreachable(name: "p", origin: origin, code: code, reason: "x").remedy == remedy)
    }

    @Test("of a secret name it once")
    func secretNamedOnce() {
        let whole = Finding.secretUnusable(name: "s", reason: "secret s: /s: is empty", remedy: "x")
        #expect(whole.text == "secret s: /s: is empty")
        #expect(Finding.secretUnusable(name: "s", reason: "is empty", remedy: "x").text == "secret s: is empty")
    }

    @Test("of a clock say which way it is off")
    func direction() {
        #expect(Finding.clockOff(provider: "p", milliseconds: 90_000).text.contains("90 s behind that of provider p"))
        #expect(
            Finding.clockOff(provider: "p", milliseconds: -90_000).text.contains("90 s ahead of that of provider p")
        )
    }

    @Test("are a line each, with the command that mends it below; a fault is the exit status 2")
    func text() {
        let report = DoctorReport([.storeServes, .storeSetAside(path: "/a\u{1B}"), .runsAsRoot]).text(usesColour: false)
        #expect(report.status == .done)
        #expect(
            String(decoding: report.output, as: UTF8.self) == """
                ok       the store is open
                warning  a store that was damaged is kept at /a\\u{1b}
                         mend: rm '/a\\u{1b}'*
                warning  the daemon runs as root
                         mend: systemctl edit tokenbroker.service  # [Service] User=tokenbroker

                """
        )
        #expect(DoctorReport([.storeServes, .daemonAbsent(reason: "x")]).text(usesColour: false).status == .faultFound)
        let coloured = DoctorReport([.storeServes]).text(usesColour: true).output
        #expect(String(decoding: coloured, as: UTF8.self) == "\u{1B}[32mok\u{1B}[0m       the store is open\n")
    }

    @Test("are a list for scripts")
    func json() throws {
        let report = DoctorReport([.storeServes, .userShutOut(user: "u", group: "g", configuration: "/c")]).json
        #expect(report.status == .faultFound)
        let list: JSONValue = [
            ["level": "ok", "code": "store_serves", "text": "the store is open", "remedy": nil],
            [
                "level": "fault", "code": "user_shut_out",
                "text": "user u, whom the configuration names, is not in group g and cannot reach the admin socket",
                "remedy": "usermod --append --groups g u",
            ],
        ]
        #expect(try JSONValue(parsing: report.output) == list)
    }
}
