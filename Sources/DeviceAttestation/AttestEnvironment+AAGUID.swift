internal import TokenBroker

extension AttestEnvironment {
    /// The AAGUID that stands for it in an attestation: 16 bytes.
    var aaguid: [UInt8] {
        switch self {
        case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
        case .development: Array("appattestdevelop".utf8)
        }
    }
}
