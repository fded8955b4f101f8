internal import HTTPWire
internal import TokenBroker

/// The answer to `GET /metrics`.
///
/// Labels are names from the configuration and words of the broker's own. Users of tokens are not told apart: there can
/// be a hundred thousand of them, and who they are is nobody's business here.
struct MetricsReport {
    let broker: Broker
    let facts: DaemonFacts
    let sockets: [SocketMetrics]
    let mints: MintCounters
    let policy: DevicePolicyInForce
    let verdicts: DeviceVerdictCounters
    let secrets: [SecretReport]

    func response(at now: Moment) -> HTTPResponse {
        HTTPResponse(status: 200, headers: [Self.type, .noStore], body: text(at: now))
    }

    private static let type = HeaderField(
        constant: "Content-Type",
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    )

    private func text(at now: Moment) -> [UInt8] {
        let tokens = broker.status()
        var text = MetricsText()
        writeProcess(&text, tokens)
        writeStore(&text)
        writeMints(&text, tokens)
        writeTokens(&text, tokens, at: now)
        writeStates(&text, tokens)
        writeSecrets(&text)
        writeProviders(&text, tokens)
        writeDevices(&text)
        writeSockets(&text)
        return text.document
    }

    private func writeProcess(_ text: inout MetricsText, _ tokens: [TokenStatus]) {
        text.family("tokenbroker_build", .info, "The version that runs.")
        text.sample(["version": facts.version], MetricValue(1))
        text.family("tokenbroker_process_start_time_seconds", .gauge, unit: "seconds", "When the process started.")
        text.sample(MetricValue(milliseconds: facts.startedAt.milliseconds))
        text.family("tokenbroker_ready", .gauge, "Whether the broker is ready, as /readyz has it.")
        text.sample(MetricValue(tokens.areReady && facts.deviceObstacle() == nil))
        text.family(
            "tokenbroker_configuration_loaded_timestamp_seconds",
            .gauge,
            unit: "seconds",
            "When the configuration in force was read."
        )
        text.sample(MetricValue(milliseconds: facts.configurationLoadedAt.milliseconds))
        text.family("tokenbroker_configuration_refused", .gauge, "Whether the last reload was not taken.")
        text.sample(MetricValue(!facts.reloadProblems.isEmpty))
    }

    private func writeStore(_ text: inout MetricsText) {
        let health = facts.storeHealth()
        text.family("tokenbroker_store_failing", .gauge, "Whether the store fails; nothing where there is none.")
        if let health { text.sample(MetricValue(health.isFailing)) }
        text.family("tokenbroker_store_unreadable_rows", .gauge, "Rows of the store that do not decrypt.")
        if let health { text.sample(MetricValue(health.unreadableRows)) }
        text.family("tokenbroker_audit_gap_rows", .counter, "Times in which events went to the journal alone.")
        if let audit = facts.auditHealth() { text.sample(MetricValue(audit.gaps)) }
    }

    private func writeMints(_ text: inout MetricsText, _ tokens: [TokenStatus]) {
        text.family("tokenbroker_mints", .counter, "Mints that ended: success, no_progress or the error's code.")
        for token in tokens {
            for (outcome, count) in mints.counts(of: token.definition.name) {
                text.sample(["token": token.label, "outcome": outcome], MetricValue(count))
            }
        }
    }

    private func writeTokens(_ text: inout MetricsText, _ tokens: [TokenStatus], at now: Moment) {
        text.family("tokenbroker_token_servable", .gauge, "Whether a token is held that can be served now.")
        for token in tokens { text.sample(["token": token.label], MetricValue(token.isServable)) }
        text.family(
            "tokenbroker_token_expiry_timestamp_seconds",
            .gauge,
            unit: "seconds",
            "When the token that is held ends; nothing where none is."
        )
        for token in tokens {
            guard let current = token.current, !current.isEndless, current.condition(at: now) != .dead else { continue }
            let expiry = current.expiry(onHostClockAt: now)
            text.sample(["token": token.label], MetricValue(milliseconds: expiry.milliseconds))
        }
        text.family(
            "tokenbroker_token_refresh_due_seconds",
            .gauge,
            unit: "seconds",
            "How long until the next attempt, below zero when it is late; nothing where none is wanted or one is under way."
        )
        for token in tokens {
            guard let attempt = token.nextAttempt else { continue }
            let left = attempt.since(now.boot).saturatedNanoseconds
            text.sample(["token": token.label], MetricValue(nanoseconds: left))
        }
        text.family("tokenbroker_token_failures_in_a_row", .gauge, "Mints that failed since the last success.")
        for token in tokens { text.sample(["token": token.label], MetricValue(token.failuresInARow)) }
    }

    private func writeStates(_ text: inout MetricsText, _ tokens: [TokenStatus]) {
        text.family("tokenbroker_token_failing", .gauge, "1 while the last mint failed, with the error's code.")
        for token in tokens {
            guard token.failuresInARow > 0, let failure = token.lastFailure?.failure else { continue }
            text.sample(["token": token.label, "code": failure.failureClass.code], MetricValue(1))
        }
        text.family("tokenbroker_token_state", .stateset, "The state of the token, as the status has it.")
        for token in tokens {
            for state in TokenStatus.State.allCases {
                let labels: MetricsText.Labels = ["token": token.label, "tokenbroker_token_state": state.rawValue]
                text.sample(labels, MetricValue(state == token.state))
            }
        }
    }

    private func writeSecrets(_ text: inout MetricsText) {
        text.family("tokenbroker_secret_version", .gauge, "The secret's newest version in each state that has one.")
        for secret in secrets {
            for state in SecretVersion.State.allCases where state != .retired {
                guard let version = secret.versions.last(where: { $0.state == state }) else { continue }
                text.sample(["secret": secret.label, "state": state.rawValue], MetricValue(version.number.number))
            }
        }
        text.family(
            "tokenbroker_secret_candidate_refused",
            .gauge,
            "Whether the value that was to come next was refused by a provider, or taken back."
        )
        for secret in secrets {
            text.sample(["secret": secret.label], MetricValue(secret.candidate?.refusal != nil))
        }
        text.family("tokenbroker_secret_unreadable", .gauge, "Whether the secret's source gives no value.")
        for secret in secrets { text.sample(["secret": secret.label], MetricValue(secret.problem != nil)) }
        text.family(
            "tokenbroker_secret_key_unrevoked",
            .gauge,
            "Whether a key that nothing uses any more could not be revoked at its provider yet."
        )
        for secret in secrets { text.sample(["secret": secret.label], MetricValue(secret.unrevoked != nil)) }
    }

    private func writeProviders(_ text: inout MetricsText, _ tokens: [TokenStatus]) {
        let activity = broker.activity
        text.family("tokenbroker_mints_under_way", .gauge, "Mints that have begun, by what they wait for.")
        for (provider, mints) in activity.mints.sorted(by: { $0.key < $1.key }) {
            text.sample(["provider": provider.text, "stage": "running"], MetricValue(mints.running))
            text.sample(["provider": provider.text, "stage": "queued"], MetricValue(mints.queued))
        }
        text.family("tokenbroker_waiters", .gauge, "Callers that wait for a mint or for the next generation.")
        text.sample(MetricValue(activity.waiters))
        text.family(
            "tokenbroker_clock_skew_seconds",
            .gauge,
            unit: "seconds",
            "How far the host's clock is behind the provider's, by its last answer; nothing where it did not tell."
        )
        let skews = tokens.reduce(into: [:]) { $0[$1.definition.provider] = $1.clockSkew }
        for (provider, skew) in skews.sorted(by: { $0.key < $1.key }) {
            text.sample(["provider": provider.text], MetricValue(nanoseconds: skew.saturatedNanoseconds))
        }
    }

    private func writeDevices(_ text: inout MetricsText) {
        let routes = policy.routes.sorted { $0.key < $1.key }
        text.family("tokenbroker_device_policy_unreadable", .gauge, "Whether it is not known what operators have set.")
        text.sample(MetricValue(policy.source == .unreadable))
        text.family("tokenbroker_device_mode", .stateset, "How strict the route's device gate is.")
        for (name, route) in routes {
            for mode in DeviceMode.allCases {
                let labels: MetricsText.Labels = ["route": name.text, "tokenbroker_device_mode": mode.rawValue]
                text.sample(labels, MetricValue(mode == route.mode))
            }
        }
        text.family(
            "tokenbroker_device_verdicts",
            .counter,
            "Requests at a route's device gate: enforce turns away, or would, all but the verified."
        )
        for (name, _) in routes {
            for (verdict, count) in verdicts.counts(of: name) {
                text.sample(["route": name.text, "verdict": verdict.rawValue], MetricValue(count))
            }
        }
    }

    private func writeSockets(_ text: inout MetricsText) {
        text.family("tokenbroker_connections", .gauge, "Connections that are open.")
        for socket in sockets { text.sample(["socket": socket.label], MetricValue(socket.connections)) }
        text.family("tokenbroker_http_requests", .counter, "Requests that ended; 499 is a caller that hung up first.")
        for socket in sockets {
            for (endpoint, code, count) in socket.counts {
                let labels: MetricsText.Labels = [
                    "socket": socket.label, "endpoint": endpoint.label, "code": code.label,
                ]
                text.sample(labels, MetricValue(count))
            }
        }
        text.family(
            "tokenbroker_http_request_duration_seconds",
            .histogram,
            unit: "seconds",
            "From the turn of the loop that read the request to the one that answered it: a hit takes none."
        )
        for socket in sockets {
            for (endpoint, histogram) in socket.latencies {
                text.sample(["socket": socket.label, "endpoint": endpoint.label], histogram)
            }
        }
    }
}

extension StoreHealth {
    var isFailing: Bool {
        if case .failing = state { true } else { false }
    }
}

extension SecretReport {
    fileprivate var label: String { definition.name.text }
}

extension SocketMetrics {
    fileprivate var label: String { "\(socket)" }
}

extension TokenStatus {
    fileprivate var label: String { definition.name.text }
}

extension [TokenStatus] {
    /// Whether every token that is kept ahead can be served.
    var areReady: Bool {
        allSatisfy { $0.definition.refresh == .onDemand || $0.isServable }
    }
}
