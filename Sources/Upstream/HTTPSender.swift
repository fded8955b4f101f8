/// The seam between a provider's wire and the network: one account's way to its provider.
public protocol HTTPSender: Sendable {
    /// Sends one request and gives back the whole answer, whatever its status; a redirect is an answer like any other.
    ///
    /// Cancelling the task ends the transfer.
    func send(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse
}
