// A libFuzzer driver for App Attest's attestations, built by Tests/Fuzz/run with what the tests make them with.

import TokenBroker

@testable import DeviceAttestation

/// Makes what is mutated: attestations that are accepted. Called before the corpus is read.
@_cdecl("LLVMFuzzerInitialize")
public func seedAttestations(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    var extended = AttestationRecipe()
    extended.rest = CBORBytes.map(CBORBytes.text("apple_validation_category_01"), CBORBytes.bytes([4, 0, 0, 0]))
    for (name, attestation) in [("plain", AttestationRecipe().made()), ("extended", extended.made())] {
        precondition(accepted(attestation) != nil, "a seed is not accepted")
        Seed.write(attestation, name: name)
    }
    return 0
}

/// Whatever comes in, nothing traps, and no device but the one that was attested is let in.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAttestation(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let device = accepted(Array(UnsafeBufferPointer(start: start, count: count))) else { return 0 }
    precondition(device.publicKey == AttestationRecipe.deviceKey.point, "another key was let in")
    precondition(device.environment == .production, "another environment was let in")
    return 0
}

private func accepted(_ attestation: [UInt8]) -> AttestedDevice? {
    try? AttestationRecipe.verifier.verify(
        attestation: attestation,
        AttestationRecipe.claim,
        at: AttestationRecipe.instant
    )
}
