internal import Glibc
internal import TokenBroker

/// The answers that were sent last, each sent again while it would come out the same: asked for in the same bytes by the
/// same user, in the same second by both clocks, and with nothing of the broker's changed.
///
/// A request that is answered from here is neither parsed nor looked up, which is most of the work of a request. That is
/// right only as long as the first one has no other effect: what is remembered is a shared token that was served at once,
/// to a peer whose credentials alone decided.
struct RecentAnswers {
    /// Few, as they are looked through one after the other: the programs of a host that ask often are few.
    static let capacity = 16
    /// A longer head is not remembered, so that the heads of strangers do not take memory.
    static let longestHead = 1024

    private var entries: [RecentAnswer] = []
    private var oldest = 0

    /// - Parameters:
    ///   - head: all that was received of a request.
    ///   - changes: the broker's ``Broker/changeCount``, read now.
    func answer(
        to head: UnsafeRawBufferPointer,
        from peer: Peer,
        changes: UInt64,
        at now: @autoclosure () -> Moment
    ) -> ReadyAnswer? {
        for entry in entries where entry.isAnswer(to: head, from: peer) {
            return entry.isGood(changes: changes, at: now()) ? entry.answer : nil
        }
        return nil
    }

    /// Takes the place of the answer to the same request, else of the oldest.
    mutating func remember(_ entry: RecentAnswer) {
        guard entry.head.count <= Self.longestHead else { return }
        let old = entries.firstIndex { $0.isToSameRequest(as: entry) }
        if let old {
            entries[old] = entry
        } else if entries.count < Self.capacity {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = (oldest + 1) % Self.capacity
        }
    }

    /// Lets go of all answers, and of the tokens in them.
    mutating func removeAll() {
        entries = []
        oldest = 0
    }
}

/// An answer with what it depends on.
final class RecentAnswer {
    let answer: ReadyAnswer
    let head: [UInt8]
    private let peer: Peer
    private let changes: UInt64
    private let span: AnswerSpan

    /// - Parameters:
    ///   - head: the request, which was this and nothing else.
    ///   - changes: the broker's ``Broker/changeCount`` from before it was asked.
    init(
        _ answer: ReadyAnswer,
        to head: [UInt8],
        from peer: Peer,
        changes: UInt64,
        for token: ServedToken,
        at now: Moment
    ) {
        self.answer = answer
        self.head = head
        self.peer = peer.credentialsAlone
        self.changes = changes
        span = AnswerSpan(of: token, at: now)
    }

    func isAnswer(to head: UnsafeRawBufferPointer, from peer: Peer) -> Bool {
        head.count == self.head.count && self.peer.hasSameRights(as: peer)
            && self.head.withUnsafeBytes { $0.hasSameBytes(as: head) }
    }

    func isToSameRequest(as other: RecentAnswer) -> Bool {
        head == other.head && peer.hasSameRights(as: other.peer)
    }

    func isGood(changes: UInt64, at now: Moment) -> Bool {
        self.changes == changes && span.contains(now)
    }
}

extension UnsafeRawBufferPointer {
    /// Of the same length.
    fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard let start = baseAddress, let otherStart = other.baseAddress else { return isEmpty }
        return memcmp(start, otherStart, count) == 0
    }
}

extension Peer {
    /// The peer as it is to a grant that does not look at its process.
    var credentialsAlone: Peer {
        Peer(pid: pid, uid: uid, gid: gid, supplementaryGroups: supplementaryGroups)
    }

    fileprivate func hasSameRights(as other: Peer) -> Bool {
        uid == other.uid && gid == other.gid && supplementaryGroups == other.supplementaryGroups
    }
}
