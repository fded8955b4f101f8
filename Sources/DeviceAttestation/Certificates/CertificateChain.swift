internal import COpenSSL
internal import TokenBroker

/// A leaf, and the intermediate that is said to have signed it.
struct CertificateChain: ~Copyable {
    let leaf: Certificate
    let intermediate: Certificate

    /// Leaf, intermediate, root.
    private static let length: Int32 = 3

    init(leaf: consuming Certificate, intermediate: consuming Certificate) {
        self.leaf = leaf
        self.intermediate = intermediate
    }

    /// Checks that the leaf is the intermediate's and the intermediate the root's, and that all three are in force.
    ///
    /// The root is the only certificate that is trusted: no store of the host is asked.
    func verify(against root: borrowing Certificate, at instant: WallInstant) throws(DeviceRefusal) {
        guard let store = X509_STORE_new(), let context = X509_STORE_CTX_new(), let others = OPENSSL_sk_new_null()
        else {
            preconditionFailure("out of memory")
        }
        defer {
            X509_STORE_CTX_free(context)
            X509_STORE_free(store)
            OPENSSL_sk_free(others)
        }
        // The stack only points; the store and the context count their references.
        guard OPENSSL_sk_push(others, UnsafeRawPointer(intermediate.pointer)) > 0,
            X509_STORE_add_cert(store, root.pointer) == 1,
            X509_STORE_CTX_init(context, store, leaf.pointer, others) == 1
        else { throw DeviceRefusal(.untrustedChain, "the certificates cannot be checked") }
        X509_STORE_CTX_set_time(context, 0, time_t(instant.unixSeconds))
        guard X509_verify_cert(context) == 1 else { throw Self.refusal(X509_STORE_CTX_get_error(context)) }
        guard OPENSSL_sk_num(X509_STORE_CTX_get0_chain(context)) == Self.length else {
            throw DeviceRefusal(.untrustedChain, "the leaf was not signed by the intermediate")
        }
    }

    private static func refusal(_ error: Int32) -> DeviceRefusal {
        switch error {
        case X509_V_ERR_CERT_HAS_EXPIRED: DeviceRefusal(.certificateExpired, "a certificate's time is over")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            DeviceRefusal(.certificateNotYetValid, "a certificate's time has not come")
        default: DeviceRefusal(.untrustedChain, String(cString: X509_verify_cert_error_string(Int(error))))
        }
    }
}
