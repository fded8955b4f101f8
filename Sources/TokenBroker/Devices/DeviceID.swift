/// The name of a registered device, `dev_…`: random, so that it tells nothing of the device, its key or its user.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    static let randomBytes = 16

    public let text: String

    /// What a request calls a device, whether there is such a one or not.
    public init(_ text: String) {
        self.text = text
    }

    /// - Parameter bytes: ``randomBytes`` of them.
    init(random bytes: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        text = "dev_" + String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    public var description: String { text }

    public static func < (lhs: DeviceID, rhs: DeviceID) -> Bool {
        lhs.text < rhs.text
    }
}
