internal import DeviceAttestation
internal import Digests
internal import Glibc

/// How many requests' device proofs one core verifies: all of an assertion, its CBOR included.
struct AssertionBenchmark {
    let count: Int

    /// - Returns: assertions verified in a second.
    func perSecond() throws -> Int {
        guard let key = Hexadecimal.bytes(Self.publicKey), let assertion = Base64.bytes(Self.assertion) else {
            throw BenchmarkFailure("the assertion cannot be read")
        }
        let claim = AssertionClaim(
            appID: "TEAMID1234.com.example.app",
            publicKey: key,
            previousCounter: 0,
            clientData: Array("what was signed".utf8)
        )
        // The first one looks the curve up.
        _ = try DeviceVerifier.verify(assertion: assertion, claim)
        let began = try usedNanoseconds()
        for _ in 0..<count { _ = try DeviceVerifier.verify(assertion: assertion, claim) }
        return Int(Double(count) / (Double(try usedNanoseconds() - began) / 1e9))
    }

    /// Of processor time, as `openssl speed` counts it: what other processes do is no part of it.
    private func usedNanoseconds() throws -> Int64 {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { throw BenchmarkFailure("there is no clock") }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// A key of P-256 that was made for this and is used for nothing else, and what it signed, with a counter of 1.
    private static let publicKey = """
        041a84f4c572fac74c6e6a9c747d042e4e01d595c38992ded93bd43f278dc1c4be41cd04d76145d25b1df3057838e27fd355\
        bbc026417ba401a41a60f56535b444
        """
    private static let assertion = """
        omlzaWduYXR1cmVYRzBFAiEAmR5zqubZnU3q4rs9LjrdwTmP5Iz7B/FkocOpA6oq1OUCICkmbSYqtKVrrNxGvspDQ14PRE14oPWR\
        SDM024F86D8ecWF1dGhlbnRpY2F0b3JEYXRhWCUpL8Is/5Msx6z29fv5zH3i2C/Ip6sHTA0ZhoDIaXjrQEAAAAAB
        """
}
