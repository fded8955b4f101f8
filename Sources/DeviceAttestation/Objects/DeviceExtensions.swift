/// What devices of 2026 and later say of the app beside the key (Apple's Attestation Object Validation Guide, 2026).
/// Everything is nil where an older device said nothing.
public struct DeviceExtensions: Equatable, Sendable {
    public var bundleVersion: String?
    /// How the app came to the device: 1 with the system, 2 TestFlight, 3 development, 4 App Store, 5 enterprise or ad
    /// hoc, 6 Developer ID, 10 otherwise; 0 is an invalid one.
    public var validationCategory: UInt32?

    /// Nothing said.
    public init() {}
}

extension DeviceExtensions {
    /// Reads the map, under the guide's names and the short ones that other implementations have.
    ///
    /// - Returns: nil for what is no map, and for a value of another type than the name's. Other names are passed over:
    ///   the next system will have more of them.
    init?(_ value: CBORValue) {
        guard let entries = value.map else { return nil }
        for entry in entries {
            switch entry.key.text {
            case "apple_bundle_version_01", "bundleVersion":
                guard let version = entry.value.text else { return nil }
                bundleVersion = version
            case "apple_validation_category_01", "validationCategory":
                guard let category = Self.category(entry.value) else { return nil }
                validationCategory = category
            default: break
            }
        }
    }

    /// Four bytes, the lowest first; or a number.
    private static func category(_ value: CBORValue) -> UInt32? {
        switch value {
        case .bytes(let bytes) where bytes.count == 4: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        case .unsigned(let number): UInt32(exactly: number)
        default: nil
        }
    }
}
