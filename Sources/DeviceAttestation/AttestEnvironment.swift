/// Which of Apple's App Attest environments a device used. Apps from the App Store and TestFlight use production,
/// those that Xcode installs development, unless their entitlement says otherwise.
public enum AttestEnvironment: String, Sendable, CaseIterable {
    case production
    case development

    /// The AAGUID that stands for it in an attestation: 16 bytes.
    var aaguid: [UInt8] {
        switch self {
        case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
        case .development: Array("appattestdevelop".utf8)
        }
    }
}
