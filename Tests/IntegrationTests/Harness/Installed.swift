import Glibc
import Testing

/// A client of somebody else's making, where the host has it.
enum Installed: String {
    case curl = "/usr/bin/curl"
    case nginx = "/usr/sbin/nginx"
    case caddy = "/usr/bin/caddy"
    case envoy = "/usr/bin/envoy"
    case python = "/usr/bin/python3"
    case node = "/usr/bin/node"
    case go = "/usr/bin/go"
    case h2load = "/usr/bin/h2load"
    case ab = "/usr/bin/ab"

    private var package: String {
        switch self {
        case .curl: "curl"
        case .nginx: "nginx-light"
        case .caddy: "caddy"
        case .envoy: "envoy"
        case .python: "python3"
        case .node: "nodejs"
        case .go: "golang-go"
        case .h2load: "nghttp2-client"
        case .ab: "apache2-utils"
        }
    }

    var isPresent: Bool { access(rawValue, X_OK) == 0 }
    var absence: Comment { "\(rawValue) is not installed (package \(package))" }

    /// Runs it to its end.
    ///
    /// - Returns: What it printed.
    func run(_ arguments: [String]) throws -> String {
        let process = try RunningProcess(rawValue, arguments)
        let ending = try process.waitForEnd()
        guard ending == 0 else {
            throw HarnessError("\(rawValue) ended with \(ending):\n\(process.output.text)\(process.errors.text)")
        }
        return process.output.text
    }
}

extension Trait where Self == ConditionTrait {
    static func with(_ program: Installed) -> ConditionTrait {
        .enabled(if: program.isPresent, program.absence)
    }
}
