/// Who has how many connections open, and so whether somebody gets one more.
struct ConnectionQuota {
    /// Users that no grant names have nothing to fetch; all of them together get this many, so that they cannot use up
    /// the descriptors by being many.
    static let strangers = 64

    /// How many of a user's requests may be there in part. Each can hold a head and a body, 80 KiB in all, before anything
    /// is known of it but its sender.
    static let unfinishedRequestsPerUID = 512

    /// How many connections over a limit are told so. A client whose connection is closed before it has sent its
    /// request does not read why, so each of them stays for a moment; more than these are closed at once.
    static let turnedAway = 64

    enum Place {
        case own
        /// One of those that all users share whom no grant names.
        case stranger
        /// None: it only waits until its client has read the problem.
        case turnedAway(Problem)
    }

    /// How many connections a user may have open; connections that are there stay.
    var perUID: Int
    private var ofUID: [UInt32: Int] = [:]
    private var unfinishedOfUID: [UInt32: Int] = [:]
    private(set) var strangers: Set<ConnectionID> = []
    private var turnedAway: Set<ConnectionID> = []

    init(perUID: Int) {
        self.perUID = perUID
    }

    /// Whether the user may have no more, whoever it is.
    func isFull(_ uid: UInt32) -> Bool {
        ofUID[uid] ?? 0 >= perUID
    }

    /// Where a new connection belongs; nil where it cannot even be told that there is no room.
    func place(for uid: UInt32, isNamed: Bool) -> Place? {
        if isFull(uid) { return turnAway(.tooManyConnections) }
        if isNamed { return .own }
        return strangers.count < Self.strangers ? .stranger : turnAway(.tooManyStrangers)
    }

    private func turnAway(_ problem: Problem) -> Place? {
        turnedAway.count < Self.turnedAway ? .turnedAway(problem) : nil
    }

    mutating func add(_ connection: ConnectionID, of uid: UInt32, at place: Place) {
        switch place {
        case .own: break
        case .stranger: strangers.insert(connection)
        case .turnedAway:
            turnedAway.insert(connection)
            return
        }
        ofUID[uid, default: 0] += 1
    }

    mutating func remove(_ connection: ConnectionID, of uid: UInt32) {
        guard turnedAway.remove(connection) == nil else { return }
        strangers.remove(connection)
        let rest = (ofUID[uid] ?? 1) - 1
        ofUID[uid] = rest == 0 ? nil : rest
    }

    /// Takes in a request that came in part.
    ///
    /// - Returns: false where the user has too many of them.
    mutating func beginRequest(of uid: UInt32) -> Bool {
        guard unfinishedOfUID[uid] ?? 0 < Self.unfinishedRequestsPerUID else { return false }
        unfinishedOfUID[uid, default: 0] += 1
        return true
    }

    /// A request that came in part is whole, or will never be.
    mutating func endRequest(of uid: UInt32) {
        let rest = (unfinishedOfUID[uid] ?? 1) - 1
        unfinishedOfUID[uid] = rest == 0 ? nil : rest
    }

    /// A grant names its user by now.
    mutating func isNoStranger(_ connection: ConnectionID) {
        strangers.remove(connection)
    }
}
