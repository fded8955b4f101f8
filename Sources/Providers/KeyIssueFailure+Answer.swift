internal import TokenBroker
internal import Upstream

extension KeyIssueFailure {
    /// Of a request that got no answer.
    init(_ failure: UpstreamFailure) {
        self = failure.requestMayHaveBeenSent ? .unknown(MintFailure(failure)) : .refused(MintFailure(failure))
    }

    /// Of an answer that is no success. Only a status that says that the request was not carried out is believed to.
    init(_ failure: MintFailure) {
        switch failure.providerStatus {
        case 408?: self = .unknown(failure)
        case let status? where (400..<500).contains(status): self = .refused(failure)
        default: self = .unknown(failure)
        }
    }
}

extension ProviderAnswer {
    /// A key's id, which becomes a part of a path: letters, digits, `-` and `_` only.
    func keyID(_ text: String?) throws(MintFailure) -> String {
        guard let text, (1...128).contains(text.utf8.count), text.utf8.allSatisfy(isByteOfKeyID) else {
            throw unreadable("the key's id is missing or not one")
        }
        return text
    }
}

private func isByteOfKeyID(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
