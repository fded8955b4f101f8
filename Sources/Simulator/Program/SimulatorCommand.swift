/// What the program's arguments ask for.
enum SimulatorCommand: Equatable {
    case run(SimulatorOptions, Files)
    case help
    case version

    /// Where the program tells others how to reach it.
    struct Files: Equatable {
        var authority: String?
        var deviceRoot: String?
        var ready: String?
    }

    /// - Parameter arguments: Without the program's name. An option's value is the next argument, or follows a `=`.
    init(parsing arguments: [String]) throws(SimulatorError) {
        var options = SimulatorOptions()
        var keys: [String] = []
        var files = Files()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            func value() throws(SimulatorError) -> String {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
                    throw SimulatorError("\(parts[0]) needs a value")
                }
                return value
            }
            switch parts[0] {
            case "--help", "-h":
                self = .help
                return
            case "--version":
                self = .version
                return
            case "--http-port": options.httpPort = try Self.number(value(), for: parts[0])
            case "--https-port": options.httpsPort = try Self.number(value(), for: parts[0])
            case "--ca-file": files.authority = try value()
            case "--device-root-file": files.deviceRoot = try value()
            case "--ready-file": files.ready = try value()
            case "--secret-key": keys.append(try Self.key(value()))
            case "--product": options.products.append(try Self.product(value()))
            case "--lifetime": options.lifetimeSeconds = Int64(try Self.number(value(), for: parts[0]) as UInt32)
            default: throw SimulatorError("there is no option \(parts[0])")
            }
        }
        if !keys.isEmpty { options.keys = keys }
        self = .run(options, files)
    }

    private static func number<Number: FixedWidthInteger>(
        _ text: String,
        for option: String
    ) throws(SimulatorError) -> Number {
        guard let number = Number(text) else {
            throw SimulatorError("\(option) takes a number from 0 to \(Number.max)")
        }
        return number
    }

    /// The text is not repeated in the error: it may be a real key.
    private static func key(_ text: String) throws(SimulatorError) -> String {
        guard text.hasPrefix("sk_v1_") || text.hasPrefix("pk_v1_") else {
            throw SimulatorError("--secret-key takes a key that begins with sk_v1_ or pk_v1_")
        }
        return text
    }

    private static func product(_ text: String) throws(SimulatorError) -> String {
        guard text.isUUID else { throw SimulatorError("--product takes a UUID") }
        return text
    }
}
