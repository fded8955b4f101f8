internal import TokenBroker

/// That a provider could be reached, and what came along.
public struct Reached: Equatable, Sendable {
    /// How long it took, from the lookup of the name to the answer.
    public let duration: Duration
    /// How far the provider's clock is ahead of the host's; nil where the answer has no date.
    public let clockSkew: Duration?
}

extension UpstreamClient {
    /// The longest an attempt to reach a provider may take: somebody waits for it.
    private static let patience: Duration = .seconds(8)

    /// Asks for the root of a provider's origin, over a connection of its own that is trusted as the account's are.
    ///
    /// Nothing of the account's goes along, no credential and no path. Any answer will do, for what is asked is whether
    /// name, network and certificate are right.
    public func reach(_ settings: UpstreamSettings) async throws(UpstreamFailure) -> Reached {
        let began = clock.now().boot
        do throws(UpstreamFailure) {
            let request = UpstreamRequest(.get, path: "/", isReplayable: true)
            let response = try await pool(for: Self.settings(reaching: settings)).send(request)
            return Reached(duration: clock.now().boot.since(began), clockSkew: response.clockSkew)
        } catch {
            // A long page is an answer.
            guard error.code == .tooLarge else { throw error }
            return Reached(duration: clock.now().boot.since(began), clockSkew: nil)
        }
    }

    /// - Returns: the settings as they are where they have no origin: the pool says what is wrong with them.
    private static func settings(reaching settings: UpstreamSettings) -> UpstreamSettings {
        UpstreamSettings(
            baseURL: settings.origin ?? settings.baseURL,
            timeout: min(settings.timeout, patience),
            connectTimeout: settings.connectTimeout,
            trust: settings.trust
        )
    }
}

extension UpstreamSettings {
    /// Scheme, host and port of the base URL; nil where it is none that may be used.
    public var origin: String? {
        Origin(baseURL: baseURL).map { "\($0.scheme)://\($0.authority)" }
    }
}
