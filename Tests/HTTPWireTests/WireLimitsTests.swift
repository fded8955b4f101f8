import Testing

@testable import HTTPWire

@Suite("Limits of a request")
struct WireLimitsTests {
    private func head(ofBytes count: Int) -> String {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
        return start + String(repeating: "x", count: count - start.utf8.count - 4) + "\r\n\r\n"
    }

    @Test("a head may be 16 KiB long, and no longer")
    func head() {
        #expect(Transcript(head(ofBytes: 16 * 1024)).requests == 1)
        let tooLong = Transcript(head(ofBytes: 16 * 1024 + 1))
        #expect(tooLong.events == [.refused(.headersTooLarge, path: "/")])
    }

    @Test("a head's limit holds in pieces, and for a head that never ends")
    func headInPieces() {
        let ones = Array(repeating: 1, count: 20_000)
        #expect(Transcript(Array(head(ofBytes: 16 * 1024).utf8), pieces: ones).requests == 1)
        let tooLong = Transcript(Array(head(ofBytes: 16 * 1024 + 1).utf8), pieces: ones)
        #expect(tooLong.refusal == .headersTooLarge)
        #expect(tooLong.mostBuffered == 16 * 1024)
        let endless = Transcript(Array(repeating: UInt8(ascii: "a"), count: 100_000), pieces: [1000, 20_000])
        #expect(endless.refusal == .headersTooLarge)
        #expect(endless.mostBuffered <= 16 * 1024)
        #expect(Transcript(Array(repeating: UInt8(ascii: "a"), count: 16 * 1024)).events.isEmpty)
    }

    @Test("a head may have 100 fields, and no more")
    func fields() {
        let fields = String(repeating: "X: y\r\n", count: 99)
        #expect(Transcript("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n").requests == 1)
        #expect(Transcript("GET / HTTP/1.1\r\nHost: a\r\n\(fields)X: y\r\n\r\n").refusal == .headersTooLarge)
    }

    @Test("four empty lines may come before a request, and no more, even with nothing between")
    func emptyLines() {
        let lines = String(repeating: "\r\n", count: 4)
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(Transcript(lines + request + lines + request).requests == 2)
        #expect(Transcript(lines + "\r\n").refusal == .malformed)
        #expect(Transcript(request + lines + "\r\n" + request).events.last == .refused(.malformed, path: ""))
    }

    @Test("a stated length may be 64 KiB, and more is refused at once")
    func length() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: "
        let body = String(repeating: "b", count: 64 * 1024)
        #expect(Transcript("\(head)65536\r\n\r\n\(body)").requests == 1)
        for length in ["65537", "9223372036854775807", "9223372036854775808", "18446744073709551616"] {
            #expect(Transcript("\(head)\(length)\r\n\r\n").events == [.refused(.payloadTooLarge, path: "/")])
        }
        let digits = String(repeating: "9", count: 10_000)
        #expect(Transcript("\(head)\(digits)\r\n\r\n").refusal == .payloadTooLarge)
    }

    private static let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test("chunks may come to 64 KiB, and more is refused at the size that says so")
    func chunks() {
        let most = String(repeating: "8000\r\n" + String(repeating: "b", count: 0x8000) + "\r\n", count: 2)
        #expect(Transcript(Self.chunked + most + "0\r\n\r\n").requests == 1)
        #expect(Transcript(Self.chunked + most + "1").refusal == .payloadTooLarge)
        for size in ["10001", "8000000000000000", "FFFFFFFFFFFFFFFF", "7fffffffffffffff"] {
            #expect(Transcript(Self.chunked + size + "\r\n").refusal == .payloadTooLarge)
        }
        #expect(Transcript(Self.chunked + "0000000000000000\r\n\r\n").requests == 1)
    }

    @Test("chunk extensions and trailers may come to 4 KiB together, and no more")
    func metadata() {
        // Behind each `;` an extension is counted through its CR.
        let extensions = String(repeating: "1;" + String(repeating: "x", count: 1023) + "\r\nb\r\n", count: 3)
        func body(trailerValue count: Int) -> String {
            // `T: ` and CRLF, then the CR of the empty line: six bytes beside the value.
            Self.chunked + extensions + "0\r\nT: " + String(repeating: "v", count: count) + "\r\n\r\n"
        }
        #expect(Transcript(body(trailerValue: 1024 - 6)).requests == 1)
        #expect(Transcript(body(trailerValue: 1024 - 5)).refusal == .headersTooLarge)
        let endless = String(repeating: "T: v\r\n", count: 1000)
        #expect(Transcript(Self.chunked + "0\r\n" + endless).refusal == .headersTooLarge)
    }

    @Test("nothing is set aside for a body that is only announced")
    func announcedBody() {
        let transcript = Transcript("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65536\r\n\r\nb")
        #expect(transcript.events.isEmpty)
        #expect(transcript.mostBuffered == 1)
    }
}
