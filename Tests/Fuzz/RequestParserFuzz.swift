// A libFuzzer driver for the request reader, built with the module's own sources:
//
//     swiftc -parse-as-library -sanitize=fuzzer,address -O Sources/HTTPWire/*.swift Tests/Fuzz/RequestParserFuzz.swift
//     SWIFT_BACKTRACE=enable=no ./RequestParserFuzz -max_len=4096
//
// Without SWIFT_BACKTRACE a finding hangs in the crash printer.

#if canImport(HTTPWire)
    import HTTPWire
#endif

/// The first byte says in which pieces the rest is read; whole and in pieces must come to the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequestParser(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let stream = Array(input.dropFirst())
    // Limits so low that inputs of a fuzzer's length go over each of them.
    var limits = WireLimits()
    limits.headBytes = 512
    limits.bodyBytes = 256
    limits.headerCount = 12
    limits.chunkMetadataBytes = 64
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
