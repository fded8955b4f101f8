internal import EventLoop
internal import Glibc
internal import JSON

/// The program `tokenbroker-simulator`.
public enum SimulatorProgram {
    private static let version = "0.1.0"

    // sysexits.h
    private static let usage: Int32 = 64
    private static let software: Int32 = 70

    /// Runs until SIGTERM or SIGINT.
    ///
    /// - Parameter arguments: Without the program's name.
    /// - Returns: The exit status: 0 ended by a signal, 64 usage, 70 anything else.
    public static func run(_ arguments: [String]) -> Int32 {
        do throws(SimulatorError) {
            switch try SimulatorCommand(parsing: arguments) {
            case .help: say(HelpText.text, to: STDOUT_FILENO)
            case .version: say("tokenbroker-simulator \(version)\n", to: STDOUT_FILENO)
            case .run(let options, let files): return run(options, files)
            }
            return 0
        } catch {
            say("tokenbroker-simulator: \(error); see --help\n", to: STDERR_FILENO)
            return usage
        }
    }

    private static func run(_ options: SimulatorOptions, _ files: SimulatorCommand.Files) -> Int32 {
        do {
            let signals = try SignalSource([.terminate, .interrupt])
            let loop = try EventLoop()
            let site = try Site(options, on: loop)
            try signals.deliver(on: loop) { [unowned loop] _ in loop.stop() }
            if let path = files.authority { try writeFile(path, Array(site.authorityPEM.utf8)) }
            if let path = files.deviceRoot { try writeFile(path, Array(site.deviceRootPEM.utf8)) }
            announce(site, options)
            if let path = files.ready { try writeFile(path, ready(site, files).serialized(pretty: true)) }
            loop.run()
            site.server.close()
            return 0
        } catch {
            say("tokenbroker-simulator: \(error)\n", to: STDERR_FILENO)
            return software
        }
    }

    /// One line a listener, and the key that works where none was given.
    private static func announce(_ site: Site, _ options: SimulatorOptions) {
        say("http on 127.0.0.1:\(site.httpPort)\n", to: STDOUT_FILENO)
        say("https on 127.0.0.1:\(site.httpsPort)\n", to: STDOUT_FILENO)
        if options.keys == [SimulatorOptions.demoSecretKey] {
            say("secret key \(SimulatorOptions.demoSecretKey)\n", to: STDOUT_FILENO)
        }
    }

    private static func ready(_ site: Site, _ files: SimulatorCommand.Files) -> JSONValue {
        var baseURLs = JSONObject()
        for provider in site.providers {
            baseURLs[provider] = [
                "http": .string(site.baseURL(of: provider, secure: false)),
                "https": .string(site.baseURL(of: provider, secure: true)),
            ]
        }
        return [
            "pid": .number(JSONNumber(Int64(getpid()))),
            "http_port": .number(JSONNumber(Int64(site.httpPort))),
            "https_port": .number(JSONNumber(Int64(site.httpsPort))),
            "ca_file": files.authority.map(JSONValue.string) ?? .null,
            "device_root_file": files.deviceRoot.map(JSONValue.string) ?? .null,
            "base_urls": .object(baseURLs),
        ]
    }

    /// Written at once: a reader at the other end of a pipe waits for these lines.
    private static func say(_ text: String, to descriptor: Int32) {
        _ = write(descriptor, text, text.utf8.count)
    }
}
