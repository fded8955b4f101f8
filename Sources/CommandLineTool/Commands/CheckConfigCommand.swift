internal import Configuration

extension Command {
    static let checkConfig = Command(
        words: ["check-config"],
        operands: [Operand("FILE", .optional)],
        summary: "check a configuration without the broker",
        details: [
            "FILE is \(Installation.configurationPath) where none is given; 'conf.d/*.yaml' beside it is read too. Every "
                + "fault is a line 'FILE:LINE:COLUMN: …' on standard error, and the exit status is then 78."
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let path = invocation.operands.first ?? Installation.configurationPath
            do throws(ConfigurationProblems) {
                let configuration = try ConfigurationLoader(kinds: surroundings.providerKinds).load(path: path)
                let warnings = configuration.warnings.map { "warning: \($0)" }
                return .report(.text(["\(PrintableText.escaped(path)): configuration is valid"], notes: warnings))
            } catch {
                return .report(Report(notes: error.problems.map(\.description), status: .invalidConfiguration))
            }
        }
    )
}
