/// Authenticator data: the part of an attestation and of an assertion that the device's key stands for.
///
/// The layout is WebAuthn's (section 6.1), but the flags are not read: Apple sets 0x40, "a key follows", in assertions
/// too, where none does, and does not set 0x80 where the extension map follows (Apple's sample of 2026). What follows
/// is told by where the data come from, and the map by there being a rest.
struct AuthenticatorData: Equatable, Sendable {
    /// SHA-256 of the app id.
    let appIDHash: [UInt8]
    let counter: UInt32
    let extensions: DeviceExtensions

    private static let appIDHashRange = 0..<32
    private static let counterRange = 33..<37
    static let headLength = 37

    /// Reads an assertion's: the head, and perhaps the map.
    init(assertion bytes: [UInt8]) throws(DeviceRefusal) {
        guard bytes.count >= Self.headLength else { throw .authenticatorData("\(bytes.count) bytes") }
        var rest = try Self.reader(bytes, from: Self.headLength)
        try self.init(head: bytes, &rest)
    }

    /// - Parameter rest: at what follows the head and, in an attestation, the key.
    init(head bytes: [UInt8], _ rest: inout CBORReader) throws(DeviceRefusal) {
        appIDHash = Array(bytes[Self.appIDHashRange])
        counter = bytes[Self.counterRange].reduce(0) { $0 << 8 | UInt32($1) }
        guard !rest.isAtEnd else {
            extensions = DeviceExtensions()
            return
        }
        guard let extensions = DeviceExtensions(try Self.read(&rest)) else {
            throw .authenticatorData("the extensions are not a map of the known form")
        }
        guard rest.isAtEnd else { throw .authenticatorData("bytes after the extensions") }
        self.extensions = extensions
    }

    static func reader(_ bytes: [UInt8], from start: Int) throws(DeviceRefusal) -> CBORReader {
        do throws(CBORError) {
            return try CBORReader(Array(bytes[start...]))
        } catch {
            throw .authenticatorData(error.rawValue)
        }
    }

    static func read(_ reader: inout CBORReader) throws(DeviceRefusal) -> CBORValue {
        do throws(CBORError) {
            return try reader.read()
        } catch {
            throw .authenticatorData(error.rawValue)
        }
    }
}

extension DeviceRefusal {
    static func authenticatorData(_ fault: String) -> DeviceRefusal {
        DeviceRefusal(.malformedAuthenticatorData, "authenticator data: \(fault)")
    }
}
