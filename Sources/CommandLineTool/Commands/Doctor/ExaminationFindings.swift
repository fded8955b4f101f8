internal import JSON

/// What the daemon's examination of itself comes to.
struct ExaminationFindings {
    private let examination: JSONValue
    private let status: JSONValue
    private let host: HostNames

    /// - Parameter status: the daemon's status, which knows the configuration in force.
    init(_ examination: JSONValue, status: JSONValue, host: HostNames) {
        self.examination = examination
        self.status = status
        self.host = host
    }

    /// As whom the daemon runs.
    var uid: UInt32? { examination["process"]?["uid"]?.uid }

    var all: [Finding] { configuration + secrets + providers + process + unseen }

    /// The file that the daemon runs with.
    var configurationPath: String { status["configuration"]?["path"]?.string ?? Installation.configurationPath }

    private var configuration: [Finding] {
        let path = configurationPath
        let problems = examination["configuration_problems"]?.array?.compactMap(\.string) ?? []
        guard problems.isEmpty else {
            return problems.map { .configurationInvalid(path: path, problem: $0) }
        }
        // What is in doubt of the device policy is no word of this file, and a finding of its own.
        let elsewhere = status["device_policy"]?.string
        let warnings = status["warnings"]?.array?.compactMap(\.string).filter { $0 != elsewhere } ?? []
        let hasFailed = status["configuration"]?["last_error"]?.string != nil
        return [hasFailed ? .configurationNotLoaded(path: path) : .configurationValid(path: path)]
            + warnings.map { .configurationDoubtful(path: path, warning: $0) }
    }

    private var secrets: [Finding] {
        (examination["secrets"]?.array ?? []).map { secret in
            let name = secret["name"]?.scalarText ?? "-"
            guard let fault = secret["fault"], let text = fault["text"]?.string else {
                return refusal(of: name) ?? .secretReadable(name: name)
            }
            return .secretUnusable(name: name, reason: text, remedy: fault["remedy"]?.string ?? "")
        }
    }

    /// A file can be read and hold what the provider does not take.
    private func refusal(of secret: String) -> Finding? {
        let summary = status["secrets"]?.array?.first { $0["name"]?.string == secret }
        guard summary?["candidate"]?["refused"]?.bool == true, let reason = summary?["problem"]?.string else {
            return nil
        }
        return .secretValueRefused(name: secret, reason: reason)
    }

    private var providers: [Finding] {
        (examination["providers"]?.array ?? []).flatMap { provider -> [Finding] in
            let name = provider["name"]?.scalarText ?? "-"
            let origin = provider["origin"]?.scalarText ?? "-"
            if let failure = provider["failure"] {
                let code = failure["code"]?.scalarText ?? "-"
                let reason = failure["text"]?.scalarText ?? "it cannot be reached"
                return [.providerUnreachable(name: name, origin: origin, code: code, reason: reason)]
            }
            let milliseconds = provider["milliseconds"]?.number?.int64 ?? 0
            let reached = Finding.providerReached(name: name, origin: origin, milliseconds: milliseconds)
            return [reached] + clock(of: name, provider["clock_skew_ms"]?.number?.int64)
        }
    }

    /// - Parameter skew: nil where the provider told no time just now; then it is what its last token came with.
    private func clock(of provider: String, _ skew: Int64?) -> [Finding] {
        let token = status["tokens"]?.array?.first { token in
            token["provider"]?.string == provider && token["clock_skew_ms"]?.number != nil
        }
        guard let skew = skew ?? token?["clock_skew_ms"]?.number?.int64 else { return [] }
        return [
            Finding.isNoticed(skew: skew)
                ? .clockOff(provider: provider, milliseconds: skew) : .clockAgrees(provider: provider)
        ]
    }

    private var process: [Finding] {
        guard let process = examination["process"], process.object != nil else { return [] }
        let measures: [(String, Finding.Confinement)] = [
            ("may_gain_privileges", .privileges), ("may_call_everything", .systemCalls),
            ("has_capabilities", .capabilities), ("traceable", .tracing),
        ]
        var findings = measures.filter { process[$0.0]?.bool == true }.map { Finding.confinementMissing($0.1) }
        if findings.isEmpty { findings = [.confined] }
        if uid == 0 { findings.append(.runsAsRoot) }
        if let limit = process["open_files"]?.number?.int64,
            let connections = examination["connections_per_uid"]?.number?.int64, limit <= connections
        {
            findings.append(.filesScarce(limit: limit, connectionsPerUser: connections))
        }
        return findings
    }

    private var unseen: [Finding] {
        guard let unseen = examination["unseen"] else { return [] }
        let users = unseen["users"]?.array?.compactMap(\.uid).map { "user \(host.user($0))" } ?? []
        let groups = unseen["groups"]?.array?.compactMap(\.uid).map { "group \(host.group($0))" } ?? []
        let callers = users + groups
        var findings: [Finding] = callers.isEmpty ? [] : [.callersUnseen(callers)]
        if unseen["processes"]?.bool == true { findings.append(.processesUnseen) }
        if unseen["boot"]?.bool == true { findings.append(.bootUnseen) }
        return findings
    }
}
