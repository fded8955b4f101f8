import Testing

@testable import TokenBroker

@Suite("The life of a secret")
struct SecretLifeTests {
    private static let now = Harness.start.wall
    private static let later = now.advanced(by: .seconds(60))

    /// A life whose `values` came in one after the other, each promoted before the next.
    private func life(_ values: String...) throws -> SecretLife {
        var life = SecretLife()
        for value in values {
            if case .candidate(let number) = life.take(value) {
                try life.verify(number, at: Self.now)
                try life.promote(retiring: Self.later, at: Self.now)
            }
        }
        return life
    }

    private func states(_ life: SecretLife) -> [SecretVersion.State] { life.versions.map(\.state) }

    @Test("begins with a value that is active at once")
    func first() {
        var life = SecretLife()
        #expect(life.take("one") == .first(SecretVersionNumber(1)))
        #expect(states(life) == [.active])
    }

    @Test("goes on with a candidate that changes nothing before it is promoted")
    func candidate() throws {
        var life = try life("one")
        #expect(life.take("two") == .candidate(SecretVersionNumber(2)))
        #expect(life.active?.value?.revealed == "one")
        try life.verify(SecretVersionNumber(2), at: Self.now)
        #expect(life.active?.value?.revealed == "one")
        try life.promote(retiring: Self.later, at: Self.now)
        #expect(life.active?.value?.revealed == "two")
        #expect(life.retiring.map(\.value?.revealed) == ["one"])
        #expect(life.retiring.first?.retiresAt == Self.later)
    }

    @Test("promotes nothing that was not verified")
    func unverified() throws {
        var life = try life("one")
        #expect(throws: SecretStepRefusal.noCandidate) { try life.promote(retiring: nil, at: Self.now) }
        _ = life.take("two")
        #expect(throws: SecretStepRefusal.self) { try life.promote(retiring: nil, at: Self.now) }
        try life.verify(SecretVersionNumber(2), at: Self.now)
        try life.refuse(SecretVersionNumber(2), because: "no", at: Self.now)
        #expect(throws: SecretStepRefusal.self) { try life.promote(retiring: nil, at: Self.now) }
        #expect(life.active?.value?.revealed == "one")
    }

    @Test("has one candidate: a newer one takes its place, and the present value takes it away")
    func oneCandidate() throws {
        var life = try life("one")
        _ = life.take("two")
        _ = life.take("three")
        #expect(states(life) == [.active, .retired, .staged])
        #expect(life.take("one") == .known)
        #expect(states(life) == [.active, .retired, .retired])
        #expect(throws: SecretStepRefusal.overtaken) { try life.verify(SecretVersionNumber(3), at: Self.now) }
    }

    @Test("takes a refused value from a file once, and one that is staged by hand each time")
    func refusedAgain() throws {
        for origin in SecretVersion.Origin.allCases {
            var life = try life("one")
            _ = life.take("two", from: origin)
            try life.refuse(SecretVersionNumber(2), because: "no", at: Self.now)
            let again = life.take("two", from: origin)
            #expect(again == (origin == .managed ? .candidate(SecretVersionNumber(3)) : .known))
        }
    }

    @Test("goes back to the version before, and keeps the other from coming back by itself")
    func rollBack() throws {
        var life = try life("one", "two")
        #expect(life.mayFallBack)
        try life.rollBack(because: "it failed", at: Self.now)
        #expect(life.active?.value?.revealed == "one")
        #expect(life.candidate?.refusal == "it failed")
        #expect(!life.mayFallBack)
        #expect(life.take("two") == .known)
        #expect(throws: SecretStepRefusal.nothingRetiring) { try life.rollBack(because: "", at: Self.now) }
    }

    @Test("ends a managed version that is not taken with the replaced ones, and remembers one from a file")
    func retiresRefused() throws {
        for origin in SecretVersion.Origin.allCases {
            for isPromoted in [true, false] {
                var life = try life("one")
                _ = life.take("two", from: origin)
                if isPromoted {
                    try life.verify(SecretVersionNumber(2), at: Self.now)
                    try life.promote(retiring: Self.later, at: Self.now)
                    try life.rollBack(because: "it failed", at: Self.now)
                } else {
                    try life.refuse(SecretVersionNumber(2), because: "no", at: Self.now)
                }
                #expect(life.candidate?.wasTakenBack == isPromoted)
                if origin == .managed {
                    #expect(try life.retire(at: Self.now) == [SecretVersionNumber(2)])
                    #expect(states(life) == [.active, .retired])
                    #expect(life.versions.last?.value == nil)
                } else {
                    #expect(throws: SecretStepRefusal.nothingRetiring) { try life.retire(at: Self.now) }
                    #expect(life.take("two", from: origin) == .known)
                }
            }
        }
    }

    @Test("has no way back after a final promotion, and after the version before retired")
    func noWayBack() throws {
        var final = try life("one")
        _ = final.take("two")
        try final.verify(SecretVersionNumber(2), at: Self.now)
        try final.promote(retiring: nil, at: Self.now)
        #expect(states(final) == [.retired, .active])
        #expect(!final.mayFallBack)
        var retired = try life("one", "two")
        try retired.retire(at: Self.now)
        #expect(!retired.mayFallBack)
        #expect(throws: SecretStepRefusal.nothingRetiring) { try retired.rollBack(because: "", at: Self.now) }
    }

    @Test("wipes the value of what retires, and remembers so many of them")
    func retires() throws {
        var life = try life("one")
        for number in 2...20 {
            _ = life.take("value-\(number)")
            try life.verify(life.lastNumber, at: Self.now)
            try life.promote(retiring: nil, at: Self.now)
        }
        let retired = life.versions.filter { $0.state == .retired }
        #expect(retired.allSatisfy { $0.value == nil })
        #expect(retired.count == SecretLife.rememberedVersions)
        #expect(life.lastNumber == SecretVersionNumber(20))
        #expect(life.versions.map(\.number.number) == Array(10...20))
    }

    @Test("goes on with what was in force while it could not be read")
    func resumes() throws {
        var life = try life("one")
        let other = try self.life("two")
        life.resume(try #require(other.active), retiring: Self.later, at: Self.now)
        #expect(life.active?.value?.revealed == "two")
        #expect(life.retiring.map(\.value?.revealed) == ["one"])
        let before = life
        life.resume(try #require(life.active), retiring: Self.later, at: Self.now)
        #expect(life == before)
    }
}

extension SecretLife {
    fileprivate mutating func take(_ value: String, from origin: SecretVersion.Origin = .file) -> Arrival {
        take(Secret(value.utf8), fingerprint: "f-\(value)", from: origin, at: Harness.start.wall)
    }
}

extension Secret {
    /// What a test gave.
    var revealed: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
