internal import Configuration

extension Finding {
    /// The command that mends it or, where the cause is elsewhere, that shows it; nil where nothing is to be done.
    var remedy: String? {
        switch self {
        case .daemonServes, .configurationValid, .secretReadable, .storeServes, .storeAbsent, .providerReached,
            .clockAgrees, .confined, .socketAsMeant:
            nil
        case .daemonAbsent: "systemctl start \(Installation.socketUnit) \(Installation.serviceUnit)"
        case .daemonOfAnotherVersion: "systemctl restart \(Installation.serviceUnit)"
        case .daemonSaysLittle: "\(Installation.program) status"
        case .seenWithoutRoot: "sudo \(Installation.program) doctor"
        case .configurationInvalid(let path, let problem):
            Self.lastCommand(in: problem) ?? "sudoedit \(ShellWord(path))"
        case .configurationDoubtful(let path, _): "sudoedit \(ShellWord(path))"
        case .configurationNotLoaded: "\(Installation.program) reload"
        case .secretUnusable(_, _, let remedy): remedy
        case .storeFails, .storeRowsUnreadable, .gatesClosed(_, storeServes: false):
            "journalctl --unit=\(Installation.serviceUnit) --grep=store"
        case .storeSetAside(let path): "rm \(ShellWord(path))*"
        case .memoryUnlocked: Self.dropIn("LimitMEMLOCK=256M")
        case .gatesClosed: "\(Installation.program) device policy set --reset"
        // A key that is refused is replaced where the list says that it comes from.
        case .tokenWaitsForSomebody(_, "secret_rejected", _), .tokenWaitsForSomebody(_, "session_lost", _),
            .secretValueRefused:
            "\(Installation.program) secret list"
        case .tokenWaitsForSomebody(let name, _, _), .tokenFailsForNow(let name, _, _):
            "\(Installation.program) token refresh \(name)"
        case .providerUnreachable(_, let origin, let code, _): Self.look(at: origin, code)
        case .clockOff: "timedatectl set-ntp true"
        case .runsAsRoot: Self.dropIn("User=tokenbroker")
        case .confinementMissing: "systemd-analyze security \(Installation.serviceUnit)"
        case .filesScarce(_, let connections): Self.dropIn("LimitNOFILE=\(connections * 2)")
        case .callersUnseen: Self.dropIn("PrivateUsers=no")
        case .processesUnseen: Self.dropIn("ProtectProc=default")
        case .bootUnseen: Self.dropIn("ProcSubset=all")
        case .socketSilent: "systemctl restart \(Installation.socketUnit)"
        case .socketTooNarrow(_, _, _, let remedy), .socketTooWide(_, _, let remedy): remedy
        case .userShutOut(_, nil, let path): "sudoedit \(ShellWord(path))  # operators: [{ group: … }]"
        case .userShutOut(let user, let group?, _): "usermod --append --groups \(group) \(user)"
        }
    }

    private static func dropIn(_ line: String) -> String {
        "systemctl edit \(Installation.serviceUnit)  # [Service] \(line)"
    }

    /// What shows the failure as the daemon's host has it.
    private static func look(at origin: String, _ code: String) -> String {
        let authority = origin.firstRange(of: "://").map { String(origin[$0.upperBound...]) } ?? origin
        // An IPv6 address has colons of its own, in brackets.
        let hostEnd = authority.firstIndex(of: "]").map(authority.index(after:)) ?? authority.firstIndex(of: ":")
        let host = String(authority[..<(hostEnd ?? authority.endIndex)])
        switch code {
        case "could_not_resolve": return "getent ahosts \(host)"
        case "tls_untrusted":
            let hasPort = authority.count > host.count
            let address = hasPort ? authority : "\(authority):443"
            return "openssl s_client -connect \(address) -showcerts </dev/null"
        default: return "curl --verbose --output /dev/null \(origin)/"
        }
    }

    /// A fault of a file's owner or mode ends with the command that mends it.
    private static func lastCommand(in problem: String) -> String? {
        guard let separator = problem.ranges(of: ": ").last else { return nil }
        let command = String(problem[separator.upperBound...])
        return ["chmod ", "chown ", "chgrp "].contains(where: command.hasPrefix) ? command : nil
    }
}
