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
}
