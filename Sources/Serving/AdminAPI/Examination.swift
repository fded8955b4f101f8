internal import JSON
public import TokenBroker

/// What only the daemon can see of how it was set up: facts, which `tokenbroker doctor` judges.
public struct Examination: Sendable {
    /// What holds the daemon's process in.
    public struct Process: Sendable {
        public var uid: UInt32
        public var gid: UInt32
        public var mayGainPrivileges: Bool
        public var mayCallEverything: Bool
        public var hasCapabilities: Bool
        public var isTraceable: Bool
        public var openFiles: UInt64

        public init(
            uid: UInt32,
            gid: UInt32,
            mayGainPrivileges: Bool,
            mayCallEverything: Bool,
            hasCapabilities: Bool,
            isTraceable: Bool,
            openFiles: UInt64
        ) {
            self.uid = uid
            self.gid = gid
            self.mayGainPrivileges = mayGainPrivileges
            self.mayCallEverything = mayCallEverything
            self.hasCapabilities = hasCapabilities
            self.isTraceable = isTraceable
            self.openFiles = openFiles
        }
    }

    /// What the daemon has to recognise, and its sandbox or container hides from it.
    public struct Unseen: Sendable {
        /// Those whom the configuration names.
        public var users: [UInt32]
        public var groups: [UInt32]
        /// Other users' processes, which a grant asks for.
        public var processes: Bool
        /// Which run of the kernel it is, for times in the store.
        public var boot: Bool

        public init(users: [UInt32], groups: [UInt32], processes: Bool, boot: Bool) {
            self.users = users
            self.groups = groups
            self.processes = processes
            self.boot = boot
        }
    }

    /// The sockets as the configuration has them.
    public struct Sockets: Sendable {
        public var apps: String
        public var admin: String
        /// Whom the admin socket lets in; nil where the configuration names no group.
        public var adminGroup: UInt32?
        /// The users whom `operators` and `observers` name, who must be able to reach it.
        public var adminUsers: [UInt32]

        public init(apps: String, admin: String, adminGroup: UInt32?, adminUsers: [UInt32]) {
            self.apps = apps
            self.admin = admin
            self.adminGroup = adminGroup
            self.adminUsers = adminUsers
        }
    }

    /// How one long-lived key could be read.
    public struct Secret: Sendable {
        public var name: Name
        /// What keeps it from being used, and the command that mends that.
        public var fault: (text: String, remedy: String)?

        public init(name: Name, fault: (text: String, remedy: String)?) {
            self.name = name
            self.fault = fault
        }
    }

    /// How one provider could be reached from where the daemon is.
    public struct Provider: Sendable {
        public enum Result: Sendable {
            /// - Parameter clockSkew: how far its clock is ahead; nil where it told no time.
            case reached(in: Duration, clockSkew: Duration?)
            case failed(code: String, text: String)
        }

        public var name: Name
        /// Scheme, host and port.
        public var origin: String
        public var result: Result

        public init(name: Name, origin: String, result: Result) {
            self.name = name
            self.origin = origin
            self.result = result
        }
    }

    /// Nil where the kernel does not tell.
    public var process: Process?
    public var unseen: Unseen
    public var sockets: Sockets
    /// How many connections one user may have, which takes as many files.
    public var connectionsPerUID: Int
    /// What is wrong with the configuration's files as they are now, whatever is in force.
    public var configurationProblems: [String]
    public var secrets: [Secret]
    public var providers: [Provider]

    public init(
        process: Process?,
        unseen: Unseen,
        sockets: Sockets,
        connectionsPerUID: Int,
        configurationProblems: [String],
        secrets: [Secret],
        providers: [Provider]
    ) {
        self.process = process
        self.unseen = unseen
        self.sockets = sockets
        self.connectionsPerUID = connectionsPerUID
        self.configurationProblems = configurationProblems
        self.secrets = secrets
        self.providers = providers
    }
}
