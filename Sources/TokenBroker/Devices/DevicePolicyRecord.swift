/// What the store keeps of the policy: lines of words, for none of the names in it can have a space.
enum DevicePolicyRecord: Equatable {
    /// An empty one is what going back to the file leaves.
    case policy(DevicePolicy)
    /// Nobody knows any more what was set.
    case lost

    static let id = RecordID(.policy, "devices")

    /// The first words of lines.
    private enum Word {
        /// The whole first line, of one that is known.
        static let policy = "policy"
        /// The whole and only line.
        static let lost = "lost"
        /// A route's mode.
        static let mode = "mode"
        /// There are apps in place of the file's, in the lines that follow.
        static let apps = "apps"
        /// An app, with its environments.
        static let app = "app"
    }

    var payload: Secret {
        let lines =
            switch self {
            case .lost: [Word.lost]
            case .policy(let policy): [Word.policy] + Self.lines(policy)
            }
        return Secret(lines.map { "\($0)\n" }.joined().utf8)
    }

    private static func lines(_ policy: DevicePolicy) -> [String] {
        let modes = policy.modes.sorted { $0.key < $1.key }.map { "\(Word.mode) \($0) \($1.rawValue)" }
        guard let apps = policy.apps else { return modes }
        let each = apps.map { [Word.app, $0.appID] + $0.environments.map(\.rawValue).sorted() }
        return modes + [Word.apps] + each.map { $0.joined(separator: " ") }
    }

    /// - Returns: nil for a payload that this version did not write.
    init?(_ payload: Secret) {
        let lines = payload.withBytes { String(decoding: $0, as: UTF8.self) }.split(separator: "\n").map(String.init)
        switch lines.first {
        case Word.lost where lines.count == 1: self = .lost
        case Word.policy:
            var policy = DevicePolicy()
            for line in lines.dropFirst() {
                guard Self.take(line.split(separator: " ").map(String.init), into: &policy) else { return nil }
            }
            self = .policy(policy)
        default: return nil
        }
    }

    private static func take(_ words: [String], into policy: inout DevicePolicy) -> Bool {
        switch (words.first, words.count) {
        case (Word.mode, 3):
            guard let route = Name(words[1]), let mode = DeviceMode(rawValue: words[2]) else { return false }
            policy.modes[route] = mode
        case (Word.apps, 1):
            policy.apps = []
        case (Word.app, 2...):
            let environments = words[2...].map { AttestEnvironment(rawValue: $0) }
            guard policy.apps != nil, DeviceApp.isAppID(words[1]), !environments.contains(nil) else { return false }
            policy.apps?.append(DeviceApp(appID: words[1], environments: Set(environments.compactMap(\.self))))
        default: return false
        }
        return true
    }
}
