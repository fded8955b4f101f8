import HTTPWire
import JSON
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Ready answers", .blocking)
struct ReadyAnswersTests {
    @Test("are the same bytes within a second, and new ones in the next")
    func reuse() throws {
        var answers = ReadyAnswers()
        let document = TokenDocument(name: "web", token: token(), isDegraded: false)
        let first = answers.answer(for: document, at: ManualClock.start.advanced(by: .milliseconds(1001)))
        let second = answers.answer(for: document, at: ManualClock.start.advanced(by: .milliseconds(1999)))
        let third = answers.answer(for: document, at: ManualClock.start.advanced(by: .milliseconds(2001)))
        #expect(place(of: first) == place(of: second))
        #expect(place(of: first) != place(of: third))
        #expect(text(first).contains("\"expires_in\":3598,"))
        #expect(text(third).contains("\"expires_in\":3597,"))
    }

    @Test("are made again for a new generation, a new state and a clock that was set")
    func renewal() {
        var answers = ReadyAnswers()
        let now = ManualClock.start
        let first = text(answers.answer(for: TokenDocument(name: "web", token: token(), isDegraded: false), at: now))
        let next = TokenDocument(name: "web", token: token(generation: 8), isDegraded: false)
        #expect(text(answers.answer(for: next, at: now)).contains("\"generation\":8,"))
        let degraded = TokenDocument(name: "web", token: token(generation: 8), isDegraded: true)
        #expect(text(answers.answer(for: degraded, at: now)).contains("\"degraded\":true"))
        let back = Moment(boot: now.boot, wall: now.wall.advanced(by: .seconds(-100)))
        let shifted = text(answers.answer(for: degraded, at: back))
        #expect(shifted.contains("\"expires_in\":3600,"))
        #expect(shifted.contains("\"expires_at\":1775003500,"))
        #expect(first.contains("\"expires_at\":1775003600,"))
    }

    @Test("of two tokens are two")
    func names() {
        var answers = ReadyAnswers()
        let web = answers.answer(for: TokenDocument(name: "web", token: token(), isDegraded: false), at: .start)
        let app = answers.answer(for: TokenDocument(name: "app", token: token(), isDegraded: false), at: .start)
        #expect(text(web).contains("\"name\":\"web\""))
        #expect(text(app).contains("\"name\":\"app\""))
    }

    @Test("are served over a socket in the same bytes until the second is over")
    func overSocket() async throws {
        let harness = try Harness()
        try await harness.mintWeb()
        let client = try harness.connect()
        await harness.advance(by: .milliseconds(100))
        let first = try await harness.exchange(client, "GET /v1/tokens/web")
        await harness.advance(by: .milliseconds(800))
        #expect(try await harness.exchange(client, "GET /v1/tokens/web").bytes == first.bytes)
        await harness.advance(by: .milliseconds(200))
        #expect(try await harness.exchange(client, "GET /v1/tokens/web").json?["expires_in"] == 3598)
        harness.clock.setWall(by: .seconds(100))
        let shifted = try await harness.exchange(client, "GET /v1/tokens/web")
        #expect(shifted.json?["expires_at"] == 1_775_003_700)
        #expect(shifted.json?["expires_in"] == 3498)
    }

    @Test("of a token that was dropped are not served again")
    func dropped() async throws {
        let harness = try Harness.operated()
        try await harness.mintWeb("at_v1_first")
        #expect(try await harness.request("DELETE /v1/tokens/web", on: .admin).status == 200)
        harness.provider.give(.token("at_v1_second"))
        #expect(try await harness.request("GET /v1/tokens/web").json?["access_token"] == "at_v1_second")
    }

    private func token(generation: Int64 = 7) -> ServedToken {
        guard let text = TokenText("at_v1_text") else { preconditionFailure("not a token") }
        return .example(text, generation: generation)
    }

    private func place(of answer: ReadyAnswer) -> UnsafeRawPointer? {
        answer.bytes.withUnsafeBytes { $0.baseAddress }
    }

    private func text(_ answer: ReadyAnswer) -> String {
        String(decoding: answer.bytes, as: UTF8.self)
    }
}

extension Moment {
    fileprivate static let start = ManualClock.start
}
