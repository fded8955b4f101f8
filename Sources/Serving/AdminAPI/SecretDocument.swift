internal import JSON
internal import TokenBroker

/// What operators read of one secret; never a value.
struct SecretDocument {
    /// Enough of a fingerprint to tell two values apart, and too little to find one by.
    private static let shownOfFingerprint = 4

    private let report: SecretReport

    init(_ report: SecretReport) {
        self.report = report
    }

    /// With everything there is, for `GET /v1/secrets`. What there is nothing to say of is left out.
    func json(at now: Moment) -> JSONObject {
        var document: JSONObject = ["name": .string(report.definition.name.text)]
        switch report.definition.source {
        case .file(let path):
            document["source"] = "file"
            document["path"] = .string(path)
        case .credential(let name):
            document["source"] = "credential"
            document["credential"] = .string(name)
        case .managed: document["source"] = "managed"
        }
        document["drain_seconds"] = report.definition.drain.map { .number(JSONNumber($0.wholeSeconds)) }
        document["tokens"] = .array(report.tokens.map { .string($0.text) })
        if !report.credentials.isEmpty {
            document["credential_of"] = .array(report.credentials.map { .string($0.text) })
        }
        document["versions"] = .array(report.versions.map { .object(json(of: $0, at: now)) })
        document["problem"] = report.problem.map { .string($0.description) }
        document["trial"] = report.trial.map { trial in
            .object(Self.attempts(trial.attempts, trial.nextAttempt, trial.lastFailure, at: now))
        }
        document["kept"] = .bool(report.isKept)
        return document
    }

    private func json(of version: SecretVersion, at now: Moment) -> JSONObject {
        var document: JSONObject = [
            "version": .number(JSONNumber(version.number.number)),
            "state": .string(version.state.rawValue),
            "origin": .string(version.origin.rawValue),
            "fingerprint": .string(String(version.fingerprint.prefix(Self.shownOfFingerprint))),
            "given_at": .string(version.givenAt.rfc3339),
            "changed_at": .string(version.changedAt.rfc3339),
        ]
        document["retires_at"] = version.retiresAt.map { .string($0.rfc3339) }
        document["refusal"] = version.refusal.map(JSONValue.string)
        document["issued"] = version.issued.map { .object(Self.json(of: $0)) }
        if version.isOwed {
            let trial = report.revocations[version.number]
            document["revocation"] = .object(
                Self.attempts(trial?.attempts ?? 0, trial?.nextAttempt, trial?.lastFailure, at: now)
            )
        }
        return document
    }

    private static func json(of key: IssuedKey) -> JSONObject {
        var document: JSONObject = ["provider": .string(key.account.text), "name": .string(key.label)]
        document["id"] = key.id.map(JSONValue.string)
        document["revoked_at"] = key.revokedAt.map { .string($0.rfc3339) }
        return document
    }

    private static func attempts(
        _ count: Int,
        _ next: BootInstant?,
        _ failure: MintFailure?,
        at now: Moment
    ) -> JSONObject {
        var document: JSONObject = ["attempts": .number(JSONNumber(Int64(count)))]
        document["next_attempt_in"] = next.map { next in
            .number(JSONNumber(max(next.since(now.boot), .zero).wholeSecondsRoundedUp))
        }
        document["last_error"] = failure.map { failure in
            ["code": .string(failure.failureClass.code), "detail": .string(failure.detail)]
        }
        return document
    }

    /// In short, for the status.
    var summary: JSONValue {
        let candidate: JSONValue? = report.candidate.map { candidate in
            [
                "version": .number(JSONNumber(candidate.number.number)),
                "state": .string(candidate.state.rawValue),
                "refused": .bool(candidate.refusal != nil),
            ]
        }
        return [
            "name": .string(report.definition.name.text),
            "active_version": report.active.map { .number(JSONNumber($0.number.number)) } ?? nil,
            "candidate": candidate ?? nil,
            "problem": report.remark.map(JSONValue.string) ?? nil,
        ]
    }
}

extension SecretReport {
    /// What somebody should know of it, in a sentence; nil while all is well.
    var remark: String? {
        let name = definition.name
        if let problem { return problem.description }
        if let candidate, let refusal = candidate.refusal {
            let number = candidate.number.number
            return "secret \(name): version \(number) is not taken, what was in force stays: \(refusal)"
        }
        guard active != nil else {
            return "secret \(name): it has no value yet: tokenbroker secret rotate \(name) < value"
        }
        if let (version, failure) = unrevoked, let key = version.issued {
            let number = version.number.number
            return "secret \(name): version \(number) has retired, and its key \(key.text) is not revoked yet: "
                + failure.detail
        }
        guard let number = candidate?.number.number, let failure = trial?.lastFailure else { return nil }
        return "secret \(name): version \(number) cannot be proven yet: \(failure.detail)"
    }
}
