import Glibc
import HTTPWire
import JSON

/// `tokenbrokerd`, serving from a scratch directory.
final class BrokerProcess {
    let scratch: Scratch
    let process: RunningProcess

    /// Starts it and waits until it is ready.
    ///
    /// - Parameters:
    ///   - descriptors: How many files and sockets it may have open; nil: as many as the tests.
    ///   - outer: A program, with its arguments, that is to run it.
    ///   - clock: What it takes for the host's clocks; nil: those of the host.
    ///   - sockets: Where it is to listen; nil: on sockets of its own.
    init(
        _ scratch: Scratch,
        _ configuration: String,
        descriptors: Int? = nil,
        by outer: [String] = [],
        clock: HostClock? = nil,
        on sockets: PassedSockets? = nil,
        environment: [String] = []
    ) throws {
        self.scratch = scratch
        try scratch.write(Self.configurationName, configuration)
        process = try Self.start(
            scratch,
            descriptors: descriptors,
            by: outer,
            clock: clock,
            on: sockets,
            environment: environment
        )
        try log.line(with: "notice Ready")
    }

    static let configurationName = "tokenbroker.yaml"

    /// Starts one more on the same configuration, whatever becomes of it.
    static func start(
        _ scratch: Scratch,
        descriptors: Int? = nil,
        by outer: [String] = [],
        clock: HostClock? = nil,
        on sockets: PassedSockets? = nil,
        environment: [String] = []
    ) throws -> RunningProcess {
        try RunningProcess(
            "tokenbrokerd",
            ["--config", scratch.path(configurationName)],
            by: outer + (sockets == nil ? [] : PassedSockets.launcher),
            descriptors: descriptors,
            passing: sockets?.descriptors ?? [],
            environment: (clock?.environment ?? []) + (sockets?.environment ?? []) + environment
        )
    }

    /// What it logs.
    var log: Capture { process.errors }

    var appsSocket: String { scratch.path("run/apps.sock") }
    var adminSocket: String { scratch.path("admin/admin.sock") }

    func connect() throws -> Connection { try Connection(unix: appsSocket) }

    // MARK: The apps socket

    func get(_ target: String, _ headers: (String, String)...) throws -> Answer {
        try connect().exchange(.get, target, headers: headers)
    }

    /// Fetches a token.
    func fetch(_ name: String, _ headers: (String, String)...) throws -> Answer {
        try connect().exchange(.get, "/v1/tokens/\(name)", headers: headers)
    }

    // MARK: The admin socket

    func admin(
        _ method: HTTPMethod,
        _ target: String,
        headers: [(String, String)] = [],
        host: String = "localhost"
    ) throws -> Answer {
        try Connection(unix: adminSocket).exchange(method, target, headers: headers, host: host)
    }

    func status() throws -> JSONValue {
        let answer = try admin(.get, "/v1/status")
        guard answer.status == 200 else { throw HarnessError("status: \(answer.json)") }
        return answer.json
    }

    /// What status says about one token.
    func status(of token: String) throws -> JSONValue {
        guard let status = try status()["tokens"]?.array?.first(where: { $0["name"]?.string == token }) else {
            throw HarnessError("no status of \(token)")
        }
        return status
    }

    // MARK: Its configuration

    func rewrite(_ configuration: String) throws {
        try scratch.write(Self.configurationName, configuration)
    }
}

extension BrokerProcess {
    /// The processor time it has used.
    var processorTime: Duration {
        get throws {
            // The fields behind the program's name, which may hold anything (proc(5), /proc/pid/stat).
            let fields = try Files.text("/proc/\(process.pid)/stat").split(separator: ")").last?.split(separator: " ")
            guard let fields, let user = Int(fields[11]), let system = Int(fields[12]) else {
                throw HarnessError("no processor time")
            }
            return .seconds(Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
        }
    }

    /// How much of its memory is in use.
    var residentBytes: Int {
        get throws {
            let fields = try Files.text("/proc/\(process.pid)/statm").split(separator: " ")
            guard fields.count > 1, let pages = Int(fields[1]) else { throw HarnessError("no size") }
            return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
    }

    var threads: Int {
        get throws {
            let line = try Files.text("/proc/\(process.pid)/status").split(separator: "\n").first {
                $0.hasPrefix("Threads:")
            }
            guard let count = line?.split(whereSeparator: \.isWhitespace).last.flatMap({ Int($0) }) else {
                throw HarnessError("no number of threads")
            }
            return count
        }
    }

    /// How often a thread has waited for something to do (proc(5), /proc/pid/task/tid/status).
    func waits(ofThread name: String) throws -> Int {
        let folder = "/proc/\(process.pid)/task"
        for thread in try Files.names(folder) where Int(thread) != nil {
            let lines = try Files.text("\(folder)/\(thread)/status").split(separator: "\n").map {
                $0.split(whereSeparator: \.isWhitespace)
            }
            guard lines.contains(["Name:", Substring(name)]) else { continue }
            let count = lines.first { $0.first == "voluntary_ctxt_switches:" }?.last.flatMap { Int($0) }
            if let count { return count }
        }
        throw HarnessError("no thread \(name)")
    }

    /// How many files and sockets it has open; nil where that is root's alone to see.
    var openDescriptors: Int? {
        get throws {
            guard geteuid() == 0 else { return nil }
            guard let directory = opendir("/proc/\(process.pid)/fd") else { throw HarnessError.system("opendir") }
            defer { closedir(directory) }
            var count = 0
            while readdir(directory) != nil { count += 1 }
            return count
        }
    }
}
