/// Stands where a pool could not be opened, and says why to everyone who sends.
struct RefusingSender: HTTPSender {
    let failure: UpstreamFailure

    func send(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse {
        throw failure
    }
}
