/// A record as the fields of a journal entry, each `NAME=value` in bytes; values need no escaping there.
enum JournalFields {
    /// What our own field names begin with, so that they never meet those of the journal or of another program.
    private static let prefix = "TOKENBROKER_"

    /// `MESSAGE` repeats the facts behind the constant text, because it is all that `journalctl` shows by default; the
    /// fields are what it filters by.
    static func encode(_ record: LogRecord, identifier: String) -> [[UInt8]] {
        var fields = [
            "MESSAGE=\(LineFormat.sentence(record))",
            "PRIORITY=\(record.level.syslogPriority)",
            "SYSLOG_IDENTIFIER=\(identifier)",
        ]
        for field in record.metadata.fields {
            fields.append("\(prefix)\(name(of: field.key))=\(field.value.text)")
        }
        return fields.map { Array($0.utf8) }
    }

    /// A journal field's name has capital letters, digits and underscores only.
    private static func name(of key: LogKey) -> String {
        String(key.rawValue.uppercased().map { $0 == "." ? "_" : $0 })
    }
}
