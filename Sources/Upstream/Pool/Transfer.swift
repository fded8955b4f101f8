internal import CCurl
internal import TokenBroker

/// One request in libcurl's hands. It belongs to the pool's thread, and libcurl's callbacks come on that thread.
///
/// libcurl holds an unretained pointer to it: the loop keeps it until its handle has left the multi handle.
final class Transfer {
    /// A token's answer has less than a thousandth of this; more is not read into memory.
    static let maximumBodyBytes = 1024 * 1024

    let submission: Submission
    let easy: EasyHandle
    let trust: TrustSettings
    /// What failures call the provider by.
    let authority: String
    /// Set once the body or the head is longer than its limit.
    private(set) var isTooLarge = false
    /// When the request was last handed to a connection.
    private(set) var requestedAt: Moment?
    /// What the connection that this transfer opened has to pass, where there are pins.
    private(set) var pinCheck: PinCheck?

    private let clock: any HostClock
    private let headers: HeaderList
    private let requestBody: WipedBuffer
    private var head = ResponseHead()
    private var body: [UInt8] = []

    init(_ submission: Submission, origin: Origin, settings: UpstreamSettings, userAgent: String, clock: any HostClock)
        throws(UpstreamFailure)
    {
        self.submission = submission
        self.clock = clock
        trust = settings.trust
        authority = origin.authority
        easy = try EasyHandle()
        headers = try HeaderList(submission.request.headers)
        requestBody = WipedBuffer(count: submission.request.body.count)
        requestBody.bytes.copyBytes(from: submission.request.body)
        let remaining = submission.deadline.since(clock.now().boot)
        try configure(origin: origin, settings: settings, userAgent: userAgent, limit: remaining)
        try describe(submission.request, to: settings)
        try installCallbacks()
    }

    private func describe(_ request: UpstreamRequest, to settings: UpstreamSettings) throws(UpstreamFailure) {
        let isPath = request.path.isEmpty || request.path.first == "/"
        guard isPath, request.path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw UpstreamFailure(.invalidRequest, "the request's path has a byte that none may have")
        }
        try easy.set(CURLOPT_URL, settings.baseURL + request.path)
        try easy.set(CURLOPT_HTTPHEADER, pointingTo: headers.pointer)
        try easy.set(CURLOPT_FRESH_CONNECT, !request.isReplayable)
        switch request.method {
        case .get: break
        case .delete: try easy.set(CURLOPT_CUSTOMREQUEST, "DELETE")
        case .post:
            try easy.set(CURLOPT_POST, true)
            try easy.set(CURLOPT_POSTFIELDSIZE, requestBody.bytes.count)
            try easy.set(CURLOPT_POSTFIELDS, pointingTo: requestBody.bytes.baseAddress)
        }
    }

    // MARK: What libcurl's callbacks report

    func requestIsAboutToBeSent() {
        requestedAt = clock.now()
    }

    /// - Returns: false when the connection would go unchecked.
    func pin(_ tlsContext: OpaquePointer) -> Bool {
        pinCheck = trust.pins.map { PinCheck($0) }
        return pinCheck?.attach(to: tlsContext) ?? true
    }

    func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        let fits = head.take(line)
        if !fits { isTooLarge = true }
        return fits
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= Self.maximumBodyBytes else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    // MARK: How it ended

    /// Whether libcurl's thread for the name lookup may still be at work although the transfer is over.
    var leavesLookupBehind: Bool {
        requestedAt == nil && easy.microseconds(CURLINFO_NAMELOOKUP_TIME_T) == 0
    }

    func finish(_ result: CURLcode) {
        submission.continuation.resume(returning: outcome(of: result))
    }

    private func outcome(of result: CURLcode) -> Result<UpstreamResponse, UpstreamFailure> {
        guard result == CURLE_OK else { return .failure(failure(for: result)) }
        guard head.isComplete, let requestedAt else { return .failure(failure(for: CURLE_PARTIAL_FILE)) }
        let response = UpstreamResponse(
            status: easy.integer(CURLINFO_RESPONSE_CODE),
            headers: UpstreamHeaders(head.fields),
            body: body,
            requestedAt: requestedAt,
            receivedAt: clock.now().wall
        )
        return .success(response)
    }
}
