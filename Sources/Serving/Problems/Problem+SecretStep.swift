internal import TokenBroker

extension Problem {
    /// Why a step in the life of a secret was not taken.
    ///
    /// - Parameter longestPause: what a provider may ask for at most.
    init(_ refusal: SecretStepRefusal, longestPause: Duration) {
        let detail = refusal.description
        switch refusal {
        case .unknown: self.init(.notFound, detail)
        case .noCandidate, .notVerified, .nothingRetiring, .overtaken, .notManaged, .noIssuer, .underWay:
            self.init(.conflict, detail)
        case .unusable: self.init(.invalidRequest, detail)
        case .notKept: self.init(.internal, detail)
        case .refused(let failure): self.init(failure, retryAfter: nil, detail: detail)
        case .unproven(let failure), .noManagement(let failure), .notIssued(let failure), .lost(_, let failure),
            .stillLost(_, let failure):
            self.init(failure, retryAfter: failure.retryAfter(atMost: longestPause), detail: detail)
        }
    }
}

extension MintFailure {
    /// In how many seconds an operator does well to try again; nil where waiting changes nothing.
    fileprivate func retryAfter(atMost longestPause: Duration) -> Int64? {
        if let pause = askedPause(atMost: longestPause) { return pause.wholeSecondsRoundedUp }
        return switch failureClass {
        case .transient: 5
        case .rateLimited: 30
        default: nil
        }
    }
}
