internal import TokenBroker

/// A value that is kept as one encrypted row.
///
/// `scope` and `key` name it together. The key can say who an end user is, so it is encrypted with the rest.
protocol Row {
    static var table: Table { get }

    var scope: String { get }
    var key: String { get }
    /// Part of the row's identity; only grows for one key.
    var version: Int64 { get }

    /// Appends what `scope`, `key` and `version` do not say.
    func write(to plaintext: inout Plaintext)

    init(_ head: RowHead, _ reader: inout PlaintextReader) throws(UnreadableRow)
}

/// What is known of a row beside its own fields.
struct RowHead {
    let scope: String
    let key: String
    let version: Int64
    let writtenAt: WallInstant
}

extension Plaintext {
    mutating func append(_ moment: Moment) {
        append(moment.boot.nanoseconds)
        append(moment.wall.milliseconds)
    }

    mutating func append(_ duration: Duration) {
        append(duration.saturatedNanoseconds)
    }
}

extension PlaintextReader {
    mutating func moment() throws(UnreadableRow) -> Moment {
        Moment(boot: BootInstant(nanoseconds: try number()), wall: WallInstant(milliseconds: try number()))
    }

    mutating func duration() throws(UnreadableRow) -> Duration {
        .nanoseconds(try number())
    }
}
