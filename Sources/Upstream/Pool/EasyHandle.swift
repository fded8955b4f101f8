internal import CCurl

/// One transfer's options and state in libcurl; freed with this object, which must have left its multi handle by then.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer

    init() throws(UpstreamFailure) {
        guard let pointer = curl_easy_init() else {
            throw UpstreamFailure(.other, "libcurl has no memory for a transfer")
        }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
    }

    func set(_ option: CURLoption, _ value: Int) throws(UpstreamFailure) {
        try check(curl_set_long(pointer, option, value), option)
    }

    func set(_ option: CURLoption, _ isOn: Bool) throws(UpstreamFailure) {
        try set(option, isOn ? 1 : 0)
    }

    func set(_ option: CURLoption, _ text: String) throws(UpstreamFailure) {
        try check(curl_set_text(pointer, option, text), option)
    }

    /// - Parameter target: what libcurl keeps a pointer to; it lives until the handle is freed.
    func set(_ option: CURLoption, pointingTo target: UnsafeRawPointer?) throws(UpstreamFailure) {
        try check(curl_set_pointer(pointer, option, target), option)
    }

    func set(_ option: CURLoption, calling function: @escaping curl_write_callback) throws(UpstreamFailure) {
        try check(curl_set_write_function(pointer, option, function), option)
    }

    func setPrerequestFunction(_ function: @escaping curl_prereq_callback) throws(UpstreamFailure) {
        try check(curl_set_prereq_function(pointer, function), CURLOPT_PREREQFUNCTION)
    }

    func setOpenSocketFunction(_ function: @escaping curl_opensocket_callback) throws(UpstreamFailure) {
        try check(curl_set_opensocket_function(pointer, function), CURLOPT_OPENSOCKETFUNCTION)
    }

    func setTLSContextFunction(_ function: @escaping curl_ssl_ctx_callback) throws(UpstreamFailure) {
        try check(curl_set_ssl_ctx_function(pointer, function), CURLOPT_SSL_CTX_FUNCTION)
    }

    func integer(_ info: CURLINFO) -> Int {
        var value = 0
        curl_get_long(pointer, info, &value)
        return value
    }

    /// How long after its start the transfer reached a point, in microseconds; 0 when it has not.
    func microseconds(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        curl_get_offset(pointer, info, &value)
        return Int64(value)
    }

    /// An option that libcurl does not take is never passed over: verification could be among them.
    private func check(_ result: CURLcode, _ option: CURLoption) throws(UpstreamFailure) {
        guard result == CURLE_OK else {
            throw UpstreamFailure(.other, "libcurl refuses option \(option.rawValue) (error \(result.rawValue))")
        }
    }
}
