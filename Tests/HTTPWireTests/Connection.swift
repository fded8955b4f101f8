@testable import HTTPWire

/// What a parser said about a stream, in a form that can be compared.
struct Transcript: Equatable {
    enum Event: Equatable {
        case request(String, body: String, keepsAlive: Bool)
        case continueExpected
        case refused(WireRefusal.Code, path: String)
    }

    var events: [Event] = []
    var isIdle = true
    /// The most that was held of an unfinished request.
    var mostBuffered = 0

    /// Reads a stream that arrives in pieces, the last of which is what the others leave.
    init(_ stream: [UInt8], pieces: [Int] = [], limits: WireLimits = .default) {
        var parser = RequestParser(limits: limits)
        var rest = stream[...]
        for piece in pieces + [stream.count] where !rest.isEmpty {
            let input = Array(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            take(input, &parser)
            if case .refused = events.last {
                isIdle = parser.isIdle
                return
            }
        }
        isIdle = parser.isIdle
    }

    init(_ stream: String, limits: WireLimits = .default) {
        self.init(Array(stream.utf8), limits: limits)
    }

    private mutating func take(_ input: [UInt8], _ parser: inout RequestParser) {
        input.withUnsafeBytes { bytes in
            var position = 0
            while true {
                let event = parser.next(bytes, &position)
                mostBuffered = max(mostBuffered, parser.bufferedBytes)
                switch event {
                case .needsMore: return precondition(position == bytes.count, "input is left over")
                case .continueExpected: events.append(.continueExpected)
                case .refused(let refusal):
                    return events.append(.refused(refusal.code, path: text(parser.beginningOfPath)))
                case .request(let request):
                    let fields = request.headers.map { " \($0.name)=\($0.value)" }.joined()
                    events.append(
                        .request(
                            "\(request.method.name) \(String(decoding: request.target, as: UTF8.self))\(fields)",
                            body: String(decoding: request.body, as: UTF8.self),
                            keepsAlive: request.keepsAlive
                        )
                    )
                }
            }
        }
    }

    var refusal: WireRefusal.Code? {
        if case .refused(let code, _) = events.last { code } else { nil }
    }

    /// How many whole requests there were.
    var requests: Int {
        events.count { if case .request = $0 { true } else { false } }
    }
}

/// The one request of a stream, or nil.
func parsed(_ stream: String) -> HTTPRequest? {
    var parser = RequestParser()
    return Array(stream.utf8).withUnsafeBytes { bytes in
        var position = 0
        if case .request(let request) = parser.next(bytes, &position) { return request }
        return nil
    }
}

func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self)
}

/// SplitMix64: the same streams in every run of a seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
