/// A broker whose operator uses `tokenbroker secret`.
protocol SecretSite: AnyObject {
    var scratch: Scratch { get }
    var broker: BrokerProcess { get }
}

/// What a command came to.
struct EndedCommand {
    let status: Int32
    let output: String
    let errors: String
}

extension SecretSite {
    /// Starts `tokenbroker secret`.
    ///
    /// - Parameter input: What it finds on standard input.
    func start(_ words: String, input: String? = nil) throws -> RunningProcess {
        let path = try input.map { " < " + (try scratch.write("input", $0)) } ?? ""
        let tool = "\(RunningProcess.buildDirectory)/tokenbroker"
        return try RunningProcess(
            "/bin/sh",
            ["-c", "exec \(tool) secret \(words)\(path)"],
            environment: ["TOKENBROKER_ADMIN_SOCKET=\(broker.adminSocket)"]
        )
    }

    func run(_ words: String, input: String? = nil) throws -> EndedCommand {
        let process = try start(words, input: input)
        let status = try process.waitForEnd()
        return EndedCommand(status: status, output: process.output.text, errors: process.errors.text)
    }
}
