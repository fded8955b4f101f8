internal import Glibc
internal import TokenBroker

/// The fields of a row before they are encrypted, or after: one buffer, which is wiped at the end and when it grows.
///
/// Numbers are 8 bytes, big-endian; texts and bytes have their length before them.
struct Plaintext: ~Copyable {
    private var buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int = 512) {
        buffer = .allocate(byteCount: max(capacity, 1), alignment: 1)
    }

    deinit {
        explicit_bzero(buffer.baseAddress!, buffer.count)
        buffer.deallocate()
    }

    /// Lends the bytes for the duration of `body`.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    /// Lets `body` fill `length` bytes.
    mutating func append<Result>(_ length: Int, _ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        reserve(length)
        defer { count += length }
        return body(UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + length]))
    }

    mutating func append(byte: UInt8) {
        append(1) { $0[0] = byte }
    }

    mutating func append(_ number: Int64) {
        append(8) { $0.storeBytes(of: number.bigEndian, as: Int64.self) }
    }

    mutating func append(_ number: Int64?) {
        append(byte: number == nil ? 0 : 1)
        if let number { append(number) }
    }

    mutating func append(_ text: String) {
        append(Int64(text.utf8.count))
        append(text.utf8.count) { $0.copyBytes(from: text.utf8) }
    }

    mutating func append(_ text: String?) {
        append(byte: text == nil ? 0 : 1)
        if let text { append(text) }
    }

    mutating func append(_ secret: Secret) {
        append(Int64(secret.count))
        secret.withBytes { bytes in append(bytes.count) { $0.copyMemory(from: bytes) } }
    }

    mutating func append(_ bytes: [UInt8]) {
        append(Int64(bytes.count))
        append(bytes.count) { $0.copyBytes(from: bytes) }
    }

    private mutating func reserve(_ length: Int) {
        guard count + length > buffer.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(2 * buffer.count, count + length),
            alignment: 1
        )
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        explicit_bzero(buffer.baseAddress!, buffer.count)
        buffer.deallocate()
        buffer = larger
    }
}

/// A row that does not decrypt, or that says nothing this version understands: it is skipped and counted.
struct UnreadableRow: Error {}

/// Reads what ``Plaintext`` holds, field by field.
struct PlaintextReader {
    private var rest: UnsafeRawBufferPointer
    private let repeated: RepeatedTexts?

    /// - Parameter repeated: the texts that rows read before had in common.
    init(_ bytes: UnsafeRawBufferPointer, repeated: RepeatedTexts? = nil) {
        rest = bytes
        self.repeated = repeated
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() throws(UnreadableRow) -> Int64 {
        Int64(bigEndian: try take(8).loadUnaligned(as: Int64.self))
    }

    mutating func optionalNumber() throws(UnreadableRow) -> Int64? {
        try isPresent() ? number() : nil
    }

    mutating func text() throws(UnreadableRow) -> String {
        String(decoding: try field(), as: UTF8.self)
    }

    /// A text that many rows have in common.
    mutating func repeatedText() throws(UnreadableRow) -> String {
        let bytes = try field()
        return repeated?.text(bytes) ?? String(decoding: bytes, as: UTF8.self)
    }

    mutating func optionalText() throws(UnreadableRow) -> String? {
        try isPresent() ? text() : nil
    }

    mutating func secret() throws(UnreadableRow) -> Secret {
        Secret(try field())
    }

    mutating func bytes() throws(UnreadableRow) -> [UInt8] {
        Array(try field())
    }

    mutating func name() throws(UnreadableRow) -> Name {
        guard let name = Name(try text()) else { throw UnreadableRow() }
        return name
    }

    private mutating func isPresent() throws(UnreadableRow) -> Bool {
        try take(1)[0] != 0
    }

    private mutating func field() throws(UnreadableRow) -> UnsafeRawBufferPointer {
        guard let length = Int(exactly: try number()) else { throw UnreadableRow() }
        return try take(length)
    }

    private mutating func take(_ length: Int) throws(UnreadableRow) -> UnsafeRawBufferPointer {
        guard length >= 0, length <= rest.count else { throw UnreadableRow() }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[length...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<length])
    }
}
