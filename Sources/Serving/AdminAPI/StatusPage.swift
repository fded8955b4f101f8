internal import HTTPWire
internal import TokenBroker

/// The answer to `GET /`: the status for a browser, an operator's phone included.
///
/// Whole in itself: no script, and nothing from elsewhere. Everything that is not written here is escaped, for what a
/// provider answers comes in it.
struct StatusPage {
    private let definition: BrokerDefinition
    private let tokens: [TokenStatus]
    private let facts: DaemonFacts
    private let secrets: [SecretReport]

    init(_ broker: Broker, _ facts: DaemonFacts, secrets: [SecretReport]) {
        definition = broker.definition
        tokens = broker.status()
        self.facts = facts
        self.secrets = secrets
    }

    func response(at now: Moment) -> HTTPResponse {
        HTTPResponse(status: 200, headers: Self.headers, body: Array(html(at: now).utf8))
    }

    private static let headers: [HeaderField] = [
        HeaderField(constant: "Content-Type", "text/html; charset=utf-8"),
        .noStore,
        HeaderField(constant: "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
        HeaderField(constant: "X-Content-Type-Options", "nosniff"),
    ]

    private static let style = """
        :root{color-scheme:light dark}body{font:1rem/1.4 system-ui,sans-serif;margin:1rem auto;max-width:50rem;\
        padding:0 1rem}h1{font-size:1.3rem}h2{font-size:1.1rem;margin:0}section{border:1px solid #8888;\
        border-left:.4rem solid #888;border-radius:.3rem;margin:.7rem 0;padding:.5rem .8rem;overflow-wrap:anywhere}\
        .ok{border-left-color:#2a2}.bad{border-left-color:#d22}.warn{border-left-color:#d90}\
        dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.1rem 1rem;margin:.3rem 0}\
        dt{opacity:.7}dd{margin:0}
        """

    private var readiness: String {
        tokens.areReady && facts.deviceObstacle() == nil ? "ready" : "not ready"
    }

    private func html(at now: Moment) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <meta http-equiv="refresh" content="5">
        <title>tokenbroker: \(readiness)</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <h1>tokenbroker \(HTMLText.escaped(facts.version)): \(readiness)</h1>
        \(daemon(at: now))\
        \(remarks)\
        \(tokens.map { section(of: $0, at: now) }.joined())\
        </body>
        </html>

        """
    }

    private func daemon(at now: Moment) -> String {
        HTMLText.list([
            ("Time", now.wall.rfc3339),
            ("Started", facts.startedAt.rfc3339),
            ("Process", String(facts.processID)),
            ("Configuration", facts.configurationPath),
            ("Loaded", facts.configurationLoadedAt.rfc3339),
            ("Store", facts.storeHealth()?.stateText ?? "-"),
        ])
    }

    /// What somebody should mend.
    private var remarks: String {
        let problems = facts.reloadProblems.map { ("bad", "Not reloaded: \($0)") }
        let warnings = facts.warnings.map { ("warn", "Warning: \($0)") }
        let devices = facts.deviceObstacle().map { [("bad", $0)] } ?? []
        let store = facts.storeHealth()?.detail.map { [("bad", "The store fails: \($0)")] } ?? []
        let keys = secrets.compactMap(\.remark).map { ("warn", $0) }
        return (problems + devices + store + keys + warnings).map { kind, text in
            "<section class=\"\(kind)\">\(HTMLText.escaped(text))</section>\n"
        }.joined()
    }

    private func section(of status: TokenStatus, at now: Moment) -> String {
        let token = status.current.flatMap { $0.condition(at: now) == .dead ? nil : $0 }
        let attempt = status.nextAttempt.map { "in \(max($0.since(now.boot), .zero).wholeSecondsRoundedUp) s" }
        let expiry = token.map { token in
            let rest = max(0, token.remaining(at: now).wholeSeconds)
            return token.isEndless ? "never" : "\(token.expiry(onHostClockAt: now).rfc3339), in \(rest) s"
        }
        let failures = status.failuresInARow > 0 ? " (\(status.failuresInARow) in a row)" : ""
        let provider = status.definition.provider
        var facts: [(String, String)] = [
            ("State", status.state.rawValue),
            ("Provider", "\(provider) (\(definition.providers[provider]?.kind ?? "-"))"),
            ("Expires", expiry ?? "-"),
            ("Next refresh", attempt ?? "-"),
            ("Mints", String(status.mints)),
            ("Failures", "\(status.failures)\(failures)"),
            ("Waiting", String(status.waiters)),
        ]
        if let users = status.users { facts.append(("End users", String(users))) }
        if let last = status.lastFailure {
            facts.append(("Last error", "\(last.failure.failureClass.code), \(last.at.wall.rfc3339)"))
            facts.append(("", last.failure.detail))
        }
        return """
            <section class="\(status.colour)">
            <h2>\(HTMLText.escaped(status.definition.name.text))</h2>
            \(HTMLText.list(facts))</section>

            """
    }
}

extension TokenStatus {
    fileprivate var colour: String {
        switch state {
        case .ready: "ok"
        case .idle, .minting, .degraded, .suspended: "warn"
        default: "bad"
        }
    }
}
