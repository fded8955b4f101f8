internal import Glibc

/// A system call that failed.
public struct SystemCallError: Error, Equatable, CustomStringConvertible {
    /// The name of the call.
    public let call: String
    /// The error number it left.
    public let errorNumber: Int32

    /// Without a number it takes `errno`, and so must directly follow the call.
    init(_ call: StaticString, errorNumber: Int32? = nil) {
        self.errorNumber = errorNumber ?? errno
        self.call = call.description
    }

    public var description: String {
        var text = [CChar](repeating: 0, count: 128)
        guard strerror_r(errorNumber, &text, text.count) == 0 else { return "\(call): error \(errorNumber)" }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return "\(call): \(String(decoding: bytes, as: UTF8.self))"
    }
}
