internal import TokenBroker

extension Problem {
    /// Why a step in the life of a secret was not taken.
    init(_ refusal: SecretStepRefusal) {
        let detail = refusal.description
        switch refusal {
        case .unknown: self.init(.notFound, detail)
        case .noCandidate, .notVerified, .nothingRetiring, .overtaken, .notManaged, .noIssuer, .underWay:
            self.init(.conflict, detail)
        case .unusable: self.init(.invalidRequest, detail)
        case .notKept: self.init(.secretUnavailable, detail)
        case .refused(let failure): self.init(failure, retryAfter: nil, detail: detail)
        case .unproven(let failure), .notIssued(let failure), .lost(_, let failure), .stillLost(_, let failure):
            self.init(failure, retryAfter: failure.retryAfter, detail: detail)
        }
    }
}

extension MintFailure {
    /// In how many seconds an operator does well to try again; nil where waiting changes nothing.
    fileprivate var retryAfter: Int64? {
        switch failureClass {
        case .transient: 5
        case .rateLimited(let pause): pause.map { max(1, $0.wholeSecondsRoundedUp) } ?? 30
        default: nil
        }
    }
}
