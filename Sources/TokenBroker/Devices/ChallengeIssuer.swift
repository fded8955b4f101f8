/// Gives out challenges and knows its own again without remembering them: what a flood asks for takes no room.
///
/// A challenge is its number, which is random, its end, and a code over both and the route's name with a key that no start
/// has in common with another.
struct ChallengeIssuer: Sendable {
    /// A code for a message that only who has the key can make; at least ``codeLength`` bytes.
    typealias Authentication = @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]

    /// Time enough for an app to have its device sign, over a slow network too.
    static let lifetime: Duration = .seconds(300)
    static let keyLength = 32
    private static let numberLength = 16
    private static let endLength = 8
    /// 128 bits are beyond guessing.
    private static let codeLength = 16
    private static let length = numberLength + endLength + codeLength

    /// What sets a challenge apart from all others.
    struct Number: Hashable, Sendable {
        let high: UInt64
        let low: UInt64
    }

    private let key: [UInt8]
    private let start: BootInstant
    private let authenticate: Authentication

    /// - Parameters:
    ///   - key: ``keyLength`` bytes that nobody can guess.
    ///   - start: what ends are counted from, so that a challenge does not tell how long the host has been up.
    init(key: [UInt8], start: BootInstant, authenticate: @escaping Authentication) {
        self.key = key
        self.start = start
        self.authenticate = authenticate
    }

    func challenge(_ number: Number, for route: Name, at now: BootInstant) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: number.high)
        bytes.append(bigEndian: number.low)
        bytes.append(bigEndian: now.advanced(by: Self.lifetime).since(start).saturatedMilliseconds)
        return bytes + code(bytes, route)
    }

    /// Checks that a challenge was given out here, for this route, and is in time.
    func check(_ challenge: [UInt8], for route: Name, at now: BootInstant) throws(DeviceRejection) -> Number {
        let (claim, code) = (challenge.dropLast(Self.codeLength), challenge.suffix(Self.codeLength))
        guard challenge.count == Self.length, isEqual(code, self.code(Array(claim), route)) else {
            throw .challengeUnknown
        }
        var bytes = claim[...]
        guard let high = bytes.takeNumber(UInt64.self), let low = bytes.takeNumber(UInt64.self),
            let end = bytes.takeNumber(Int64.self)
        else { throw .challengeUnknown }
        guard now.since(start) < .milliseconds(end) else { throw .challengeExpired }
        return Number(high: high, low: low)
    }

    private func code(_ claim: [UInt8], _ route: Name) -> ArraySlice<UInt8> {
        // The claim's length is fixed, so that no name can be mistaken for part of it.
        authenticate(claim + route.text.utf8, key).prefix(Self.codeLength)
    }

    /// Without telling by its duration where the first difference is.
    private func isEqual(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
