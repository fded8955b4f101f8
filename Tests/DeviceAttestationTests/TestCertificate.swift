import COpenSSL

/// A certificate to be made.
struct TestCertificate {
    var commonNames: [String]
    var key: TestKey
    var notBefore = AttestationRecipe.now - 86400
    var notAfter = AttestationRecipe.now + 86400
    var isAuthority = false
    /// Identifiers in numbers, and values in DER.
    var extensions: [(identifier: String, value: [UInt8])] = []

    /// The certificate's DER, signed by an issuer of that name.
    func signed(by issuer: String, _ signer: TestKey) -> [UInt8] {
        let certificate = X509_new()
        defer { X509_free(certificate) }
        X509_set_version(certificate, Int(X509_VERSION_3))
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64.max / 2))
        for name in commonNames { Self.add(name, to: X509_get_subject_name(certificate)) }
        Self.add(issuer, to: X509_get_issuer_name(certificate))
        ASN1_TIME_set(X509_getm_notBefore(certificate), notBefore)
        ASN1_TIME_set(X509_getm_notAfter(certificate), notAfter)
        X509_set_pubkey(certificate, key.pointer)
        // Basic constraints: cA TRUE, or nothing said.
        let constraints: [UInt8] = isAuthority ? [0x30, 0x03, 0x01, 0x01, 0xFF] : [0x30, 0x00]
        for (identifier, value) in [("2.5.29.19", constraints)] + extensions {
            Self.add(identifier, value, to: certificate)
        }
        X509_sign(certificate, signer.pointer, EVP_sha256())
        var encoding: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509(certificate, &encoding)
        defer { CRYPTO_free(encoding, nil, 0) }
        return Array(UnsafeBufferPointer(start: encoding, count: Int(length)))
    }

    private static func add(_ commonName: String, to name: OpaquePointer?) {
        let bytes = Array(commonName.utf8)
        X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_FLAG | 1, bytes, Int32(bytes.count), -1, 0)
    }

    private static func add(_ identifier: String, _ value: [UInt8], to certificate: OpaquePointer?) {
        let octets = ASN1_OCTET_STRING_new()
        let object = OBJ_txt2obj(identifier, 1)
        ASN1_OCTET_STRING_set(octets, value, Int32(value.count))
        let added = X509_EXTENSION_create_by_OBJ(nil, object, 0, octets)
        X509_add_ext(certificate, added, -1)
        X509_EXTENSION_free(added)
        ASN1_OBJECT_free(object)
        ASN1_OCTET_STRING_free(octets)
    }
}
