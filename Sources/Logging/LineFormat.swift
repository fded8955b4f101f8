/// A record as one line of text: `2026-07-17T12:34:56.789Z notice Started version=1.0`.
enum LineFormat {
    /// The line with its line feed, never longer than ``LogLimits/lineBytes``.
    static func line(_ record: LogRecord) -> String {
        let time = Timestamp.rfc3339(unixMilliseconds: record.unixMilliseconds)
        let line = "\(time) \(record.level.rawValue) \(sentence(record))"
        return line.cut(to: LogLimits.lineBytes - 1) + "\n"
    }

    /// The message and its facts, without time and level.
    static func sentence(_ record: LogRecord) -> String {
        record.metadata.fields.reduce(into: TextEscape.escaped(record.message)) { sentence, field in
            sentence += " \(field.key.rawValue)=\(TextEscape.quotedIfNeeded(field.value.text))"
        }
    }
}
