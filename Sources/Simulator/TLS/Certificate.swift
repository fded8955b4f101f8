internal import COpenSSL

/// An X.509 certificate in the making.
final class Certificate {
    /// A simulator does not run for longer, and a clock a day behind still takes the certificate.
    private static let validityDays: Int32 = 365
    private static let backdatedDays: Int32 = -1

    let pointer: OpaquePointer

    init(named name: String, for key: PrivateKey) throws(SimulatorError) {
        guard let certificate = X509_new() else { throw SimulatorError("cannot make a certificate") }
        pointer = certificate
        try check(X509_set_version(certificate, Int(X509_VERSION_3)))
        // A serial number is positive, at most 20 bytes and one of its authority's own (RFC 5280 section 4.1.2.2).
        try check(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64.max / 2)))
        let bytes = Array(name.utf8)
        let added = X509_NAME_add_entry_by_NID(
            X509_get_subject_name(certificate),
            NID_commonName,
            MBSTRING_FLAG | 1,
            bytes,
            Int32(bytes.count),
            -1,
            0
        )
        try check(added)
        let isDated =
            X509_time_adj_ex(X509_getm_notBefore(certificate), Self.backdatedDays, 0, nil) != nil
            && X509_time_adj_ex(X509_getm_notAfter(certificate), Self.validityDays, 0, nil) != nil
        try check(isDated ? 1 : 0)
        try check(X509_set_pubkey(certificate, key.pointer))
    }

    deinit {
        X509_free(pointer)
    }

    /// Adds an extension (RFC 5280 section 4.2) whose value is encoded already.
    func add(_ identifier: Int32, _ value: [UInt8], isCritical: Bool = false) throws(SimulatorError) {
        guard let octets = ASN1_OCTET_STRING_new() else { throw SimulatorError("cannot make a certificate") }
        defer { ASN1_OCTET_STRING_free(octets) }
        try check(ASN1_OCTET_STRING_set(octets, value, Int32(value.count)))
        try add(X509_EXTENSION_create_by_NID(nil, identifier, isCritical ? 1 : 0, octets))
    }

    /// The same by the extension's identifier in numbers, for one that OpenSSL does not know.
    func add(_ identifier: String, _ value: [UInt8]) throws(SimulatorError) {
        guard let octets = ASN1_OCTET_STRING_new(), let object = OBJ_txt2obj(identifier, 1) else {
            throw SimulatorError("cannot make a certificate")
        }
        defer {
            ASN1_OCTET_STRING_free(octets)
            ASN1_OBJECT_free(object)
        }
        try check(ASN1_OCTET_STRING_set(octets, value, Int32(value.count)))
        try add(X509_EXTENSION_create_by_OBJ(nil, object, 0, octets))
    }

    private func add(_ made: OpaquePointer?) throws(SimulatorError) {
        defer { X509_EXTENSION_free(made) }
        guard let made else { throw SimulatorError("cannot make a certificate") }
        try check(X509_add_ext(pointer, made, -1))
    }

    /// Adds the identifiers of its own and of its issuer's key: strict verifiers, Python's by default, ask for them.
    func addKeyIdentifiers(issuer: Certificate) throws(SimulatorError) {
        let own = try keyIdentifier()
        let issuers = try issuer.keyIdentifier()
        try add(NID_subject_key_identifier, [0x04, UInt8(own.count)] + own)
        let keyed: [UInt8] = [0x80, UInt8(issuers.count)] + issuers
        try add(NID_authority_key_identifier, [0x30, UInt8(keyed.count)] + keyed)
    }

    func sign(issuer: Certificate, _ key: PrivateKey) throws(SimulatorError) {
        try check(X509_set_issuer_name(pointer, X509_get_subject_name(issuer.pointer)))
        try check(X509_sign(pointer, key.pointer, EVP_sha256()))
    }

    func pem() throws(SimulatorError) -> String {
        guard let memory = BIO_new(BIO_s_mem()) else { throw SimulatorError("cannot write a certificate") }
        defer { BIO_free(memory) }
        try check(PEM_write_bio_X509(memory, pointer))
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(BIO_ctrl_pending(memory))) { buffer, count in
            count = Int(max(BIO_read(memory, buffer.baseAddress, Int32(buffer.count)), 0))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func der() throws(SimulatorError) -> [UInt8] {
        var encoding: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509(pointer, &encoding)
        defer { CRYPTO_free(encoding, nil, 0) }
        try check(length)
        return Array(UnsafeBufferPointer(start: encoding, count: Int(length)))
    }

    /// SHA-1 of the key, which is a name for it and not a protection (RFC 5280 section 4.2.1.2).
    private func keyIdentifier() throws(SimulatorError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        try check(X509_pubkey_digest(pointer, EVP_sha1(), &digest, &count))
        return Array(digest.prefix(Int(count)))
    }

    private func check(_ result: Int32) throws(SimulatorError) {
        guard result > 0 else { throw SimulatorError("cannot make a certificate") }
    }
}
