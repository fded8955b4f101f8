internal import Serving
internal import TokenBroker
internal import Upstream

/// Asks every provider whether it can be reached, a few at a time.
struct ProviderRound: Sendable {
    /// Each takes a thread and a connection of its own, and those who fetch tokens meanwhile are not to want for any.
    private static let atOnce = 4

    private let client: UpstreamClient
    private let accounts: [ProviderDefinition]

    init(_ client: UpstreamClient, _ accounts: some Sequence<ProviderDefinition>) {
        self.client = client
        self.accounts = accounts.sorted { $0.name < $1.name }
    }

    /// - Returns: what became of it, by the providers' names.
    func run() async -> [Examination.Provider] {
        await withTaskGroup(of: Examination.Provider.self) { group in
            var rest = accounts[...]
            var found: [Examination.Provider] = []
            for account in rest.prefix(Self.atOnce) { group.addTask { await ask(account) } }
            rest = rest.dropFirst(Self.atOnce)
            for await provider in group {
                found.append(provider)
                if let next = rest.popFirst() { group.addTask { await ask(next) } }
            }
            return found.sorted { $0.name < $1.name }
        }
    }

    private func ask(_ account: ProviderDefinition) async -> Examination.Provider {
        let settings = UpstreamSettings(account)
        let origin = settings.origin ?? settings.baseURL
        do throws(UpstreamFailure) {
            let reached = try await client.reach(settings)
            let result = Examination.Provider.Result.reached(in: reached.duration, clockSkew: reached.clockSkew)
            return Examination.Provider(name: account.name, origin: origin, result: result)
        } catch {
            let result = Examination.Provider.Result.failed(code: error.code.rawValue, text: error.description)
            return Examination.Provider(name: account.name, origin: origin, result: result)
        }
    }
}
