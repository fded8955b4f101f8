internal import Configuration
internal import ServiceManager
internal import Serving
internal import TokenBroker

extension Examination {
    /// What needs no waiting; the providers are to follow.
    init(of configuration: Configuration, problems: [String], secrets: [Secret]) {
        self.init(
            process: ProcessConfinement.current().map(Process.init),
            unseen: Unseen(.current(), configuration),
            sockets: Sockets(
                apps: configuration.listen.apps,
                admin: configuration.listen.admin,
                adminGroup: configuration.adminGroup,
                adminUsers: (configuration.operators + configuration.observers).compactMap(\.user)
            ),
            connectionsPerUID: configuration.definition.limits.connectionsPerUID,
            configurationProblems: problems,
            secrets: secrets,
            providers: []
        )
    }
}

extension Examination.Process {
    fileprivate init(_ confinement: ProcessConfinement) {
        self.init(
            uid: confinement.uid,
            gid: confinement.gid,
            mayGainPrivileges: confinement.mayGainPrivileges,
            mayCallEverything: confinement.mayCallEverything,
            hasCapabilities: confinement.hasCapabilities,
            isTraceable: confinement.isTraceable,
            openFiles: confinement.openFiles
        )
    }
}

extension Examination.Unseen {
    fileprivate init(_ sight: ProcessSight, _ configuration: Configuration) {
        let definition = configuration.definition
        let grants = definition.tokens.values.flatMap(\.grants) + definition.routes.values.flatMap { $0.grants ?? [] }
        let admins = configuration.operators + configuration.observers
        let users = Set(grants.compactMap(\.user) + admins.compactMap(\.user))
        let groups = Set(grants.compactMap(\.group) + admins.compactMap(\.group))
        self.init(
            users: users.filter { !sight.users.contains($0) }.sorted(),
            groups: groups.filter { !sight.groups.contains($0) }.sorted(),
            processes: definition.looksAtProcesses && !sight.seesProcesses,
            boot: configuration.store != nil && !sight.seesBoot
        )
    }
}
