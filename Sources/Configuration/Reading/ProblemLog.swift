/// Collects what is wrong while the reading goes on, so that one run reports all of it.
final class ProblemLog {
    private var problems: [ConfigurationProblem] = []
    private var warnings: [ConfigurationProblem] = []
    /// The files in the order they are read in, which is the order they are reported in.
    private var files: [String] = []

    func begin(file: String) {
        files.append(file)
    }

    func report(_ problem: ConfigurationProblem) {
        problems.append(problem)
    }

    func warn(_ warning: ConfigurationProblem) {
        warnings.append(warning)
    }

    /// - Returns: the warnings, in order.
    /// - Throws: the problems, in order, if there are any.
    func conclude() throws(ConfigurationProblems) -> [ConfigurationProblem] {
        guard problems.isEmpty else { throw ConfigurationProblems(sorted(problems)) }
        return sorted(warnings)
    }

    private func sorted(_ unordered: [ConfigurationProblem]) -> [ConfigurationProblem] {
        let ranked = unordered.enumerated().map { offset, problem in
            let rank = files.firstIndex(of: problem.file) ?? files.endIndex
            let position = problem.position ?? SourcePosition(line: 0, column: 0)
            return (key: (rank, position.line, position.column, offset), problem: problem)
        }
        return ranked.sorted { $0.key < $1.key }.map(\.problem)
    }
}
