internal import COpenSSL

/// An X.509 certificate that was read.
struct Certificate: ~Copyable {
    let pointer: OpaquePointer

    /// - Returns: nil for anything but one certificate's DER.
    init?(der: [UInt8]) {
        let certificate = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var position = buffer.baseAddress
            let certificate = d2i_X509(nil, &position, buffer.count)
            guard position == buffer.baseAddress.map({ $0 + buffer.count }) else {
                X509_free(certificate)
                return nil
            }
            return certificate
        }
        guard let certificate else { return nil }
        pointer = certificate
    }

    deinit {
        X509_free(pointer)
    }

    /// The subject's common name as its bytes; nil where there is none, or more than one.
    var commonName: [UInt8]? {
        guard let name = X509_get_subject_name(pointer) else { return nil }
        let index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        guard index >= 0, X509_NAME_get_index_by_NID(name, NID_commonName, index) < 0,
            let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index))
        else { return nil }
        return Self.bytes(value)
    }

    /// The 65 bytes of the key where it is an uncompressed point of P-256.
    var point: [UInt8]? {
        var encoding: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), &encoding)
        guard length > 0, let encoding else { return nil }
        defer { CRYPTO_free(encoding, nil, 0) }
        let bytes = UnsafeBufferPointer(start: encoding, count: Int(length))
        let point = bytes.dropFirst(PublicKey.encodingPrefix.count)
        guard bytes.starts(with: PublicKey.encodingPrefix), point.count == PublicKey.pointLength,
            point.first == PublicKey.uncompressed
        else { return nil }
        return Array(point)
    }

    /// The value of the extension of that identifier; nil where there is none, or more than one.
    func extensionValue(_ identifier: String) -> [UInt8]? {
        guard let object = OBJ_txt2obj(identifier, 1) else { return nil }
        defer { ASN1_OBJECT_free(object) }
        let index = X509_get_ext_by_OBJ(pointer, object, -1)
        guard index >= 0, X509_get_ext_by_OBJ(pointer, object, index) < 0,
            let value = X509_EXTENSION_get_data(X509_get_ext(pointer, index))
        else { return nil }
        return Self.bytes(value)
    }

    private static func bytes(_ string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
        Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
    }
}
