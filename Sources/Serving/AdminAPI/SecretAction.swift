/// What an operator does with a long-lived secret, as the last segment of a path has it.
enum SecretAction: String {
    case create
    case stage
    case verify
    case promote
    case rollback
    case retire

    /// - Parameter path: what follows the secret's name, with its slash.
    init?(path: ArraySlice<UInt8>) {
        self.init(rawValue: String(decoding: path.dropFirst(), as: UTF8.self))
    }

    /// The one parameter it takes, and what that means.
    var parameter: (name: String, meaning: String)? {
        switch self {
        case .create: ("dry_run", "to see what would be done")
        case .promote: ("final", "for a key that must not be used any more")
        case .stage, .verify, .rollback, .retire: nil
        }
    }
}
