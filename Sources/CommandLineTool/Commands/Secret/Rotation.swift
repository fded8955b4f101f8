internal import JSON
internal import TokenBroker

/// Takes a new value of a secret from being given to being in force.
struct Rotation: Equatable, Sendable {
    /// Where the new value comes from.
    enum Origin: Equatable, Sendable {
        case given(Secret)
        /// The provider makes it.
        case created
    }

    let request: SecretRequest
    let origin: Origin

    /// What it does to the world; tests put their own in.
    struct Ports {
        /// Tells people how it goes, on standard error.
        let tell: (String) -> Void
        let pause: (Duration) -> Void
        /// Since the rotation began.
        let elapsed: () -> Duration
    }

    /// For how long a provider that cannot be reached is tried again.
    private static let patience = Duration.seconds(60)
    private static let shortestPause = Duration.seconds(2)
    private static let longestPause = Duration.seconds(15)

    /// - Returns: how to end.
    func rotate(_ ports: Ports) -> Report {
        do throws(CommandFailure) {
            let answer = try begin(ports)
            let staged = SecretNews(answer, now: request.now)
            guard !staged.isInForce else { return request.report(answer) }
            tell("\(staged.title) is staged", ports)
            try prove(staged, ports)
            tell("\(staged.title) is verified", ports)
            return request.report(try put(staged))
        } catch {
            return Report(failure: error)
        }
    }

    private func tell(_ text: String, _ ports: Ports) {
        ports.tell("\(request.name): \(text)")
    }

    /// Where the provider makes the value, that is asked for once: a second time could make a second key.
    private func begin(_ ports: Ports) throws(CommandFailure) -> JSONValue {
        switch origin {
        case .given(let value): return try request.stage(value)
        case .created:
            // Whether there is such a secret is not known yet.
            ports.tell("\(Quotation.bare(request.name)): asking the provider to make a key")
            return try request.ask(.create)
        }
    }

    private func prove(_ staged: SecretNews, _ ports: Ports) throws(CommandFailure) {
        tell("asking the provider whether it takes \(staged.title)", ports)
        var pause = Self.shortestPause
        while true {
            let proven: JSONValue
            do throws(CommandFailure) {
                proven = try request.ask(.verify)
            } catch {
                let length = max(pause, .seconds(error.problem?.retryAfter ?? 0))
                guard error.mayPass, ports.elapsed() + length < Self.patience else {
                    throw error.adding(consequence(of: error, staged))
                }
                tell("\(error.lines[0]); trying again in \(length.components.seconds) s", ports)
                ports.pause(length)
                pause = min(pause * 2, Self.longestPause)
                continue
            }
            let other = SecretNews(proven, now: request.now)
            guard other.number == staged.number else {
                // Somebody else's, which is theirs to put into force.
                let reason = "\(staged.title) was replaced meanwhile by \(other.title), which is verified now"
                throw CommandFailure(.refusedByBroker, [reason, overtaken(staged)])
            }
            return
        }
    }

    private func put(_ staged: SecretNews) throws(CommandFailure) -> JSONValue {
        do throws(CommandFailure) {
            return try request.ask(.promote)
        } catch {
            let next = "\(staged.title) stays verified; go on with: \(command("promote"))"
            throw error.adding(error.isConflict ? overtaken(staged) : next)
        }
    }

    private func consequence(of failure: CommandFailure, _ staged: SecretNews) -> String {
        let inForce = staged.active.map { "version \($0) stays in force" } ?? "there is no value in force"
        if failure.isRefusal {
            let created = origin == .created ? " The key that was made is revoked at the provider by itself." : ""
            return "Nothing changed: \(inForce).\(created)"
        }
        if failure.isConflict { return overtaken(staged) }
        let next = "\(command("verify")) && \(command("promote"))"
        return "\(staged.title) stays staged, and \(inForce). Go on with: \(next)"
    }

    /// Of a value that is no candidate any more: nothing can be said of what is one, or is in force, but where to look.
    private func overtaken(_ staged: SecretNews) -> String {
        "\(staged.title) did not come into force; what is: \(Installation.program) secret list"
    }

    private func command(_ step: String) -> String {
        "\(Installation.program) secret \(step) \(request.name)"
    }
}

extension CommandFailure {
    /// Whether the provider looked at the value and does not take it.
    fileprivate var isRefusal: Bool {
        ["provider_rejected_secret", "session_lost"].contains(problem?.code)
    }

    /// Whether the value is not the candidate any more, or not one that may take the step.
    fileprivate var isConflict: Bool { problem?.code == "conflict" }

    /// Whether the same may succeed in a moment.
    fileprivate var mayPass: Bool {
        ["provider_unavailable", "provider_rate_limited", "deadline_exceeded"].contains(problem?.code)
    }

    fileprivate func adding(_ line: String) -> CommandFailure {
        CommandFailure(status, lines + [line], problem: problem)
    }
}
