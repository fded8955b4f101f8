internal import COpenSSL

/// What all TLS connections share: the server's certificate and key.
final class TLSContext {
    let pointer: OpaquePointer

    /// TLS 1.2 and later, which is what is left of TLS (RFC 8996).
    init(_ authority: CertificateAuthority) throws(SimulatorError) {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw SimulatorError("cannot set up TLS") }
        pointer = context
        // A macro over this call.
        guard SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1,
            SSL_CTX_use_certificate(context, authority.serverCertificate.pointer) == 1,
            SSL_CTX_use_PrivateKey(context, authority.serverKey.pointer) == 1
        else { throw SimulatorError("cannot set up TLS") }
    }

    deinit {
        SSL_CTX_free(pointer)
    }
}
