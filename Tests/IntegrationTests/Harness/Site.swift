/// A simulator and a broker that mints from it, in a directory of their own.
struct Site {
    let scratch: Scratch
    let simulator: SimulatorProcess
    let broker: BrokerProcess
    var settings: Settings

    /// - Parameters:
    ///   - options: Of the one token, `web`.
    ///   - lifetime: Of what the simulator mints, in seconds.
    ///   - descriptors: How many files and sockets the broker may have open; nil: as many as the tests.
    ///   - prepare: Changes the settings, and the simulator's behaviour, before the broker starts.
    init(
        _ options: String = "",
        lifetime: Int = 3600,
        descriptors: Int? = nil,
        _ prepare: (inout Settings, SimulatorProcess) throws -> Void = { _, _ in }
    ) throws {
        scratch = try Scratch()
        simulator = try SimulatorProcess(scratch, lifetime: lifetime)
        settings = try Settings(scratch, simulator, options: options)
        try prepare(&settings, simulator)
        broker = try BrokerProcess(scratch, settings.text, descriptors: descriptors)
    }

    static let onDemand = "refresh: on-demand"
}
