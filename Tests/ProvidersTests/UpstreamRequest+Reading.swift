import TokenBroker
import Upstream

extension UpstreamRequest {
    /// Each header as it goes onto the wire.
    var headerLines: [String] {
        headers.map { header in
            let value =
                switch header.value {
                case .text(let text): text
                case .bearer(let secret): "Bearer " + secret.withBytes { String(decoding: $0, as: UTF8.self) }
                case .secret(let secret): secret.withBytes { String(decoding: $0, as: UTF8.self) }
                }
            return "\(header.name): \(value)"
        }
    }

    var bodyText: String { String(decoding: body, as: UTF8.self) }
}

extension [CredentialHeader] {
    var lines: [String] { map { "\($0.name): \($0.value)" } }
}
