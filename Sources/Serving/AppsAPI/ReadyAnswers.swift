internal import TokenBroker

/// The answers that were made last, each used again while it would come out the same.
///
/// Making one costs some microseconds and sending one costs one system call, so a token that is asked for a hundred
/// thousand times a second is written out once a second.
struct ReadyAnswers {
    private struct Entry {
        let generation: Generation
        let isDegraded: Bool
        let expiresIn: Int64
        /// Which second of the wall clock, counted from boot: it changes when that clock is set.
        let clockOffset: Int64
        let answer: ReadyAnswer
    }

    private var entries: [Name: Entry] = [:]

    mutating func answer(for document: TokenDocument, at now: Moment) -> ReadyAnswer {
        let expiresIn = document.expiresIn(at: now)
        let clockOffset = (now.wall.milliseconds - now.boot.nanoseconds / 1_000_000) / 1000
        if let entry = entries[document.name], entry.generation == document.token.generation,
            entry.expiresIn == expiresIn, entry.isDegraded == document.isDegraded, entry.clockOffset == clockOffset
        {
            return entry.answer
        }
        let answer = ReadyAnswer(document.response(at: now))
        entries[document.name] = Entry(
            generation: document.token.generation,
            isDegraded: document.isDegraded,
            expiresIn: expiresIn,
            clockOffset: clockOffset,
            answer: answer
        )
        return answer
    }

    /// Lets go of all answers, and of the tokens in them.
    mutating func removeAll() {
        entries = [:]
    }
}
