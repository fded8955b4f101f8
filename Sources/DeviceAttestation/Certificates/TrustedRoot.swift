internal import COpenSSL

/// The one certificate that attestations must lead to.
public struct TrustedRoot: Equatable, Sendable {
    let der: [UInt8]
}

extension TrustedRoot {
    /// - Parameter pem: the text of a file with exactly one certificate in it.
    /// - Returns: nil for any other text.
    public init?(pem: String) {
        let text = Array(pem.utf8)
        guard let length = Int32(exactly: text.count), let memory = BIO_new_mem_buf(text, length) else { return nil }
        defer {
            BIO_free(memory)
            ERR_clear_error()
        }
        guard let certificate = PEM_read_bio_X509(memory, nil, nil, nil) else { return nil }
        defer { X509_free(certificate) }
        if let second = PEM_read_bio_X509(memory, nil, nil, nil) {
            X509_free(second)
            return nil
        }
        der = [UInt8](unsafeUninitializedCapacity: Int(max(i2d_X509(certificate, nil), 0))) { buffer, count in
            var position = buffer.baseAddress
            count = Int(max(i2d_X509(certificate, &position), 0))
        }
    }
}

extension TrustedRoot {
    /// Apple App Attestation Root CA, valid until 2045-03-15
    /// (https://www.apple.com/certificateauthority/Apple_App_Attestation_Root_CA.pem). SHA-256 of its DER:
    /// 1CB9823BA28BA6AD2D33A006941DE2AE4F513EF1D4E831B9F7E0FA7B6242C932.
    public static let apple: TrustedRoot = {
        guard let root = TrustedRoot(pem: applePEM) else { preconditionFailure("Apple's root cannot be read") }
        return root
    }()

    private static let applePEM = """
        -----BEGIN CERTIFICATE-----
        MIICITCCAaegAwIBAgIQC/O+DvHN0uD7jG5yH2IXmDAKBggqhkjOPQQDAzBSMSYw
        JAYDVQQDDB1BcHBsZSBBcHAgQXR0ZXN0YXRpb24gUm9vdCBDQTETMBEGA1UECgwK
        QXBwbGUgSW5jLjETMBEGA1UECAwKQ2FsaWZvcm5pYTAeFw0yMDAzMTgxODMyNTNa
        Fw00NTAzMTUwMDAwMDBaMFIxJjAkBgNVBAMMHUFwcGxlIEFwcCBBdHRlc3RhdGlv
        biBSb290IENBMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApDYWxpZm9y
        bmlhMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAERTHhmLW07ATaFQIEVwTtT4dyctdh
        NbJhFs/Ii2FdCgAHGbpphY3+d8qjuDngIN3WVhQUBHAoMeQ/cLiP1sOUtgjqK9au
        Yen1mMEvRq9Sk3Jm5X8U62H+xTD3FE9TgS41o0IwQDAPBgNVHRMBAf8EBTADAQH/
        MB0GA1UdDgQWBBSskRBTM72+aEH/pwyp5frq5eWKoTAOBgNVHQ8BAf8EBAMCAQYw
        CgYIKoZIzj0EAwMDaAAwZQIwQgFGnByvsiVbpTKwSga0kP0e8EeDS4+sQmTvb7vn
        53O5+FRXgeLhpJ06ysC5PrOyAjEAp5U4xDgEgllF7En3VcE3iexZZtKeYnpqtijV
        oyFraWVIyd/dganmrduC1bmTBGwD
        -----END CERTIFICATE-----
        """
}
