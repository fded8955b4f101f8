internal import CCurl
internal import TokenBroker

/// Network address translation forgets a silent connection after a minute or more, and the next request on it would hang.
private let longestIdle: Duration = .seconds(50)
/// How long a connection serves at most, so that a change of the provider's address is followed.
private let longestLifetime: Duration = .seconds(300)
/// How long a changed system certificate store may go unnoticed.
private let trustStoreCache: Duration = .seconds(600)
/// A connection that died in silence is found out by probes after this time, and every this often.
private let keepAliveInterval: Duration = .seconds(15)

extension Transfer {
    /// Sets what is the same for every request of a pool.
    func configure(
        origin: Origin,
        settings: UpstreamSettings,
        userAgent: String,
        limit: Duration
    ) throws(UpstreamFailure) {
        try configureProtocol(origin: origin, userAgent: userAgent)
        try configureTLS()
        try configureLimits(settings: settings, limit: limit)
    }

    private func configureProtocol(origin: Origin, userAgent: String) throws(UpstreamFailure) {
        try easy.set(CURLOPT_PROTOCOLS_STR, origin.scheme)
        try easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, true)
        // A redirect would carry the key to wherever it points.
        try easy.set(CURLOPT_FOLLOWLOCATION, false)
        try easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        try easy.set(CURLOPT_HTTP09_ALLOWED, false)
        try easy.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        // No content coding is asked for: a token's answer is small, and what is not decoded cannot expand.
        try easy.set(CURLOPT_HTTP_CONTENT_DECODING, false)
        try easy.set(CURLOPT_USERAGENT, userAgent)
        // The provider's headers, the key among them, are not for the proxy.
        try easy.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        if origin.isLoopback { try easy.set(CURLOPT_NOPROXY, "*") }
    }

    private func configureTLS() throws(UpstreamFailure) {
        try easy.set(CURLOPT_SSL_VERIFYPEER, true)
        try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
        try easy.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try easy.set(CURLOPT_CA_CACHE_TIMEOUT, Int(trustStoreCache.wholeSeconds))
        // A resumed session comes without a chain to hold against the pins. This libcurl keeps none beyond a transfer;
        // later ones keep them for the whole pool.
        if trust.pins != nil { try easy.set(CURLOPT_SSL_SESSIONID_CACHE, false) }
    }

    private func configureLimits(settings: UpstreamSettings, limit: Duration) throws(UpstreamFailure) {
        // For libcurl 0 means no limit.
        try easy.set(CURLOPT_TIMEOUT_MS, max(1, Int(limit.saturatedMilliseconds)))
        try easy.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(settings.connectTimeout.saturatedMilliseconds)))
        // A lookup that outlives its transfer would hold up the thread, and with it the pool, until it ends.
        try easy.set(CURLOPT_QUICK_EXIT, true)
        try easy.set(CURLOPT_NOSIGNAL, true)
        try easy.set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
        try easy.set(CURLOPT_MAXAGE_CONN, Int(longestIdle.wholeSeconds))
        try easy.set(CURLOPT_MAXLIFETIME_CONN, Int(longestLifetime.wholeSeconds))
        try easy.set(CURLOPT_TCP_KEEPALIVE, true)
        try easy.set(CURLOPT_TCP_KEEPIDLE, Int(keepAliveInterval.wholeSeconds))
        try easy.set(CURLOPT_TCP_KEEPINTVL, Int(keepAliveInterval.wholeSeconds))
    }
}
