/// A project's API key: `pb_`, the project's ref, `_`, a letter for what it may do, and what makes it hard to guess.
struct ProjectKey: Hashable {
    let text: String
    /// The project's.
    let ref: String
    /// Acts for the project (`s`); else it is the one that apps carry (`c`), and a user's token goes with it.
    let isService: Bool

    init?(_ text: String) {
        guard let match = text.wholeMatch(of: #/pb_([a-z0-9]+)_([cs])[0-9A-Za-z]+/#) else { return nil }
        self.text = text
        ref = String(match.1)
        isService = match.2 == "s"
    }
}
