/// One file of the configuration, read and parsed.
enum ConfigurationFile {
    /// Far more than the largest fleet writes down.
    static let maximumLength = 1 << 20

    /// Opens, judges and parses the file at `path`; what is wrong goes to `log`.
    ///
    /// A file that others could have written is still parsed, so that one run reports everything: its content counts
    /// for nothing, because the loading fails.
    ///
    /// - Returns: the root of the file, or nil when there is nothing to read in it.
    static func read(_ path: String, rule: FileRule, log: ProblemLog) -> Field? {
        log.begin(file: path)
        let report = { (message: String) in log.report(ConfigurationProblem(file: path, message: message)) }
        do {
            let file = try OpenFile(path)
            guard file.attributes.isRegular else {
                report("is not a regular file")
                return nil
            }
            for violation in rule.violationsOfConfiguration(file.attributes, path: path) {
                report("\(violation.fault): \(violation.remedy)")
            }
            guard let text = try file.contents(limit: maximumLength) else {
                report("is longer than \(maximumLength) bytes")
                return nil
            }
            return parse(text, path: path, log: log)
        } catch {
            report("cannot be read: \(error)")
            return nil
        }
    }

    private static func parse(_ text: [UInt8], path: String, log: ProblemLog) -> Field? {
        do {
            let document = try YAMLDocument(text)
            for fault in document.faults {
                log.report(ConfigurationProblem(file: path, position: fault.position, message: fault.message))
            }
            return document.root.map { Field(node: $0, path: "", file: path, log: log) }
        } catch {
            log.report(ConfigurationProblem(file: path, position: error.position, message: error.message))
            return nil
        }
    }
}
