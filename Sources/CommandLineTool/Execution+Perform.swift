internal import Glibc

extension Execution {
    /// Replaces this process by the program, with the token in its environment.
    ///
    /// - Returns: only where that is not possible, and then why.
    func perform() -> Report {
        // This process's own environment goes to the program and to nobody else: it is gone with the call.
        setenv(variable, token, 1)
        var arguments = program.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        execvp(program[0], &arguments)
        let error = errno
        return Report(
            failure: CommandFailure(
                error == ENOENT ? .programNotFound : .notExecutable,
                ["cannot run '\(program[0])': \(SystemError.text(error))"]
            )
        )
    }
}
