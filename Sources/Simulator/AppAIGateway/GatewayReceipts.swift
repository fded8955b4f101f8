internal import HTTPWire
internal import JSON

/// What was answered to requests that may be repeated: whoever lost the answer gets the same secret again, for a while.
struct GatewayReceipts {
    /// How a request says which one it repeats, and that it is the one who made it.
    struct Claim {
        let key: String
        let proof: String
        /// Of all that must be the same in a repetition.
        let digest: [UInt8]
    }

    private struct Receipt {
        let claim: Claim
        let keyID: String
        let answer: JSONValue
        let atMilliseconds: Int64
    }

    /// Fifteen minutes, in which the secret is told again.
    private static let revealedMilliseconds: Int64 = 15 * 60 * 1000

    private var receipts: [String: Receipt] = [:]

    /// The answer to what the request repeats; nil where it is the first.
    func answer(to claim: Claim, nowMilliseconds: Int64) throws(GatewayRefusal) -> JSONValue? {
        guard let receipt = receipts[claim.key] else { return nil }
        guard receipt.claim.proof == claim.proof else { throw GatewayRefusal(.authRequired, status: 403) }
        guard receipt.claim.digest == claim.digest else { throw GatewayRefusal(.conflict) }
        guard nowMilliseconds - receipt.atMilliseconds < Self.revealedMilliseconds else {
            throw GatewayRefusal(.operationExpired, data: ["keyId": .string(receipt.keyID)])
        }
        return receipt.answer
    }

    mutating func keep(_ answer: JSONValue, keyID: String, for claim: Claim, nowMilliseconds: Int64) {
        receipts[claim.key] = Receipt(claim: claim, keyID: keyID, answer: answer, atMilliseconds: nowMilliseconds)
    }
}

extension GatewayReceipts.Claim {
    /// Takes the two fields; nil where neither is there.
    init?(_ request: HTTPRequest, path: String) throws(GatewayRefusal) {
        let fields = ["Idempotency-Key", "X-Idempotency-Proof"].map {
            request.headers.values($0).joined(separator: ", ")
        }
        if fields == ["", ""] { return nil }
        for field in fields where field.wholeMatch(of: #/[A-Za-z0-9_-]{32,256}/#) == nil {
            throw GatewayRefusal(.invalidRequest)
        }
        self.init(key: fields[0], proof: fields[1], digest: Digest.sha256(Array("\(path)\n".utf8) + request.body))
    }
}
