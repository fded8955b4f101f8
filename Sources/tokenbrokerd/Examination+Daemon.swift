internal import Configuration
internal import ServiceManager
internal import Serving
internal import TokenBroker

extension Examination {
    /// What needs no waiting; the providers are to follow.
    init(of configuration: Configuration, problems: [String], secrets: [Secret]) {
        self.init(
            process: ProcessConfinement.current().map(Process.init),
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
