internal import CSystemd
internal import Glibc

/// Structured entries in systemd's journal.
///
/// The library waits while the journal's queue is full. That is bounded: a journal that hangs is restarted by its own
/// watchdog, and one that is not there answers at once.
public struct JournalOutput: LogOutput {
    private let identifier: String
    private let fallback: any LogOutput

    /// - Parameters:
    ///   - identifier: what `journalctl -t` finds the entries by.
    ///   - fallback: gets what the journal refuses.
    public init(identifier: String, fallback: any LogOutput) {
        self.identifier = identifier
        self.fallback = fallback
    }

    public func write(_ record: LogRecord) {
        let fields = JournalFields.encode(record, identifier: identifier)
        if send(fields) < 0 { fallback.write(record) }
    }

    /// - Returns: a negative error number when the journal did not take the entry.
    private func send(_ fields: [[UInt8]]) -> Int32 {
        var bytes = fields.flatMap { $0 }
        return bytes.withUnsafeMutableBytes { buffer in
            var offset = 0
            let vectors = fields.map { field in
                defer { offset += field.count }
                return iovec(iov_base: buffer.baseAddress?.advanced(by: offset), iov_len: field.count)
            }
            return sd_journal_sendv(vectors, Int32(vectors.count))
        }
    }
}
