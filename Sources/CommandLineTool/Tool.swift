internal import Glibc
internal import Providers
internal import TokenBroker

/// The command line of the broker, for app owners and operators.
public enum Tool {
    /// Runs the process's arguments, and ends it as the command says or becomes the command's program.
    public static func main() -> Never {
        let outcome = outcome(Array(CommandLine.arguments.dropFirst()), surroundings())
        switch outcome {
        case .report(let report): exit(write(report).rawValue)
        case .execute(let execution): exit(write(execution.perform()).rawValue)
        case .watch(let watch): exit(write(watch.perform()).rawValue)
        case .audit(let listing): exit(write(listing.perform()).rawValue)
        case .top(let top): exit(write(top.perform()).rawValue)
        case .rotate(let rotation): exit(write(rotation.perform()).rawValue)
        }
    }

    /// What these arguments come to; a failure is a report too.
    static func outcome(_ arguments: [String], _ surroundings: Surroundings) -> Outcome {
        do throws(CommandFailure) {
            switch try CommandTable.parser.parse(arguments) {
            case .version:
                return .report(.text(["\(Installation.program) \(Product.version)"]))
            case .help(let topic):
                return .report(.text(HelpText(CommandTable.commands).lines(on: topic)))
            case .run(let invocation):
                return try invocation.command.run(invocation, surroundings)
            }
        } catch {
            return .report(Report(failure: error))
        }
    }

    private static func surroundings() -> Surroundings {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Surroundings(
            variables: Surroundings.variableNames.reduce(into: [:]) { variables, name in
                variables[name] = getenv(name).map { String(cString: $0) }
            },
            providerKinds: ProviderRegistry.kinds,
            now: Int64(time.tv_sec),
            outputIsTerminal: StandardStream.output.isTerminal,
            readInput: { () throws(CommandFailure) in
                try InputFile.contents(StandardStream.input.rawValue, "standard input")
            },
            readSecret: { (prompt) throws(CommandFailure) in try StandardStream.input.readSecret(prompt: prompt) }
        )
    }

    /// A reader that has gone away, `head` or a pager, had what it wanted: that ends quietly.
    private static func write(_ report: Report) -> ExitStatus {
        let failure = StandardStream.output.write(report.output)
        let notes = report.notes.map { PrintableText.escaped($0) + "\n" }.joined()
        _ = StandardStream.error.write(Array(notes.utf8))
        guard let failure, let complaint = CommandFailure(writeError: failure) else { return report.status }
        return write(Report(failure: complaint))
    }
}

extension CommandFailure {
    /// - Returns: nil where it is only that nobody reads the output any more.
    init?(writeError number: Int32) {
        guard number != EPIPE else { return nil }
        self.init(.outputFailed, ["cannot write the output: \(SystemError.text(number))"])
    }
}

extension Report {
    /// What is left to say when the output could not be written.
    init(writeError number: Int32) {
        self = CommandFailure(writeError: number).map(Report.init(failure:)) ?? Report()
    }

    /// The program's name goes before the first line, as every tool's does; further lines stand as they are.
    init(failure: CommandFailure) {
        self.init(notes: failure.lines, status: failure.status)
        if let first = notes.first { notes[0] = "\(Installation.program): \(first)" }
    }
}
