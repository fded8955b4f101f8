import Glibc
import HTTPWire
import JSON

/// A broker whose key an operator rotates, with `tokenbroker` to do it with.
final class RotationSite: SecretSite {
    static let secret = "autocomplete-sk"
    static let nextKey = "sk_v1_the_next_one"

    enum Source {
        case managed
        /// The file `secret`, which holds the first key.
        case file
    }

    let scratch: Scratch
    let simulator: SimulatorProcess
    let settings: Settings
    private(set) var broker: BrokerProcess

    /// - Parameters:
    ///   - key: What is rotated from; nil for a secret that has no value yet.
    ///   - token: The name of the token that is there before this returns.
    ///   - others: The names of more.
    ///   - lifetime: Of what the simulator mints, in seconds.
    init(
        _ source: Source = .managed,
        key: String? = SimulatorProcess.secretKey,
        token: String = "web",
        others: [String] = [],
        lifetime: Int = 3600
    ) throws {
        scratch = try Scratch()
        simulator = try SimulatorProcess(scratch, lifetime: lifetime)
        try simulator.addKey(Self.nextKey)
        var settings = Settings(scratch)
        settings.addStore()
        switch source {
        case .managed: settings.addManagedSecret(Self.secret)
        case .file: settings.addSecret(Self.secret, file: "secret")
        }
        settings.addProvider("autocomplete", simulator.baseURL, secret: Self.secret)
        for name in [token] + others { settings.addToken(name) }
        self.settings = settings
        if source == .file, let key { try scratch.write("secret", key) }
        broker = try BrokerProcess(scratch, settings.text)
        guard let key else { return }
        if source == .managed { try expect(0, run("stage \(Self.secret)", input: key)) }
        try Deadline.until("the first token") { try broker.fetch(token).status == 200 }
    }

    /// Kills the broker, and starts it again on what it left.
    func restart() throws {
        broker.process.send(SIGKILL)
        _ = try broker.process.waitForEnd()
        broker = try BrokerProcess(scratch, settings.text)
    }

    // MARK: The command line

    /// The same where anything but success ends the test.
    @discardableResult
    func succeed(_ words: String, input: String? = nil) throws -> String {
        let ended = try run(words, input: input)
        try expect(0, ended)
        return ended.output
    }

    private func expect(_ status: Int32, _ ended: EndedCommand) throws {
        guard ended.status == status else { throw HarnessError("ended with \(ended.status): \(ended.errors)") }
    }

    // MARK: What the broker says

    /// The secret as the admin socket tells it.
    func told() throws -> JSONValue {
        let secrets = try broker.admin(.get, "/v1/secrets").json["secrets"]?.array
        guard let secret = secrets?.first else { throw HarnessError("no secret") }
        return secret
    }

    /// The states of its versions, from the first on.
    func states() throws -> [String] {
        try told()["versions"]?.array?.compactMap { $0["state"]?.string } ?? []
    }

    /// What the status says of it.
    func status() throws -> JSONValue {
        guard let secret = try broker.status()["secrets"]?.array?.first else { throw HarnessError("no secret") }
        return secret
    }
}
