import Testing
import TokenBroker
import Upstream

/// An answer that gives no token, and what it must mean.
struct Fault: Sendable, CustomTestStringConvertible {
    static let pause: UpstreamHeaders = ["Retry-After": "30"]
    static let page = "<html><body>not found</body></html>"

    let status: Int
    let body: String
    let headers: UpstreamHeaders
    let failureClass: FailureClass
    let code: String?
    let askedPause: Duration?

    /// - Parameter pause: nil for what the headers of ``pause`` ask for, where they are there.
    init(
        _ status: Int,
        _ body: String,
        headers: UpstreamHeaders = [:],
        _ failureClass: FailureClass,
        code: String? = nil,
        asking pause: Duration? = nil
    ) {
        self.status = status
        self.body = body
        self.headers = headers
        self.failureClass = failureClass
        self.code = code
        askedPause = pause ?? (headers["Retry-After"] == "30" ? .seconds(30) : nil)
    }

    var testDescription: String { "\(status) \(body) \(headers.fields.map(\.value))" }

    var sender: FakeSender { FakeSender(status, body, headers: headers) }

    /// Expects that `mint` fails as this fault says, without a word of the secrets.
    func check(withholding secrets: [String], _ mint: (FakeSender) async throws -> Mint) async throws {
        let thrown = await #expect(throws: MintFailure.self) { try await mint(sender) }
        let failure = try #require(thrown)
        #expect(failure.failureClass == failureClass)
        #expect(failure.askedPause == askedPause)
        #expect(failure.providerCode == code)
        #expect(failure.providerStatus == status)
        for secret in secrets { #expect(!String(reflecting: failure).contains(secret)) }
    }

    /// What no kind of provider has a meaning of its own for: a pause, a server's trouble, a page on the way, a redirect.
    static let common = [
        Fault(429, "", .rateLimited),
        Fault(429, page, headers: pause, .rateLimited),
        Fault(429, "", headers: ["Retry-After": "soon"], .rateLimited),
        Fault(500, "", .transient),
        Fault(502, page, .transient),
        Fault(503, page, headers: pause, .transient),
        Fault(504, "", .transient),
        Fault(401, page, .transient),
        Fault(403, page, .transient),
        Fault(403, page, headers: pause, .transient),
        Fault(408, "", headers: pause, .transient),
        Fault(404, page, .transient),
        Fault(404, "", .transient),
        Fault(409, "{}", .transient),
        Fault(200, page, .transient),
        Fault(200, "", .transient),
        Fault(200, "[]", .transient),
        Fault(200, "{}", .transient),
        Fault(200, page, headers: pause, .transient),
        Fault(301, "", .requestRejected),
        Fault(301, "", headers: pause, .requestRejected),
        Fault(307, page, headers: ["Location": "https://elsewhere.example/"], .requestRejected),
    ]
}
