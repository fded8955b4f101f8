internal import Digests
internal import HTTPWire
internal import TokenBroker

extension DeviceProof {
    private static let header = "x-device-proof"

    /// Reads the proof of a request to a route.
    ///
    /// - Returns: nil where there is none.
    init?(_ request: HTTPRequest, to route: RouteDefinition, isRejection: Bool) throws(DeviceRejection) {
        let values = request.headers.values(Self.header)
        guard let value = values.first else { return nil }
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        guard values.count == 1, parts.count == 4, parts[0] == "v1", let challenge = Base64.urlSafeBytes(parts[2])
        else {
            throw .malformedProof
        }
        self.init(
            device: DeviceID(String(parts[1])),
            challenge: challenge,
            // What is no base64 is refused as an assertion, when the challenge is spent: as empty bytes, which are none.
            assertion: Base64.urlSafeBytes(parts[3]) ?? [],
            clientData: Self.clientData(
                route: route.name,
                method: request.method.name,
                target: request.publicTarget(of: route, isRejection: isRejection),
                bodyDigest: Base64.urlSafeText(SHA256.digest(of: request.body)),
                challenge: parts[2]
            )
        )
    }
}

extension HTTPRequest {
    /// Path and query as the app sent them, as far as the broker can know it.
    fileprivate func publicTarget(of route: RouteDefinition, isRejection: Bool) -> [UInt8] {
        let path = route.publicPath.map { Array($0.utf8) + (isRejection ? Array("/rejected".utf8) : []) } ?? Array(path)
        return path + (query.map { [UInt8(ascii: "?")] + $0 } ?? [])
    }
}
