internal import HTTPWire
internal import JSON

/// A device policy in a file, on its way to the broker.
struct DevicePolicyFile {
    static let target = "/v1/device-policy"

    private let bytes: [UInt8]
    private let policy: JSONValue

    /// - Parameter path: of the file; `-` for standard input.
    init(_ path: String, _ surroundings: Surroundings) throws(CommandFailure) {
        bytes = path == "-" ? try surroundings.readInput() : try InputFile.contents(path)
        do throws(JSONError) {
            policy = try JSONValue(parsing: bytes)
        } catch {
            throw .usage("'\(path)' is not JSON: \(error)")
        }
        guard policy.object != nil else { throw .usage("'\(path)' is not a JSON object") }
    }

    /// Sets what the file says, at the revision that it names, or else at the one that is there now.
    func set(by broker: Broker) throws(CommandFailure) -> Report {
        var revision = policy["revision"]
        if revision == nil { revision = try Self.read(by: broker)["revision"] }
        let outcome = try Self.change(.put, at: revision, body: bytes, by: broker)
        if let policy = outcome.policy { return .text(["policy set, \(Self.revision(policy))"]) }
        let now = try Self.read(by: broker)
        let hint = policy["revision"] == nil ? [] : ["without its 'revision' the file is taken whatever is set now"]
        return Self.report(
            PolicyLines(now, like: policy).difference(to: PolicyLines(policy), signs: ("now", "in the file")),
            notes: outcome.refusal + hint
        )
    }

    static func reset(by broker: Broker) throws(CommandFailure) -> Report {
        let before = try read(by: broker)
        let outcome = try change(.delete, at: before["revision"], by: broker)
        if let policy = outcome.policy { return .text(["policy is the configuration file's, \(revision(policy))"]) }
        let now = try read(by: broker)
        return report(
            PolicyLines(now).difference(to: PolicyLines(before), signs: ("now", "a moment ago")),
            notes: outcome.refusal
        )
    }

    private static func read(by broker: Broker) throws(CommandFailure) -> JSONValue {
        try broker.ask(target)
    }

    /// - Returns: the policy as it is then; or the broker's words where somebody else was faster.
    private static func change(
        _ method: HTTPMethod,
        at revision: JSONValue?,
        body: [UInt8] = [],
        by broker: Broker
    ) throws(CommandFailure) -> (policy: JSONValue?, refusal: [String]) {
        guard let revision = revision?.number?.int64 else { throw .usage("the policy's revision is not a number") }
        do throws(CommandFailure) {
            return (try broker.ask(target, method, headers: [("If-Match", "\"\(revision)\"")], body: body), [])
        } catch {
            guard error.problem?.code == "precondition_failed" else { throw error }
            return (nil, Report(failure: error).notes)
        }
    }

    private static func revision(_ policy: JSONValue) -> String {
        "revision \(policy["revision"]?.scalarText ?? "-")"
    }

    private static func report(_ difference: [String], notes: [String]) -> Report {
        var report = Report.text(difference, notes: notes)
        report.status = .refusedByBroker
        return report
    }
}
