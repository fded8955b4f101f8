internal import CCurl
internal import COpenSSL
internal import Glibc

extension Transfer {
    /// Says what a libcurl error means, in our own words: libcurl's can quote the URL or the answer.
    func failure(for result: CURLcode) -> UpstreamFailure {
        let wasSent = requestedAt != nil
        let (code, message) = meaning(of: result, wasSent: wasSent)
        return UpstreamFailure(code, "\(authority): \(message)", requestMayHaveBeenSent: wasSent)
    }

    private func meaning(of result: CURLcode, wasSent: Bool) -> (UpstreamFailure.Code, String) {
        if isTooLarge { return (.tooLarge, "the answer is longer than we read") }
        if let chain = pinCheck?.refusedChain {
            let pins = chain.joined(separator: ", ")
            return (.tlsUntrusted, "no certificate of the chain matches a pin; the chain's own are \(pins)")
        }
        switch result {
        case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED:
            return (.invalidRequest, "the address is not a valid URL")
        case CURLE_COULDNT_RESOLVE_HOST:
            return (.couldNotResolve, "the name could not be resolved")
        case CURLE_COULDNT_RESOLVE_PROXY:
            return (.couldNotResolve, "the proxy's name could not be resolved")
        case CURLE_COULDNT_CONNECT:
            return (.couldNotConnect, "no connection\(systemReason)")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED:
            return (.couldNotConnect, "the TLS handshake failed")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return (.tlsUntrusted, "the certificate is not trusted\(verificationReason)")
        case CURLE_SSL_CACERT_BADFILE:
            return (.trustFileUnreadable, "the additional or the system's CA file cannot be read")
        case CURLE_OPERATION_TIMEDOUT:
            return (.timedOut, wasSent ? "no complete answer in time" : "no connection in time")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            return (.connectionLost, "the connection ended before the answer did")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            return (.malformedResponse, "what came is not HTTP")
        default:
            return (.other, "libcurl error \(result.rawValue)")
        }
    }

    private var systemReason: String {
        let number = Int32(truncatingIfNeeded: easy.integer(CURLINFO_OS_ERRNO))
        // Safe on every thread since glibc 2.32.
        guard number != 0, let text = strerror(number) else { return "" }
        return ": " + String(cString: text)
    }

    /// OpenSSL's own words, such as `self-signed certificate`; empty where it was the name that did not match.
    private var verificationReason: String {
        let result = easy.integer(CURLINFO_SSL_VERIFYRESULT)
        guard result != X509_V_OK, let text = X509_verify_cert_error_string(result) else { return "" }
        return ": " + String(cString: text)
    }
}
