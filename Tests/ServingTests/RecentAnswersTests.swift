import HTTPWire
import Testing

@testable import Serving
@testable import TokenBroker

@Suite("Recent answers")
struct RecentAnswersTests {
    private static let start = ManualClock.start
    private static let peer = Peer(pid: 1, uid: 1000, gid: 100, supplementaryGroups: [7])

    /// Remembers an answer to `head` and looks for one, half a second later if nothing else is said.
    private func found(
        _ head: String = "GET /1",
        by peer: Peer = peer,
        changes: UInt64 = 5,
        at now: Moment = start.advanced(by: .milliseconds(1500))
    ) throws -> Bool {
        var answers = RecentAnswers()
        let answer = try answers.remember("GET /1", by: Self.peer, changes: 5)
        guard let found = answers.answer(to: head, by: peer, changes: changes, at: now) else { return false }
        return found === answer
    }

    @Test("are found again by the same bytes from the same user, whatever process of the user's asks")
    func again() throws {
        #expect(try found())
        #expect(try found(by: Peer(pid: 2, uid: 1000, gid: 100, supplementaryGroups: [7])))
    }

    @Test("are for the same bytes alone", arguments: ["GET /2", "GET /", "GET /11", "", "get /1"])
    func otherRequest(_ head: String) throws {
        #expect(try !found(head))
    }

    @Test("are not for another user, primary group or set of groups")
    func otherPeer() throws {
        #expect(try !found(by: Peer(pid: 1, uid: 1001, gid: 100, supplementaryGroups: [7])))
        #expect(try !found(by: Peer(pid: 1, uid: 1000, gid: 101, supplementaryGroups: [7])))
        #expect(try !found(by: Peer(pid: 1, uid: 1000, gid: 100, supplementaryGroups: [])))
        #expect(try !found(by: Peer(pid: 1, uid: 1000, gid: 100, supplementaryGroups: [8])))
    }

    @Test("end when anything changes at the broker")
    func change() throws {
        #expect(try !found(changes: 6))
    }

    @Test("end with their second of expires_in")
    func second() throws {
        #expect(try found(at: Self.start.advanced(by: .milliseconds(2000))))
        #expect(try !found(at: Self.start.advanced(by: .milliseconds(2001))))
    }

    @Test("end when the clocks no longer go together, whichever is ahead", arguments: [-3, 3, 501, 9000])
    func clocks(_ milliseconds: Int64) throws {
        let now = Self.start.advanced(by: .milliseconds(1500))
        #expect(try !found(at: Moment(boot: now.boot, wall: now.wall.advanced(by: .milliseconds(milliseconds)))))
        #expect(try !found(at: Moment(boot: now.boot.advanced(by: .milliseconds(milliseconds)), wall: now.wall)))
    }

    @Test("do not mind that two clocks cannot be read at once")
    func drift() throws {
        let now = Self.start.advanced(by: .milliseconds(1500))
        for milliseconds in [-2, 2] as [Int64] {
            #expect(try found(at: Moment(boot: now.boot, wall: now.wall.advanced(by: .milliseconds(milliseconds)))))
        }
    }

    @Test("take the place of older ones to the same request")
    func replaced() throws {
        var answers = RecentAnswers()
        for _ in 0...RecentAnswers.capacity { _ = try answers.remember("GET /1", changes: 5) }
        let last = try answers.remember("GET /1", changes: 6)
        #expect(answers.answer(to: "GET /1", changes: 5) == nil)
        #expect(answers.answer(to: "GET /1", changes: 6) === last)
    }

    @Test("are a few: the oldest makes room")
    func capacity() throws {
        var answers = RecentAnswers()
        for number in 0...RecentAnswers.capacity { _ = try answers.remember("GET /\(number)") }
        #expect(answers.answer(to: "GET /0") == nil)
        for number in 1...RecentAnswers.capacity { #expect(answers.answer(to: "GET /\(number)") != nil) }
    }

    @Test("to long requests are not kept")
    func longHead() throws {
        var answers = RecentAnswers()
        for (length, isKept) in [(RecentAnswers.longestHead, true), (RecentAnswers.longestHead + 1, false)] {
            let head = String(repeating: "x", count: length)
            _ = try answers.remember(head)
            #expect((answers.answer(to: head) != nil) == isKept)
        }
    }

    @Test("are gone when they are to be")
    func removed() throws {
        var answers = RecentAnswers()
        _ = try answers.remember("GET /1")
        answers.removeAll()
        #expect(answers.answer(to: "GET /1") == nil)
    }
}

extension RecentAnswers {
    /// Remembers an answer for a token that has an hour, a second into it.
    fileprivate mutating func remember(
        _ head: String,
        by peer: Peer = Peer(pid: 1, uid: 1000, gid: 100),
        changes: UInt64 = 5
    ) throws -> ReadyAnswer {
        let token = ServedToken.example(try #require(TokenText("at_v1_text")), generation: 7)
        let now = ManualClock.start.advanced(by: .milliseconds(1001))
        let answer = ReadyAnswer(HTTPResponse(status: 200))
        remember(RecentAnswer(answer, to: Array(head.utf8), from: peer, changes: changes, for: token, at: now))
        return answer
    }

    fileprivate func answer(
        to head: String,
        by peer: Peer = Peer(pid: 1, uid: 1000, gid: 100),
        changes: UInt64 = 5,
        at now: Moment = ManualClock.start.advanced(by: .milliseconds(1500))
    ) -> ReadyAnswer? {
        Array(head.utf8).withUnsafeBytes { answer(to: $0, from: peer, changes: changes, at: now) }
    }
}
