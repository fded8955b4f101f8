internal import CCurl
internal import TokenBroker

/// What a pool's thread does: takes requests in, lets libcurl work, hands answers out. All of it is the thread's alone.
struct PoolLoop {
    /// Transfers at once. Each can need a connection and a thread for its name lookup; more requests wait for their turn.
    private static let maximumTransfers = 16
    /// How long the thread of a lookup that was given up is reckoned to live on: the system's resolver asks each of three
    /// servers twice for five seconds, for two kinds of addresses. It keeps its transfer's place so long, which bounds
    /// the number of such threads.
    private static let abandonedLookupLifetime: Duration = .seconds(60)

    let origin: Origin
    let settings: UpstreamSettings
    let userAgent: String
    let clock: any HostClock
    let inbox: Inbox
    let multi: MultiHandle

    private var waiting: [Submission] = []
    private var active: [UnsafeMutableRawPointer: Transfer] = [:]
    private var abandonedLookupEnds: [BootInstant] = []

    init(
        origin: Origin,
        settings: UpstreamSettings,
        userAgent: String,
        clock: any HostClock,
        inbox: Inbox,
        multi: MultiHandle
    ) {
        self.origin = origin
        self.settings = settings
        self.userAgent = userAgent
        self.clock = clock
        self.inbox = inbox
        self.multi = multi
    }

    /// Works until the inbox is closed, then fails what is left.
    mutating func run() {
        while takeArrivals() {
            let now = clock.now().boot
            abandonedLookupEnds.removeAll { $0 <= now }
            dropCancelled(now: now)
            dropOverdue(now: now)
            startWaiting()
            multi.perform()
            finishEnded(now: now)
            // A place that has just become free is taken at once.
            if waiting.isEmpty || freePlaces == 0 {
                multi.wait(milliseconds: millisecondsUntilNextTurn(now: now))
            }
        }
        failEverything()
        inbox.markEnded()
    }

    private var freePlaces: Int {
        max(0, Self.maximumTransfers - active.count - abandonedLookupEnds.count)
    }

    private mutating func takeArrivals() -> Bool {
        let arrivals = inbox.take()
        waiting += arrivals.submissions
        return !arrivals.isClosed
    }

    private mutating func dropCancelled(now: BootInstant) {
        for (key, transfer) in active where transfer.submission.cancellation.isSet {
            active[key] = nil
            multi.remove(transfer.easy)
            noteLookupLeftBehind(by: transfer, now: now)
            fail(transfer.submission, .cancelled, "the request was cancelled", wasSent: transfer.requestedAt != nil)
        }
        failWaiting(.cancelled, "the request was cancelled") { $0.cancellation.isSet }
    }

    private mutating func dropOverdue(now: BootInstant) {
        failWaiting(.timedOut, "no connection became free in time") { $0.deadline <= now }
    }

    private mutating func startWaiting() {
        let starting = waiting.prefix(freePlaces)
        waiting.removeFirst(starting.count)
        for submission in starting {
            do throws(UpstreamFailure) {
                try start(submission)
            } catch {
                submission.fail(error)
            }
        }
    }

    private mutating func start(_ submission: Submission) throws(UpstreamFailure) {
        let transfer = try Transfer(
            submission,
            origin: origin,
            settings: settings,
            userAgent: userAgent,
            clock: clock
        )
        guard multi.add(transfer.easy) else {
            throw UpstreamFailure(.other, "libcurl does not take the transfer")
        }
        active[transfer.easy.pointer] = transfer
    }

    private mutating func finishEnded(now: BootInstant) {
        while let (easy, result) = multi.nextFinished() {
            guard let transfer = active.removeValue(forKey: easy) else { continue }
            multi.remove(transfer.easy)
            if result == CURLE_OPERATION_TIMEDOUT { noteLookupLeftBehind(by: transfer, now: now) }
            transfer.finish(result)
        }
    }

    /// The name lookup of a transfer that did not end by itself goes on in a thread that nothing can stop.
    private mutating func noteLookupLeftBehind(by transfer: Transfer, now: BootInstant) {
        if transfer.leavesLookupBehind {
            abandonedLookupEnds.append(now.advanced(by: Self.abandonedLookupLifetime))
        }
    }

    private func millisecondsUntilNextTurn(now: BootInstant) -> Int32 {
        // With nothing waiting only libcurl's own limits and a wake-up count.
        guard !waiting.isEmpty, let next = (waiting.map(\.deadline) + abandonedLookupEnds).min() else { return .max }
        // One more than rounded down, so that the time has passed at the next turn.
        return Int32(clamping: next.since(now).saturatedMilliseconds.advanced(by: 1))
    }

    private mutating func failEverything() {
        for transfer in active.values {
            multi.remove(transfer.easy)
            fail(transfer.submission, .closed, "the client was closed", wasSent: transfer.requestedAt != nil)
        }
        active = [:]
        failWaiting(.closed, "the client was closed") { _ in true }
    }

    private mutating func failWaiting(
        _ code: UpstreamFailure.Code,
        _ message: String,
        where isConcerned: (Submission) -> Bool
    ) {
        for submission in waiting where isConcerned(submission) {
            fail(submission, code, message, wasSent: false)
        }
        waiting.removeAll(where: isConcerned)
    }

    private func fail(_ submission: Submission, _ code: UpstreamFailure.Code, _ message: String, wasSent: Bool) {
        submission.fail(UpstreamFailure(code, "\(origin.authority): \(message)", requestMayHaveBeenSent: wasSent))
    }
}
