internal import EventLoop
internal import HTTPWire
internal import TokenBroker

/// One client: reads its requests one after the other, has them answered, and writes the answers in order.
///
/// Bytes that follow a request which is still waiting stay unparsed, and nothing more is read until it is answered: a
/// client that pipelines holds up only itself.
final class Connection: ReadinessHandler {
    private enum State {
        /// Between requests, or inside one.
        case reading
        case waiting(HTTPRequest, number: UInt64, Waiting)
        /// Some of an answer is still to be written.
        case sending([UInt8], sent: Int, keepsAlive: Bool)
        /// More requests have come than one turn of the loop answers; the next turn goes on.
        case yielding
        /// The last answer is out; what still comes is thrown away until the client closes.
        case lingering
        case closed
    }

    let id: ConnectionID
    let peer: Peer
    private unowned let server: Server
    private let descriptor: Descriptor
    private var watch: Watch?
    private var parser = RequestParser()
    private var state = State.reading
    /// What came behind a request that is not answered yet.
    private var backlog: [UInt8] = []
    private var requests: UInt64 = 0
    /// Whether the request that is being read counts as one that came in part.
    private var isUnfinished = false
    /// What the present request is for, and when it was handed to the API.
    private var endpoint = Endpoint.unread
    private var dispatchedAt: Int64 = 0
    private var timer: Timer?

    init(_ id: ConnectionID, _ peer: Peer, _ descriptor: consuming Descriptor, server: Server) throws(SystemError) {
        self.id = id
        self.peer = peer
        self.server = server
        self.descriptor = descriptor
        watch = try server.loop.watch(self.descriptor, for: .read, self)
        timer = server.loop.timer { [unowned self] in deadlinePassed() }
        timer?.arm(after: ServingLimits.idleDeadline)
    }

    /// Whether no request is under way: such a connection can be closed without anybody noticing.
    var isIdle: Bool {
        if case .reading = state { parser.isIdle } else { false }
    }

    // MARK: Events

    func ready(_ readiness: Readiness) {
        if readiness.contains(.failed) { return close() }
        switch state {
        case .reading, .lingering: read()
        case .sending(let bytes, let sent, let keepsAlive): send(bytes, from: sent, keepsAlive: keepsAlive)
        case .waiting: if readiness.contains(.hungUp) { close() }
        case .yielding:
            state = .reading
            resumeParsing()
        case .closed: break
        }
    }

    /// What the request was waiting for has come.
    func resolve(_ number: UInt64, _ resolution: Resolution) {
        guard case .waiting(let request, number, let waiting) = state else { return }
        goOn(request, number, with: waiting.onResolution(resolution))
    }

    /// The server stops: what waits is told so, what is idle ends, what is being sent is sent to its end.
    func drain() {
        switch state {
        case .reading where isIdle && requests == 0: timer?.arm(after: ServingLimits.drainGrace)
        case .reading where isIdle: endIdle()
        case .waiting(let request, _, let waiting):
            waiting.onAbandoned()
            finish(request, .response(waiting.onDrain()))
        case .reading, .sending, .yielding, .lingering, .closed: break
        }
    }

    func close() {
        guard let watch else { return }
        if case .waiting(_, _, let waiting) = state {
            waiting.onAbandoned()
            server.metrics.abandoned(endpoint)
        }
        endRequest()
        state = .closed
        server.loop.unwatch(watch)
        self.watch = nil
        timer?.cancel()
        timer = nil
        server.forget(self)
    }

    /// Ends the connection between two requests, so that none is lost: one that was sent by now is answered, and one that is
    /// sent from here on fails at the client, which knows then that it may be sent again.
    private func endIdle() {
        descriptor.shutdownReading()
        read()
    }

    private func deadlinePassed() {
        switch state {
        case .waiting(let request, _, let waiting):
            waiting.onAbandoned()
            let completion = newCompletion()
            goOn(request, completion.request, with: waiting.onDeadline(completion))
        case .reading where isIdle: endIdle()
        case .reading:
            refuse(Problem(.invalidRequest, "the request did not arrive within 10 seconds of its first byte"))
        case .sending, .yielding, .lingering, .closed: close()
        }
    }

    // MARK: Reading

    private func read() {
        switch descriptor.read(into: server.readBuffer) {
        case .bytes(let count):
            if case .lingering = state { return }
            let input = UnsafeRawBufferPointer(rebasing: server.readBuffer[..<count])
            if !answerUnread(input) { parse(input) }
            if server.handler.takesSecrets { server.readBuffer.wipe(count) }
        case .wouldBlock: break
        case .endOfStream, .failed: close()
        }
    }

    /// Answers a request whose answer is known by its bytes alone.
    ///
    /// - Returns: whether there was one.
    private func answerUnread(_ input: UnsafeRawBufferPointer) -> Bool {
        guard parser.isAtStart, !server.isDraining,
            let answer = server.handler.readyAnswer(to: input, from: peer)
        else { return false }
        requests += 1
        server.metrics.answered(.token, answer.response.status)
        send(answer.bytes, keepsAlive: true)
        return true
    }

    private func parse(_ input: UnsafeRawBufferPointer) {
        let wasIdle = parser.isIdle
        let requestsBefore = requests
        var position = 0
        var answered = 0
        while case .reading = state {
            switch parser.next(input, &position) {
            case .needsMore:
                // Counted from the request's first byte: the bytes that follow do not extend it.
                let isNew = wasIdle || requests != requestsBefore
                if isNew, !parser.isIdle { beginRequest() }
                return
            case .request(let request):
                dispatch(request)
                answered += 1
                if answered == ServingLimits.requestsPerTurn, position < input.count { giveWay() }
            case .continueExpected:
                // A client that cannot take 25 bytes is not reading; it runs into its request's deadline.
                _ = HTTPResponse.continueBytes.withUnsafeBytes { descriptor.send($0) }
            case .refused(let refusal): refuse(Problem(refusal))
            }
        }
        switch state {
        case .waiting, .sending, .yielding: backlog = Array(input[position...])
        case .reading, .lingering, .closed: break
        }
    }

    /// Some of a request has come.
    private func beginRequest() {
        timer?.arm(after: ServingLimits.requestDeadline)
        isUnfinished = server.quota.beginRequest(of: peer.uid)
        if !isUnfinished { refuse(.tooManyConnections) }
    }

    /// The request that came in part is whole, or its connection ends.
    private func endRequest() {
        guard isUnfinished else { return }
        isUnfinished = false
        server.quota.endRequest(of: peer.uid)
    }

    private func dispatch(_ request: HTTPRequest) {
        endRequest()
        let completion = newCompletion()
        endpoint = Endpoint(request.path)
        dispatchedAt = server.loop.nowNanoseconds
        switch server.handler.respond(to: request, from: peer, completion) {
        case .reply(let reply):
            server.metrics.answered(endpoint, reply.status)
            let keepsAlive = keepsAlive(request)
            send(reply.bytes(for: request, keepsAlive: keepsAlive), keepsAlive: keepsAlive)
        case .wait(let waiting):
            endpoint = endpoint.waiting(request.headers)
            if let watch { server.loop.change(watch, to: []) }
            wait(request, completion.request, waiting)
        }
    }

    /// For what comes later to a request, under a number that nothing before it had.
    private func newCompletion() -> Completion {
        requests += 1
        return Completion(server: server, connection: id, request: requests)
    }

    private func goOn(_ request: HTTPRequest, _ number: UInt64, with outcome: Outcome) {
        switch outcome {
        case .reply(let reply): finish(request, reply)
        case .wait(let next): wait(request, number, next)
        }
    }

    private func wait(_ request: HTTPRequest, _ number: UInt64, _ waiting: Waiting) {
        guard !server.isDraining else {
            waiting.onAbandoned()
            return finish(request, .response(waiting.onDrain()))
        }
        state = .waiting(request, number: number, waiting)
        timer?.arm(after: waiting.patience)
    }

    /// Lets the loop's other connections have their turn.
    private func giveWay() {
        guard case .reading = state else { return }
        state = .yielding
        // A socket with room is reported in the next turn; one without has a client that does not take its answers.
        timer?.arm(after: ServingLimits.sendDeadline)
        if let watch { server.loop.change(watch, to: .write) }
    }

    private func keepsAlive(_ request: HTTPRequest) -> Bool {
        request.keepsAlive && !server.isDraining
    }

    private func finish(_ request: HTTPRequest, _ reply: Reply) {
        state = .reading
        server.metrics.answered(endpoint, reply.status, after: server.loop.nowNanoseconds - dispatchedAt)
        let keepsAlive = keepsAlive(request)
        send(reply.bytes(for: request, keepsAlive: keepsAlive), keepsAlive: keepsAlive)
        resumeParsing()
    }

    /// Goes on with what came behind a request that is now answered.
    private func resumeParsing() {
        guard case .reading = state else { return }
        if let watch { server.loop.change(watch, to: .read) }
        if !backlog.isEmpty {
            let input = backlog
            backlog = []
            input.withUnsafeBytes(parse)
        }
        // An answer that was on its way when the drain began said that the connection stays; nobody ends it later.
        if server.isDraining, isIdle { endIdle() }
    }

    /// Says why and ends the connection: where the next request would begin is not known.
    func refuse(_ problem: Problem) {
        let response = problem.response(for: server.handler.audience(ofPath: parser.beginningOfPath))
        // Nothing more is parsed, and what has come need not stay while the client reads why.
        parser = RequestParser()
        server.metrics.answered(.unread, response.status)
        send(response.encoded(version: .http11, keepsAlive: false), keepsAlive: false)
    }

    // MARK: Writing

    private func send(_ bytes: [UInt8], keepsAlive: Bool) {
        let result = bytes.withUnsafeBytes { descriptor.send($0) }
        if case .bytes(bytes.count) = result { return sent(keepsAlive: keepsAlive) }
        guard let written = result.progress else { return close() }
        timer?.arm(after: ServingLimits.sendDeadline)
        state = .sending(bytes, sent: written, keepsAlive: keepsAlive)
        if let watch { server.loop.change(watch, to: .write) }
    }

    private func send(_ bytes: [UInt8], from start: Int, keepsAlive: Bool) {
        let result = bytes.withUnsafeBytes { descriptor.send(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        guard let written = result.progress else { return close() }
        guard start + written == bytes.count else {
            state = .sending(bytes, sent: start + written, keepsAlive: keepsAlive)
            return
        }
        sent(keepsAlive: keepsAlive)
        resumeParsing()
    }

    private func sent(keepsAlive: Bool) {
        if keepsAlive {
            state = .reading
            timer?.arm(after: ServingLimits.idleDeadline)
        } else {
            state = .lingering
            descriptor.shutdownWriting()
            timer?.arm(after: ServingLimits.lingerDeadline)
            if let watch { server.loop.change(watch, to: .read) }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Overwrites the first bytes. The buffer lives on, so that this is no dead store.
    fileprivate func wipe(_ count: Int) {
        UnsafeMutableRawBufferPointer(rebasing: self[..<count]).initializeMemory(as: UInt8.self, repeating: 0)
    }
}

extension WriteResult {
    /// How many bytes went out; nil when none ever will.
    fileprivate var progress: Int? {
        switch self {
        case .bytes(let count): count
        case .wouldBlock: 0
        case .failed: nil
        }
    }
}
