internal import TokenBroker

/// A moment that outlives the process, and with it perhaps the boot whose clock it was read from.
struct KeptMoment: Hashable {
    let moment: Moment
    /// Nil where the boot is not known: it then counts as another one than any.
    let bootID: BootID?

    func advanced(by duration: Duration) -> KeptMoment {
        KeptMoment(moment: moment.advanced(by: duration), bootID: bootID)
    }

    /// The time from `earlier` to this moment by the clock that nobody can set; nil where that was started anew between.
    func since(_ earlier: KeptMoment) -> Duration? {
        isOfSameBoot(as: earlier) ? moment.boot.since(earlier.moment.boot) : nil
    }

    /// Whether this moment is not after `now`; after another start of the host the calendar alone tells.
    func hasPassed(at now: KeptMoment) -> Bool {
        isOfSameBoot(as: now) ? moment.boot <= now.moment.boot : moment.wall <= now.moment.wall
    }

    private func isOfSameBoot(as other: KeptMoment) -> Bool {
        bootID != nil && bootID == other.bootID
    }
}
