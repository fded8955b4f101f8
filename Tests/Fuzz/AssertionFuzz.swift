// A libFuzzer driver for App Attest's assertions, built by Tests/Fuzz/run with what the tests make them with.

import Digests

@testable import DeviceAttestation

private let counter: UInt32 = 8
private let clientData = Array("what was signed".utf8)

/// Makes what is mutated: assertions that are accepted. Called before the corpus is read.
@_cdecl("LLVMFuzzerInitialize")
public func seedAssertions(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    let extensions = CBORBytes.map(CBORBytes.text("bundleVersion"), CBORBytes.text("3"))
    for (name, rest) in [("plain", []), ("extended", extensions)] {
        let assertion = made(rest)
        precondition(accepted(assertion) != nil, "a seed is not accepted")
        Seed.write(assertion, name: name)
    }
    return 0
}

/// Whatever comes in, nothing traps, and nothing is accepted that was not signed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAssertion(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let verified = accepted(Array(UnsafeBufferPointer(start: start, count: count))) else { return 0 }
    precondition(verified.counter == counter, "another counter was accepted")
    return 0
}

private func made(_ rest: [UInt8]) -> [UInt8] {
    let data =
        SHA256.digest(of: Array(AttestationRecipe.appID.utf8)) + [0x40] + CBORBytes.bigEndian(UInt64(counter), 4) + rest
    let nonce = SHA256.digest(of: data + SHA256.digest(of: clientData))
    return CBORBytes.map(
        CBORBytes.text("signature"),
        CBORBytes.bytes(AttestationRecipe.deviceKey.signature(for: nonce)),
        CBORBytes.text("authenticatorData"),
        CBORBytes.bytes(data)
    )
}

private func accepted(_ assertion: [UInt8]) -> VerifiedAssertion? {
    try? DeviceVerifier.verify(
        assertion: assertion,
        AssertionClaim(
            appID: AttestationRecipe.appID,
            publicKey: AttestationRecipe.deviceKey.point,
            previousCounter: 7,
            clientData: clientData
        )
    )
}
