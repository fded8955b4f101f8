internal import Configuration
internal import DeviceAttestation
internal import Digests
internal import EventLoop
internal import TokenBroker

/// The device gate of the routes, and the thread on which it verifies.
struct Devices {
    let gate: DeviceGate
    private let thread: LoopThread

    /// - Parameter path: of the configuration, for a complaint.
    init(
        _ settings: DeviceSettings,
        path: String,
        policy: any DevicePolicySource,
        store: (any Store)?,
        clock: any HostClock,
        audit: any AuditLog
    ) throws {
        let verifier = try Self.verifier(settings, path: path)
        let thread = try LoopThread(running: EventLoop(), name: "devices")
        self.thread = thread
        let ports = DeviceGate.Ports(
            policy: policy,
            store: store,
            clock: clock,
            audit: audit,
            randomBytes: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } },
            authenticationCode: { message, key in HMACSHA256.code(for: message, key: key) },
            perform: { [loop = thread.loop] work in loop.post(work) }
        )
        gate = DeviceGate(ports, verification: verifier)
    }

    /// What attestations are checked by under a configuration.
    static func verifier(_ settings: DeviceSettings, path: String) throws(ConfigurationProblems) -> DeviceVerifier {
        guard let pem = settings.rootCertificate else { return DeviceVerifier() }
        guard let root = TrustedRoot(pem: pem) else {
            let message = "devices.root_ca_file: is not a PEM file with one certificate"
            throw ConfigurationProblems([ConfigurationProblem(file: path, message: message)])
        }
        return DeviceVerifier(root: root)
    }

    func stop() {
        thread.stop()
    }
}
