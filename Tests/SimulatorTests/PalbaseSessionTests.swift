import HTTPWire
import JSON
import Simulator
import TestSupport
import Testing

@Suite("Palbase's sessions", .blocking)
struct PalbaseSessionTests {
    private let seed = SimulatorOptions.demoRefreshToken
    /// SHA-256 of the seed, computed elsewhere.
    private let seedDigest = "fd38351c89b74b5401e341c67263f9eef5a702e77cf1ce7c3d24d17a1f3bda75"

    @Test("a token that comes again at once is served, and the child handed out first means nothing any more")
    func grace() throws {
        try PalbaseClient.run { (palbase) throws in
            let first = try palbase.refresh(seed)
            let second = try palbase.refresh(seed)
            #expect(second.status == 200)
            #expect(first.refreshToken != second.refreshToken)
            #expect(first.accessToken != second.accessToken)
            #expect(try palbase.refresh(first.refreshToken).json["error"] == "invalid_token")
            #expect(try palbase.refresh(second.refreshToken).status == 200)
            #expect(try palbase.revokedFamilies() == 0)
            #expect(try palbase.use(seedDigest) == ["sha256": .string(seedDigest), "presented": 2, "spent": 2])
        }
    }

    @Test("the grace counts from the child's birth, not from its last text")
    func graceIsNotRenewed() throws {
        try PalbaseClient.run { (palbase) throws in
            try palbase.behave(["grace_seconds": 1000])
            _ = try palbase.refresh(seed)
            try palbase.behave(["clock_skew_seconds": 900])
            #expect(try palbase.refresh(seed).status == 200)
            try palbase.behave(["clock_skew_seconds": 1001])
            #expect(try palbase.refresh(seed).json["error"] == "token_reuse")
        }
    }

    @Test("a token that comes again later revokes its whole family")
    func reuse() throws {
        try PalbaseClient.run { (palbase) throws in
            let child = try palbase.refresh(seed)
            try palbase.behave(["clock_skew_seconds": 31])
            let reused = try palbase.refresh(seed)
            #expect(reused.status == 401)
            #expect(reused.json["error"] == "token_reuse")
            #expect(try palbase.revokedFamilies() == 1)
            #expect(try palbase.refresh(child.refreshToken).json["error"] == "token_reuse")
            #expect(try palbase.use(seedDigest)?["spent"] == 1)
            #expect(try palbase.use(seedDigest)?["presented"] == 2)
            #expect(try palbase.refresh(palbase.newSession()).status == 200)
        }
    }

    @Test("the grace can be set, to nothing too")
    func graceKnob() throws {
        try PalbaseClient.run { (palbase) throws in
            try palbase.behave(["grace_seconds": 1000])
            _ = try palbase.refresh(seed)
            try palbase.behave(["clock_skew_seconds": 900])
            #expect(try palbase.refresh(seed).status == 200)
            try palbase.behave(["grace_seconds": 0])
            #expect(try palbase.refresh(seed).json["error"] == "token_reuse")
        }
    }

    @Test("an answer that is lost has spent the token all the same", arguments: [0, 1, 60])
    func lostAnswer(after bytes: Int64) throws {
        try PalbaseClient.run { (palbase) throws in
            try palbase.behave([
                "close_after_bytes": .number(JSONNumber(bytes)), "path": "/auth/token/refresh", "times": 1,
            ])
            #expect(try palbase.loseRefresh(seed) == bytes)
            #expect(try palbase.use(seedDigest)?["spent"] == 1)
            try palbase.behave(["clock_skew_seconds": 31])
            #expect(try palbase.refresh(seed).json["error"] == "token_reuse")
        }
    }

    @Test("an answer of another status has spent nothing", arguments: [401, 429, 500, 503] as [Int64])
    func failedAnswer(_ status: Int64) throws {
        try PalbaseClient.run { (palbase) throws in
            try palbase.behave(["status": .number(JSONNumber(status)), "times": 1])
            let failed = try palbase.refresh(seed)
            #expect(failed.status == Int(status))
            #expect(failed.json["status"] == .number(JSONNumber(status)))
            #expect(try palbase.use(seedDigest) == nil)
            #expect(try palbase.refresh(seed).status == 200)
        }
    }

    @Test("an error of the service's own can be asked for by its code")
    func namedError() throws {
        try PalbaseClient.run { (palbase) throws in
            try palbase.behave(["error": "session_revoked", "times": 1])
            let failed = try palbase.refresh(seed)
            #expect(failed.status == 401)
            #expect(failed.json["error"] == "session_revoked")
            #expect(try palbase.refresh(seed).status == 200)
        }
    }

    @Test("a revoked session is over, its access tokens too, and others are not")
    func revokedSession() throws {
        try PalbaseClient.run { (palbase) throws in
            let session = try palbase.control("sessions", ["refresh_token": "chosen", "subject": "ann"]).json
            let id = try #require(session["session"])
            #expect(session["refresh_token"] == "chosen")
            let minted = try palbase.refresh("chosen")
            let other = try palbase.refresh(seed)
            #expect(try palbase.todos(minted.accessToken).json["subject"] == "ann")
            #expect(try palbase.control("revoke", ["session": id]).status == 200)
            #expect(try palbase.refresh(minted.refreshToken).json["error"] == "session_revoked")
            #expect(try palbase.todos(minted.accessToken).status == 401)
            #expect(try palbase.todos(other.accessToken).status == 200)
            #expect(try palbase.refresh(other.refreshToken).status == 200)
            #expect(try palbase.revokedFamilies() == 0)
        }
    }

    @Test("access tokens can be revoked, one or all")
    func revokedTokens() throws {
        try PalbaseClient.run { (palbase) throws in
            let first = try palbase.refresh(seed)
            let second = try palbase.refresh(first.refreshToken)
            let token = try #require(first.accessToken)
            #expect(try palbase.control("revoke", ["token": .string(token)]).json["revoked"] == 1)
            #expect(try palbase.todos(token).status == 401)
            #expect(try palbase.todos(second.accessToken).status == 200)
            #expect(try palbase.control("revoke").json["revoked"] == 1)
            #expect(try palbase.todos(second.accessToken).status == 401)
        }
    }

    @Test("a refresh token has its end, in the session that was made and in what a refresh brings")
    func expiry() throws {
        try PalbaseClient.run { (palbase) throws in
            #expect(try palbase.refresh(palbase.newSession(["expires_in": -1])).json["error"] == "token_expired")
            try palbase.behave(["refresh_lifetime_seconds": 100])
            let child = try palbase.refresh(seed)
            try palbase.behave(["clock_skew_seconds": 101])
            #expect(try palbase.refresh(child.refreshToken).json["error"] == "token_expired")
        }
    }

    @Test("a session may refresh thirty times a minute; what is over that spends nothing")
    func limit() throws {
        try PalbaseClient.run { (palbase) throws in
            var token: String? = seed
            for _ in 0..<30 { token = try palbase.refresh(token).refreshToken }
            let refused = try palbase.refresh(token)
            #expect(refused.status == 429)
            #expect(refused.json["error"] == "rate_limit_exceeded")
            #expect(refused.json["retry_after"] == 60)
            #expect(refused.headers.values("Retry-After") == ["60"])
            #expect(try palbase.refresh(palbase.newSession()).status == 200)
            try palbase.behave(["clock_skew_seconds": 61])
            #expect(try palbase.refresh(token).status == 200)
            try palbase.behave(["refreshes_per_minute": 1])
            #expect(try palbase.refresh(token).status == 429)
        }
    }

    @Test("the lifetime can be set, and be written in every wrong way")
    func lifetime() throws {
        try PalbaseClient.run { (palbase) throws in
            try palbase.behave(["lifetime_seconds": 1000])
            let minted = try palbase.refresh(seed)
            #expect(minted.json["expires_in"] == 1000)
            try palbase.behave(["clock_skew_seconds": 900])
            #expect(try palbase.todos(minted.accessToken).status == 200)
            try palbase.behave(["clock_skew_seconds": 1000])
            #expect(try palbase.todos(minted.accessToken).status == 401)
            let forms: [(JSONValue, JSONValue?)] = [
                ("milliseconds", 1_000_000), ("string", "1000"), ("missing", nil), ("null", .some(.null)), ("zero", 0),
                ("past", -60),
            ]
            for (form, expected) in forms {
                try palbase.behave(["expires_at": form])
                #expect(try palbase.refresh(palbase.newSession()).json["expires_in"] == expected)
            }
        }
    }

    @Test(
        "a session is not made of what is no session",
        arguments: [["refresh_token": 7], ["user": "ann"], ["expires_in": "1h"]] as [JSONValue]
    )
    func malformedSession(_ members: JSONValue) throws {
        try PalbaseClient.run { (palbase) throws in
            #expect(try palbase.control("sessions", members).status == 400)
            #expect(try palbase.control("sessions", ["refresh_token": .string(seed)]).status == 400)
            #expect(try palbase.control("revoke", ["session": "nobody"]).status == 400)
        }
    }
}

extension PalbaseClient {
    /// Begins a session.
    ///
    /// - Returns: Its first refresh token.
    fileprivate func newSession(_ members: JSONValue = [:]) throws -> String? {
        try control("sessions", members).refreshToken
    }
}
