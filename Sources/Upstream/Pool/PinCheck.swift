internal import COpenSSL
internal import Digests
internal import TokenBroker

/// Holds the chain of one connection against an account's pins, after OpenSSL has found it good.
///
/// It belongs to the TLS context of its connection, which can outlive the transfer that opened it and asks again where a
/// TLS 1.2 server begins a new handshake. All of it happens on the pool's thread.
final class PinCheck {
    /// A failure names no more pins of a chain: real ones have two to four certificates.
    private static let longestReport = 8

    private let pins: CertificatePins
    /// The pins of the chain that was refused, from the server's certificate on, in base64.
    private(set) var refusedChain: [String]?

    init(_ pins: CertificatePins) {
        self.pins = pins
    }

    /// Makes `tlsContext` ask this check about each chain, and keep it for as long as it lives.
    ///
    /// - Returns: false when OpenSSL has no memory for it.
    func attach(to tlsContext: OpaquePointer) -> Bool {
        let me = Unmanaged.passRetained(self)
        guard contextIndex >= 0, SSL_CTX_set_ex_data(tlsContext, contextIndex, me.toOpaque()) == 1 else {
            me.release()
            return false
        }
        SSL_CTX_set_cert_verify_callback(tlsContext, verifyChain, me.toOpaque())
        return true
    }

    /// Looks at the chain that was verified, from the server's certificate to the trusted one, and not at all that the
    /// server presented: anybody can present a pinned authority's certificate beside a chain of another's (RFC 7469
    /// section 2.6).
    fileprivate func admits(_ verification: OpaquePointer) -> Bool {
        let chain = X509_STORE_CTX_get0_chain(verification)
        let digests = (0..<max(0, OPENSSL_sk_num(chain))).map { index in
            digest(of: OpaquePointer(OPENSSL_sk_value(chain, index)))
        }
        guard pins.digests.isDisjoint(with: digests) else { return true }
        refusedChain = digests.prefix(Self.longestReport).map { Base64.text($0) }
        return false
    }

    private func digest(of certificate: OpaquePointer?) -> [UInt8] {
        let encoded =
            switch pins.form {
            case .certificate: encoded { i2d_X509(certificate, $0) }
            case .publicKey: encoded { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) }
            }
        return SHA256.digest(of: encoded)
    }
}

/// What OpenSSL encodes into the place that it is given, and only measures where it is given none.
private func encoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
    let length = Int(max(0, encode(nil)))
    return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
        var position = buffer.baseAddress
        if length > 0 { count = Int(max(0, encode(&position))) }
    }
}

/// Where a TLS context keeps its check; -1 when OpenSSL has no memory.
private let contextIndex = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil, releaseCheck)

// Free functions, because OpenSSL calls them on the pool's thread.

/// OpenSSL calls it in the place of its own verification, which comes first: what that refuses, no pin makes good.
private func verifyChain(_ verification: OpaquePointer?, _ check: UnsafeMutableRawPointer?) -> Int32 {
    guard let verification, let check else { return 0 }
    let result = X509_verify_cert(verification)
    guard result == 1 else { return result }
    guard Unmanaged<PinCheck>.fromOpaque(check).takeUnretainedValue().admits(verification) else {
        X509_STORE_CTX_set_error(verification, X509_V_ERR_APPLICATION_VERIFICATION)
        return 0
    }
    return 1
}

private func releaseCheck(
    _ tlsContext: UnsafeMutableRawPointer?,
    _ check: UnsafeMutableRawPointer?,
    _ data: UnsafeMutablePointer<CRYPTO_EX_DATA>?,
    _ index: Int32,
    _ argument: Int,
    _ pointer: UnsafeMutableRawPointer?
) {
    if let check { Unmanaged<PinCheck>.fromOpaque(check).release() }
}
