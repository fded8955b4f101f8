/// The request to a provider that headers are wanted for.
struct OutgoingRequest: Sendable {
    let method: String
    let url: String
    let bodySHA256: [UInt8]?
    let appVersion: String?
}
