// A libFuzzer driver for the request reader, built by Tests/Fuzz/run.

import HTTPWire

/// What is mutated: requests of every form that is read. Bytes alone do not come to be one in any time.
private let seeds = [
    "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /v1/tokens/web?min_ttl=60&end_user=%41+b HTTP/1.1\r\nHost: a\r\nPrefer: wait=5\r\nIf-None-Match: \"7\"\r\n\r\n",
    "POST /v1/tokens/web HTTP/1.1\r\nHost: a\r\nContent-Length: 14\r\n\r\n{\"min_ttl\":60}",
    "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n",
    "POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
    "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nHEAD /b HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n",
    "DELETE http://localhost/v1/devices/dev_0 HTTP/1.1\r\nHost: localhost\r\n\r\nOPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
]

/// Called before the corpus is read.
@_cdecl("LLVMFuzzerInitialize")
public func seedRequests(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    for (index, seed) in seeds.enumerated() {
        let events = transcript(of: Array(seed.utf8), inPiecesOf: 3, limits)
        precondition(!events.contains { $0.hasPrefix("refused") }, "a seed is refused")
        Seed.write([UInt8(index)] + seed.utf8, name: "request-\(index)")
    }
    return 0
}

/// So low that inputs of a fuzzer's length go over each of them.
private let limits = {
    var limits = WireLimits()
    limits.headBytes = 512
    limits.bodyBytes = 256
    limits.headerCount = 12
    limits.chunkMetadataBytes = 64
    return limits
}()

/// The first byte says in which pieces the rest is read; whole and in pieces must come to the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequestParser(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let stream = Array(input.dropFirst())
    let whole = transcript(of: stream, inPiecesOf: max(stream.count, 1), limits)
    let pieces = transcript(of: stream, inPiecesOf: Int(first) + 1, limits)
    precondition(whole == pieces, "whole and in pieces differ")
    return 0
}

private func transcript(of stream: [UInt8], inPiecesOf size: Int, _ limits: WireLimits) -> [String] {
    var parser = RequestParser(limits: limits)
    var transcript: [String] = []
    var start = 0
    while start < stream.count {
        let piece = Array(stream[start..<min(start + size, stream.count)])
        start += piece.count
        piece.withUnsafeBytes { input in
            var position = 0
            while let event = describe(parser.next(input, &position), &parser) {
                transcript.append(event)
                if event.hasPrefix("refused") {
                    start = stream.count
                    return
                }
            }
            precondition(position == input.count, "input is left over")
        }
    }
    return transcript + ["idle: \(parser.isIdle)"]
}

/// Looks at everything a caller may look at; nil when more input is wanted.
private func describe(_ event: RequestParser.Event, _ parser: inout RequestParser) -> String? {
    switch event {
    case .needsMore: return nil
    case .continueExpected: return "continue"
    case .refused(let refusal): return "refused \(refusal.code) \(parser.beginningOfPath)"
    case .request(let request):
        let items = request.query.flatMap(QueryItems.init(parsing:))
        let fields = request.headers.map { "\($0.name): \($0.value)" }
        precondition(request.headers.count(of: "host") <= 1 && !request.path.isEmpty && request.body.count <= 256)
        return """
            \(request.method.name) \(request.target) \(request.path) \(request.query ?? []) \(request.version) \(fields)
            \(request.keepsAlive) \(request.body) \(items?.encoded ?? "")
            """
    }
}
