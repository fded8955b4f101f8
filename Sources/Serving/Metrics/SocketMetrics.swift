/// What is counted of one socket.
///
/// Used on the loop's thread only, so that counting is adding to an integer: no lock, no atomic, no allocation. An answer
/// that was there at once, as nearly all are, is counted once; that it took no time is worked out by the reader.
final class SocketMetrics {
    /// Kept, for `allCases` is an array that is made anew each time.
    private static let codes = AnswerCode.allCases.count

    let socket: StaticString
    /// How many are open.
    var connections = 0
    private var answers = [UInt64](repeating: 0, count: Endpoint.allCases.count * codes)
    /// Of the answers that were waited for.
    private var waits = [LatencyHistogram](repeating: LatencyHistogram(), count: Endpoint.allCases.count)

    init(_ socket: StaticString) {
        self.socket = socket
    }

    /// Counts an answer that was given in the turn of the loop that read its request.
    func answered(_ endpoint: Endpoint, _ status: Int) {
        count(endpoint, AnswerCode(status))
    }

    /// Counts an answer that was waited for.
    func answered(_ endpoint: Endpoint, _ status: Int, after nanoseconds: Int64) {
        count(endpoint, AnswerCode(status))
        waits[endpoint.rawValue].add(nanoseconds: nanoseconds)
    }

    /// Counts a caller that hung up before its answer.
    func abandoned(_ endpoint: Endpoint) {
        count(endpoint, .abandoned)
    }

    private func count(_ endpoint: Endpoint, _ code: AnswerCode) {
        answers[endpoint.rawValue * Self.codes + code.rawValue] &+= 1
    }

    /// Every combination that occurred, and how often.
    var counts: [(endpoint: Endpoint, code: AnswerCode, count: UInt64)] {
        Endpoint.allCases.flatMap { endpoint in
            AnswerCode.allCases.compactMap { code in
                let count = count(of: endpoint, code)
                return count == 0 ? nil : (endpoint, code, count)
            }
        }
    }

    /// How long the answers of each endpoint took that gave any.
    var latencies: [(endpoint: Endpoint, histogram: LatencyHistogram)] {
        Endpoint.allCases.compactMap { endpoint in
            let answered = AnswerCode.allCases.filter { $0 != .abandoned }.reduce(0) { $0 &+ count(of: endpoint, $1) }
            var histogram = waits[endpoint.rawValue]
            histogram.add(immediate: answered &- histogram.count)
            return answered == 0 ? nil : (endpoint, histogram)
        }
    }

    private func count(of endpoint: Endpoint, _ code: AnswerCode) -> UInt64 {
        answers[endpoint.rawValue * Self.codes + code.rawValue]
    }
}

/// How a request ended: an HTTP status that the broker answers, and what is none.
enum AnswerCode: Int, CaseIterable {
    case ok
    case notModified
    case badRequest
    case unauthorized
    case forbidden
    case notFound
    case methodNotAllowed
    case conflict
    case preconditionFailed
    case payloadTooLarge
    case unprocessable
    case preconditionRequired
    case tooManyRequests
    case headersTooLarge
    /// The caller hung up first; the number is the one that nginx gives it.
    case abandoned
    case `internal`
    case badGateway
    case unavailable
    case gatewayTimeout
    /// A status that is not in this list.
    case other

    init(_ status: Int) {
        self =
            switch status {
            case 200: .ok
            case 304: .notModified
            case 400: .badRequest
            case 401: .unauthorized
            case 403: .forbidden
            case 404: .notFound
            case 405: .methodNotAllowed
            case 409: .conflict
            case 412: .preconditionFailed
            case 413: .payloadTooLarge
            case 422: .unprocessable
            case 428: .preconditionRequired
            case 429: .tooManyRequests
            case 431: .headersTooLarge
            case 499: .abandoned
            case 500: .internal
            case 502: .badGateway
            case 503: .unavailable
            case 504: .gatewayTimeout
            default: .other
            }
    }

    var label: String {
        (100...599).first { AnswerCode($0) == self && self != .other }.map(String.init) ?? "other"
    }
}
