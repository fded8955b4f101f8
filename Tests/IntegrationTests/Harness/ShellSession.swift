/// A page's shell commands, run one after the other as its reader would, in an empty directory.
struct ShellSession {
    /// A line that no command prints.
    private static let mark = "-- end of block --"

    /// The output of each block.
    let outputs: [String]

    /// - Parameters:
    ///   - substitutions: what stands in the page, and what to run in its place.
    ///   - environment: as in `NAME=value`.
    init(
        _ blocks: [String],
        in scratch: Scratch,
        substitutions: [(String, String)] = [],
        environment: [String] = []
    ) throws {
        let commands = blocks.map { block in
            substitutions.reduce(block) { $0.replacing($1.0, with: $1.1) } + "echo '\(Self.mark)'\n"
        }
        // What it leaves running ends with it, and with `timeout`, which ends its whole group of processes.
        let script = """
            set -e
            PATH=\(RunningProcess.buildDirectory):$PATH
            trap 'kill $(jobs -p) || true' EXIT
            cd \(scratch.path)
            \(commands.joined())
            """
        let process = try RunningProcess(
            "/usr/bin/timeout",
            ["50", "/bin/bash", try scratch.write(".session", script)],
            environment: environment
        )
        let ending = try process.waitForEnd()
        let (output, errors) = (process.output.text, process.errors.text)
        guard ending == 0 else { throw HarnessError("the commands ended with \(ending):\n\(output)\n\(errors)") }
        outputs = output.split(separator: Self.mark + "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
