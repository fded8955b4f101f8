internal import Configuration
internal import Glibc
internal import TokenBroker

/// The configuration and the secrets' files while there is no daemon to ask, looked at as it would.
struct UnattendedFiles {
    private let path: String
    private let kinds: [ProviderKind]
    private let daemon: DaemonIdentity

    init(_ path: String, _ kinds: [ProviderKind]) {
        self.path = path
        self.kinds = kinds
        daemon = Self.expectedDaemon
    }

    var findings: [Finding] {
        let limited: [Finding] = geteuid() == 0 ? [] : [.seenWithoutRoot]
        do throws(ConfigurationProblems) {
            let configuration = try ConfigurationLoader(kinds: kinds, daemon: daemon).load(path: path)
            return limited + [.configurationValid(path: path)]
                + configuration.warnings.map { .configurationDoubtful(path: path, warning: $0.description) }
                + secrets(of: configuration.definition)
        } catch {
            return limited + error.problems.map { .configurationInvalid(path: path, problem: $0.description) }
        }
    }

    private func secrets(of definition: BrokerDefinition) -> [Finding] {
        let files = SecretFileSource(credentialsDirectory: nil, daemon: daemon)
        return definition.secrets.values.sorted { $0.name < $1.name }.compactMap { secret in
            // A credential is there only for the unit that runs.
            guard case .file = secret.source else { return nil }
            do throws(SecretProblem) {
                _ = try files.read(secret)
                return .secretReadable(name: secret.name.text)
            } catch {
                let remedy = error.remedy ?? files.replacement(of: secret)
                return .secretUnusable(name: secret.name.text, reason: error.description, remedy: remedy)
            }
        }
    }

    /// The package's user where root asks; who else asks runs the daemon as themselves.
    private static var expectedDaemon: DaemonIdentity {
        let accounts = HostAccounts()
        guard geteuid() == 0, let uid = accounts.userID(named: Installation.user),
            let gid = accounts.groupID(named: Installation.user)
        else { return .current }
        return DaemonIdentity(uid: uid, gid: gid)
    }
}
