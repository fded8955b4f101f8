internal import Digests
internal import TokenBroker

/// What tells the provider that two requests are one that was repeated.
///
/// `idmp_`, 12 hexadecimal digits of the calendar clock's milliseconds and 20 of randomness.
/// Source: palgroup/palbase-ios, PalbaseBackend.swift.
struct IdempotencyKey: Hashable {
    let text: String

    init(at now: WallInstant, using random: inout some RandomNumberGenerator) {
        let milliseconds = UInt64(clamping: now.milliseconds)
        let time = (0..<6).reversed().map { UInt8(truncatingIfNeeded: milliseconds >> (8 * UInt64($0))) }
        let rest = (0..<10).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        text = "idmp_" + Hexadecimal.text(time + rest)
    }

    /// One that was kept.
    init(text: String) {
        self.text = text
    }
}
