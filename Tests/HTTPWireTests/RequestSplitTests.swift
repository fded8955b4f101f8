import HTTPWire
import TestSupport
import Testing

@Suite("Requests in pieces", .blocking)
struct RequestSplitTests {
    private static let streams = [
        "\r\n\r\nGET /a?b=c HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\nGET /b HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello\r\nPUT /b HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5;x=y\r\nhello\r\nc\r\n, and world!\r\n0\r\nT: v\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nignored\n",
        "GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\nX: a\nb\r\n\r\n",
    ].map { Array($0.utf8) }

    @Test("come to the same at every split point", arguments: streams)
    func splits(_ stream: [UInt8]) {
        let whole = Transcript(stream)
        #expect(whole.requests >= 1)
        for first in stream.indices {
            #expect(Transcript(stream, pieces: [first]).events == whole.events, "split at \(first)")
        }
        let bytewise = Transcript(stream, pieces: Array(repeating: 1, count: stream.count))
        #expect(bytewise.events == whole.events)
        #expect(bytewise.isIdle == whole.isIdle)
    }

    @Test("come to the same at random splits of random streams", arguments: 0..<100 as Range<UInt64>)
    func randomStreams(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...6, using: &generator)
        let requests = (0..<count).map { _ in RandomRequest(using: &generator) }
        let stream = requests.flatMap(\.bytes)
        let whole = Transcript(stream)
        #expect(whole.events == requests.flatMap(\.events))
        for _ in 0..<10 {
            let pieces = (0..<stream.count).map { _ in Int.random(in: 1...60, using: &generator) }
            let transcript = Transcript(stream, pieces: pieces)
            #expect(transcript.events == whole.events)
            #expect(transcript.isIdle)
        }
    }

    @Test("come to the same after random damage, within the limits", arguments: 0..<60 as Range<UInt64>)
    func damage(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var limits = WireLimits()
        limits.headBytes = 300
        limits.bodyBytes = 200
        let stream = (0..<3).flatMap { _ in RandomRequest(using: &generator).bytes }
        for _ in 0..<30 {
            var damaged = stream
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: damaged.indices, using: &generator)
                switch Int.random(in: 0...3, using: &generator) {
                case 0: damaged[index] = .random(in: 0...255, using: &generator)
                case 1: damaged.remove(at: index)
                case 2: damaged.insert(damaged[index], at: index)
                default: damaged.removeSubrange(index...)
                }
                if damaged.isEmpty { damaged = [0] }
            }
            let pieces = (0..<damaged.count).map { _ in Int.random(in: 1...60, using: &generator) }
            let whole = Transcript(damaged, limits: limits)
            let inPieces = Transcript(damaged, pieces: pieces, limits: limits)
            #expect(inPieces.events == whole.events)
            #expect(inPieces.isIdle == whole.isIdle)
            #expect(max(whole.mostBuffered, inPieces.mostBuffered) <= limits.headBytes)
        }
    }
}

/// A valid request, and what a parser has to say about it.
private struct RandomRequest {
    var bytes: [UInt8] = []
    var events: [Transcript.Event] = []

    init(using generator: inout SeededGenerator) {
        let method = ["GET", "POST", "PUT", "OPTIONS"].randomElement(using: &generator) ?? "GET"
        var fields = [("Host", "a")]
        for index in 0..<Int.random(in: 0...4, using: &generator) {
            fields.append(("X-\(index)", String(repeating: "v", count: .random(in: 0...9, using: &generator))))
        }
        var body = ""
        var encodedBody = ""
        let expects = Bool.random(using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0: break
        case 1:
            body = String(repeating: "b\r\n", count: .random(in: 1...20, using: &generator))
            encodedBody = body
            fields.append(("Content-Length", "\(body.utf8.count)"))
        default:
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let chunk = String(repeating: "0\r\n", count: .random(in: 1...9, using: &generator))
                body += chunk
                encodedBody += "\(String(chunk.utf8.count, radix: 16))\(Bool.random(using: &generator) ? ";x" : "")\r\n"
                encodedBody += chunk + "\r\n"
            }
            encodedBody += "0\r\n\(Bool.random(using: &generator) ? "T: v\r\n" : "")\r\n"
            fields.append(("Transfer-Encoding", "chunked"))
        }
        if expects { fields.append(("Expect", "100-continue")) }
        if Bool.random(using: &generator) { bytes += Array("\r\n".utf8) }
        bytes += Array("\(method) /x HTTP/1.1\r\n".utf8)
        for (name, value) in fields { bytes += Array("\(name): \(value)\r\n".utf8) }
        bytes += Array("\r\n\(encodedBody)".utf8)
        if expects, !encodedBody.isEmpty { events.append(.continueExpected) }
        let summary = "\(method) /x" + fields.map { " \($0)=\($1)" }.joined()
        events.append(.request(summary, body: body, keepsAlive: true))
    }
}
