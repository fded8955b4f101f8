internal import HTTPWire
internal import JSON
internal import TokenBroker

/// Looks at a broker and its surroundings.
struct Diagnosis {
    /// For the status, which a daemon that works answers at once.
    private static let patience: Duration = .seconds(10)

    private let adminPath: String
    private let configurationPath: String
    private let surroundings: Surroundings
    private let host = HostNames()

    init(_ invocation: Invocation, _ surroundings: Surroundings) {
        adminPath = BrokerSocket.admin.path(invocation, surroundings)
        configurationPath = invocation.operands.first ?? Installation.configurationPath
        self.surroundings = surroundings
    }

    /// - Throws: where the socket refuses this user, whom the text says what would let in.
    func findings() throws(CommandFailure) -> [Finding] {
        let status: JSONValue
        do throws(CommandFailure) {
            status = try Broker(.admin, path: adminPath, patience: Self.patience).ask("/v1/status")
        } catch {
            guard error.status == .unavailable else { throw error }
            let reason = Finding.daemonAbsent(reason: error.lines.first ?? "")
            return [reason] + UnattendedFiles(configurationPath, surroundings.providerKinds).findings
        }
        return StatusFindings(status).all + (try examined(status))
    }

    private func examined(_ status: JSONValue) throws(CommandFailure) -> [Finding] {
        let examination: JSONValue
        do throws(CommandFailure) {
            examination = try Broker(.admin, path: adminPath).ask("/v1/examination", .post)
        } catch {
            guard error.status != .notPermitted else { throw error }
            return [.daemonSaysLittle(reason: error.lines.first ?? "")]
        }
        let facts = ExaminationFindings(examination, status: status, host: host)
        return facts.all + sockets(examination["sockets"], of: facts)
    }

    private func sockets(_ sockets: JSONValue?, of daemon: ExaminationFindings) -> [Finding] {
        let owners: Set<UInt32> = [0, daemon.uid ?? 0]
        let configured = sockets?["apps"]?.string
        let appsPath = surroundings.variable(BrokerSocket.apps.variable) ?? configured
        let apps = appsPath.map { SocketPlace($0).appsFindings(owners: owners, failure: failure(at: $0)) } ?? []
        let admin = SocketPlace(adminPath).adminFindings(
            owners: owners,
            group: sockets?["admin_group"]?.uid ?? 0,
            users: sockets?["admin_users"]?.array?.compactMap(\.uid) ?? [],
            configuration: daemon.configurationPath,
            host: host
        )
        return apps + admin
    }

    /// Why nobody answers on the apps socket; nil where somebody does.
    private func failure(at path: String) -> String? {
        do throws(CommandFailure) {
            _ = try Broker(.apps, path: path, patience: Self.patience).ask("/healthz")
            return nil
        } catch {
            return error.lines.first
        }
    }
}

extension JSONValue {
    /// A user's or a group's number.
    var uid: UInt32? { number?.int64.flatMap { UInt32(exactly: $0) } }
}
