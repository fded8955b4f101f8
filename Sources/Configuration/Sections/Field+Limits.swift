internal import TokenBroker

extension Field {
    /// `limits:`. The bounds only keep out what must be a mistake.
    func limits() -> Limits? {
        mapping { reader in
            var limits = Limits()
            func set(_ path: WritableKeyPath<Limits, Int>, _ field: Field?, _ range: ClosedRange<Int>) {
                limits[keyPath: path] = field?.number(in: range) ?? limits[keyPath: path]
            }
            func set(_ path: WritableKeyPath<Limits, Duration>, _ field: Field?, upTo seconds: Int) {
                limits[keyPath: path] = field?.duration(in: .seconds(1) ... .seconds(seconds)) ?? limits[keyPath: path]
            }
            set(\.connectionsPerUID, reader.optional("connections_per_uid"), 1...1_000_000)
            set(\.waitMax, reader.optional("wait_max"), upTo: 86400)
            set(\.mintDeadline, reader.optional("mint_deadline"), upTo: 3600)
            set(\.maxLifetime, reader.optional("max_lifetime"), upTo: 3650 * 86400)
            set(\.retryAfterMax, reader.optional("retry_after_max"), upTo: 86400)
            set(\.endUsers, reader.optional("end_users"), 1...10_000_000)
            // A default that nobody wrote down bends to the maximum.
            limits.defaultLifetime = min(limits.defaultLifetime, limits.maxLifetime)
            if let lifetime = reader.optional("default_lifetime") {
                let range = .seconds(1)...limits.maxLifetime
                limits.defaultLifetime = lifetime.duration(in: range) ?? limits.defaultLifetime
            }
            return limits
        }
    }
}
