/// Palbase's refresh tokens: each is good for one refresh, which brings its child; a session's are one family.
///
/// A token that comes again soon after its child was born is taken for the repetition of a request whose answer was
/// lost: the child gets another text, and the text handed out first means nothing from then on. A token that comes
/// again later is taken for stolen, and the whole family is revoked. Only digests are kept. It reads no clock.
///
/// Source: seklabsnet/palauth, internal/token/refresh.go, whose order of the checks is kept.
struct RefreshTokens {
    enum Refusal: Error {
        /// Unknown, of another project, or a child's text that another has replaced.
        case unknown
        case expired
        /// Used before, and not just now; its family is revoked.
        case reused
        case sessionRevoked
    }

    struct Session: Equatable {
        let id: String
        /// The project's ref.
        let project: String
        /// The user's id.
        let subject: String
    }

    /// How often a token's text came, and how often it brought an access token.
    struct Use {
        let digest: String
        var presented: Int64 = 0
        var spent: Int64 = 0
    }

    struct Family {
        let session: Session
        var isRevoked = false
        var isSessionRevoked = false
    }

    private struct Token {
        let family: Int
        let bornAtMilliseconds: Int64
        let expiresAtMilliseconds: Int64
        /// Nil before its use.
        var child: Int?
    }

    private(set) var families: [Family] = []
    private(set) var uses: [Use] = []
    private var tokens: [Token] = []
    /// By digest.
    private var tokenIndices: [String: Int] = [:]

    static func digest(_ text: String) -> String {
        Digest.sha256(Array(text.utf8)).hexadecimal
    }

    /// The session whose family the text belongs to.
    func session(of text: String, project: String) -> Session? {
        tokenIndices[Self.digest(text)].map { families[tokens[$0].family].session }
            .flatMap { $0.project == project ? $0 : nil }
    }

    /// Begins a session with its first token.
    ///
    /// - Returns: False where the text is a token's already.
    mutating func begin(_ session: Session, _ text: String, nowMilliseconds now: Int64, expiresAt: Int64) -> Bool {
        let digest = Self.digest(text)
        guard tokenIndices[digest] == nil else { return false }
        families.append(Family(session: session))
        add(digest, family: families.count - 1, nowMilliseconds: now, expiresAt: expiresAt)
        return true
    }

    /// Spends a token.
    ///
    /// - Parameters:
    ///   - successor: The text of the child.
    ///   - grace: For how many milliseconds after the child's birth the token may come again.
    ///   - expiresAt: When the child is over.
    /// - Returns: Whose token it is.
    mutating func spend(
        _ text: String,
        project: String,
        successor: String,
        grace: Int64,
        expiresAt: Int64,
        nowMilliseconds now: Int64
    ) throws(Refusal) -> Session {
        let digest = Self.digest(text)
        count(digest, \.presented)
        guard let index = tokenIndices[digest], families[tokens[index].family].session.project == project else {
            throw .unknown
        }
        guard now <= tokens[index].expiresAtMilliseconds else { throw .expired }
        let family = tokens[index].family
        let child = tokens[index].child
        let isLate = child.map { now - tokens[$0].bornAtMilliseconds > grace } ?? false
        if isLate || families[family].isRevoked {
            families[family].isRevoked = true
            throw .reused
        }
        guard !families[family].isSessionRevoked else { throw .sessionRevoked }
        if let child {
            rename(child, Self.digest(successor))
        } else {
            tokens[index].child = tokens.count
            add(Self.digest(successor), family: family, nowMilliseconds: now, expiresAt: expiresAt)
        }
        count(digest, \.spent)
        return families[family].session
    }

    /// Ends a session; its family stays as it is.
    ///
    /// - Returns: Nil where there is none of that id.
    mutating func revokeSession(_ id: String) -> Session? {
        guard let index = families.firstIndex(where: { $0.session.id == id }) else { return nil }
        families[index].isSessionRevoked = true
        return families[index].session
    }

    private mutating func add(_ digest: String, family: Int, nowMilliseconds now: Int64, expiresAt: Int64) {
        tokenIndices[digest] = tokens.count
        tokens.append(Token(family: family, bornAtMilliseconds: now, expiresAtMilliseconds: expiresAt))
    }

    private mutating func rename(_ index: Int, _ digest: String) {
        tokenIndices = tokenIndices.filter { $0.value != index }
        tokenIndices[digest] = index
    }

    private mutating func count(_ digest: String, _ counter: WritableKeyPath<Use, Int64>) {
        let index = uses.firstIndex { $0.digest == digest } ?? uses.count
        if index == uses.count { uses.append(Use(digest: digest)) }
        uses[index][keyPath: counter] += 1
    }
}
