internal import CCurl
internal import COpenSSL
internal import Glibc
internal import TokenBroker

/// How long sent bytes may go unacknowledged: without it a connection that died in silence is tried for a quarter of an
/// hour, and under HTTP/2 a request that timed out leaves its connection to the next one.
private let unacknowledgedLimitMilliseconds: UInt32 = 15_000

extension Transfer {
    func installCallbacks() throws(UpstreamFailure) {
        let me = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        try easy.set(CURLOPT_HEADERFUNCTION, calling: receiveHeaderLine)
        try easy.set(CURLOPT_HEADERDATA, pointingTo: me)
        try easy.set(CURLOPT_WRITEFUNCTION, calling: receiveBody)
        try easy.set(CURLOPT_WRITEDATA, pointingTo: me)
        try easy.setPrerequestFunction(noteRequest)
        try easy.set(CURLOPT_PREREQDATA, pointingTo: me)
        try easy.setOpenSocketFunction(openSocket)
        if trust != TrustSettings() {
            try easy.setTLSContextFunction(prepareTLS)
            try easy.set(CURLOPT_SSL_CTX_DATA, pointingTo: me)
        }
    }
}

// Free functions, because libcurl calls them on the pool's thread: a closure could inherit the main actor's isolation.

private func transfer(_ pointer: UnsafeMutableRawPointer?) -> Transfer? {
    pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

private func receiveHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.takeHeaderLine(line) == true ? line.count : -1
}

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.takeBody(part) == true ? part.count : -1
}

/// Called when the connection is ready and each time before the request is written to one.
private func noteRequest(
    _ context: UnsafeMutableRawPointer?,
    _ remoteAddress: UnsafeMutablePointer<CChar>?,
    _ localAddress: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32,
    _ localPort: Int32
) -> Int32 {
    transfer(context)?.requestIsAboutToBeSent()
    return CURL_PREREQFUNC_OK
}

/// Opens the socket in libcurl's place, which would leave it open to programs that the process starts.
private func openSocket(
    _ context: UnsafeMutableRawPointer?,
    _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address = address?.pointee else { return CURL_SOCKET_BAD }
    let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, address.socktype | closeOnExec, address.protocol)
    guard descriptor >= 0 else { return CURL_SOCKET_BAD }
    var limit = unacknowledgedLimitMilliseconds
    // Of use where it works, and no reason to go without the connection where it does not.
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit, socklen_t(MemoryLayout.size(ofValue: limit)))
    return descriptor
}

/// Called for each new connection, when libcurl has loaded the system's certificates.
private func prepareTLS(
    _ easy: UnsafeMutableRawPointer?,
    _ tlsContext: UnsafeMutableRawPointer?,
    _ context: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let transfer = transfer(context), let tlsContext else { return CURLE_SSL_CACERT_BADFILE }
    let tls = OpaquePointer(tlsContext)
    guard addTrust(transfer.trust, to: tls) else { return CURLE_SSL_CACERT_BADFILE }
    return transfer.pin(tls) ? CURLE_OK : CURLE_OUT_OF_MEMORY
}

/// Adds to the system's certificates; libcurl's own setting for a file would replace them.
private func addTrust(_ trust: TrustSettings, to tlsContext: OpaquePointer) -> Bool {
    guard let file = trust.additionalCAFile else { return true }
    guard let store = SSL_CTX_get_cert_store(tlsContext) else { return false }
    return X509_STORE_load_locations(store, file, nil) == 1
}
