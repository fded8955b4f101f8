/// The last row of a chain, by which one that was cut short or put back is told.
public struct AuditHead: Hashable, Sendable, CustomStringConvertible {
    public let auditClass: AuditClass
    public let sequence: Int64
    /// The row's authentication code, which stands for all rows before it too.
    public let mac: [UInt8]

    public init(_ auditClass: AuditClass, sequence: Int64, mac: [UInt8]) {
        self.auditClass = auditClass
        self.sequence = sequence
        self.mac = mac
    }

    /// Reads what ``description`` says; nil where it is something else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let auditClass = AuditClass(rawValue: String(parts[0])), let sequence = Int64(parts[1]),
            let mac = Self.bytes(of: parts[2])
        else { return nil }
        self.init(auditClass, sequence: sequence, mac: mac)
    }

    /// `operator:1234:` and the code in hexadecimal: one word, to be copied from a journal.
    public var description: String {
        let digits = mac.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(auditClass.rawValue):\(sequence):\(digits)"
    }

    private static func bytes(of digits: Substring) -> [UInt8]? {
        guard !digits.isEmpty, digits.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var rest = digits
        while !rest.isEmpty {
            let pair = rest.prefix(2)
            guard pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
