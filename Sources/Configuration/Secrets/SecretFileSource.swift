public import TokenBroker

/// Long-lived keys from files: those of the operator, and those that the service manager passes in.
///
/// Every reading opens the file anew, so that a file that was replaced is a new value at the next one.
public struct SecretFileSource: SecretSource {
    private let credentialsDirectory: String?
    private let daemon: DaemonIdentity

    /// - Parameters:
    ///   - credentialsDirectory: The value of `$CREDENTIALS_DIRECTORY`, where the service manager set it.
    ///   - daemon: Who besides root may own a file, and whose group may read it.
    public init(credentialsDirectory: String?, daemon: DaemonIdentity = .current) {
        self.credentialsDirectory = credentialsDirectory
        self.daemon = daemon
    }

    public func read(_ secret: SecretDefinition) throws(SecretProblem) -> Secret {
        switch secret.source {
        case .file(let path):
            return try read(path, of: secret.name, isJudged: true)
        case .managed:
            throw SecretProblem(
                .missing,
                "secret \(secret.name): it was never given a value: tokenbroker secret rotate \(secret.name) < value"
            )
        case .credential(let name):
            guard let credentialsDirectory else {
                throw SecretProblem(
                    .missing,
                    "secret \(secret.name): there are no credentials: the unit needs LoadCredential=\(name):PATH",
                    remedy: "systemctl edit tokenbroker.service  # [Service] LoadCredential=\(name)"
                )
            }
            // The service manager made it, for this unit alone: since systemd 254 as 0440 with an access list.
            return try read("\(credentialsDirectory)/\(name)", of: secret.name, isJudged: false)
        }
    }

    /// The command that takes another value from standard input, in the place of one that is missing or no key.
    public func replacement(of secret: SecretDefinition) -> String {
        switch secret.source {
        case .file(let path):
            "install -m 0600 -o \(daemon.uid) /dev/stdin \(ShellWord(path))"
        case .managed:
            "tokenbroker secret rotate \(secret.name) < value"
        case .credential(let name):
            // Credentials are read once, when the unit starts.
            "install -m 0400 /dev/stdin \(ShellWord("/etc/credstore/\(name)")) && systemctl restart tokenbroker.service"
        }
    }

    private func read(_ path: String, of name: Name, isJudged: Bool) throws(SecretProblem) -> Secret {
        let file = try open(path, of: name)
        guard file.attributes.isRegular else { throw problem(.unreadable, name, path, "is not a regular file") }
        if isJudged { try judge(file.attributes, path: path, name: name) }
        return try SecretText.read(file, for: "secret \(name): \(path)")
    }

    private func open(_ path: String, of name: Name) throws(SecretProblem) -> OpenFile {
        do {
            return try OpenFile(path)
        } catch {
            if error.isNotFound { throw problem(.missing, name, path, "there is no such file") }
            guard error.isDenied else { throw problem(.unreadable, name, path, "cannot be read: \(error)") }
            let remedy = FileRule.handOver(path, to: daemon)
            throw problem(.unreadable, name, path, "uid \(daemon.uid) may not read it: \(remedy)", remedy: remedy)
        }
    }

    private func judge(_ file: FileAttributes, path: String, name: Name) throws(SecretProblem) {
        let violations = FileRule(daemon: daemon).violationsOfSecret(file, path: path)
        guard !violations.isEmpty else { return }
        let faults = violations.map(\.fault).joined(separator: ", ")
        let remedies = violations.map(\.remedy).joined(separator: " && ")
        throw problem(.exposed, name, path, "\(faults): \(remedies)", remedy: remedies)
    }

    private func problem(
        _ code: SecretProblem.Code,
        _ name: Name,
        _ path: String,
        _ what: String,
        remedy: String? = nil
    ) -> SecretProblem {
        SecretProblem(code, "secret \(name): \(path): \(what)", remedy: remedy)
    }
}
