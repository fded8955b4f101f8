/// The device policy as it holds now, and where it comes from.
public struct DevicePolicyInForce: Equatable, Sendable {
    public enum Source: String, Sendable {
        /// Operators have set nothing.
        case file
        /// Operators have set something, which holds beside the file.
        case stored
        /// What operators have set is not known, so that the strictest is assumed.
        case unreadable
    }

    /// A route's mode, and what it comes from.
    public struct Route: Equatable, Sendable {
        public let mode: DeviceMode
        /// Nil where the file says nothing.
        public let file: DeviceMode?
        /// Nil where operators have set nothing, or nobody knows.
        public let stored: DeviceMode?
    }

    /// Which change it is of; 0 where nothing was set, or nobody knows what.
    public let revision: Int64
    public let source: Source
    /// Why nobody knows what operators have set, in a sentence; nil where it is known.
    public let problem: String?
    /// What operators have set, with the file's word on the rest; of the routes that there are. What was set for others is
    /// kept for when they come back.
    public let modes: [Name: DeviceMode]
    /// The apps that are accepted: those that operators have set; the file's where they have set none, or nobody knows.
    public let apps: [DeviceApp]
    /// Every route that there is.
    public let routes: [Name: Route]

    init(_ file: FileDevicePolicy, _ stored: StoredDevicePolicy, _ version: RecordVersion?) {
        let policy = stored.policy ?? DevicePolicy()
        source = stored.policy == nil ? .unreadable : policy.isEmpty ? .file : .stored
        revision = stored.policy == nil ? 0 : version?.number ?? 0
        problem = stored.problem
        modes = file.modes.merging(policy.modes) { _, stored in stored }.filter { file.routes.contains($0.key) }
        apps = policy.apps ?? file.apps
        let isKnown = stored.policy != nil
        let names = file.routes.map { name in
            let (said, set) = (file.modes[name], policy.modes[name])
            let mode = isKnown || said == nil ? max(said ?? .off, set ?? .off) : .enforce
            return (name, Route(mode: mode, file: said, stored: set))
        }
        routes = Dictionary(uniqueKeysWithValues: names)
    }

    /// Why some route is stricter than anybody said, or lets nobody in, which an operator has to end; nil where none is.
    public var obstacle: String? {
        if let problem {
            guard routes.values.contains(where: { $0.file != nil }) else { return nil }
            return "the stored device policy is not known, and routes with a device gate enforce: \(problem)"
        }
        guard !closedRoutes.isEmpty else { return nil }
        let names = closedRoutes.map { "'\($0)'" }.joined(separator: ", ")
        return "no app is accepted, so that enforce lets nobody pass (\(names)): set apps, or name them in the file"
    }

    /// The routes that let nobody in by what is known to be said of them.
    var closedRoutes: [Name] {
        guard source != .unreadable, apps.isEmpty else { return [] }
        return routes.filter { $0.value.mode == .enforce }.keys.sorted()
    }
}

/// What is known of the policy that operators have set.
enum StoredDevicePolicy: Equatable {
    /// Empty where nothing was set.
    case known(DevicePolicy)
    /// Why nobody knows, in a sentence.
    case unknown(String)

    var policy: DevicePolicy? {
        if case .known(let policy) = self { policy } else { nil }
    }

    var problem: String? {
        if case .unknown(let problem) = self { problem } else { nil }
    }
}
