internal import TokenBroker

extension Problem {
    static let preconditionRequired = Problem(
        .preconditionRequired,
        "say which revision you have read: its ETag in If-Match, so that nobody's change is lost"
    )

    init(_ refusal: DevicePolicyRefusal) {
        switch refusal {
        case .changedMeanwhile:
            self.init(.preconditionFailed, "the policy is not at that revision any more; read it again and decide anew")
        case .unknownRoute(let name):
            self.init(.invalidRequest, "there is no route '\(name)' in the configuration")
        case .nothingToAccept(let routes):
            let names = routes.map { "'\($0)'" }.joined(separator: ", ")
            self.init(.conflict, "no app is accepted, so that enforce would let nobody pass (\(names)): set apps, too")
        case .noStore:
            self.init(.conflict, "the configuration has no store, which would keep what is set: say it there")
        case .storeFails(let error):
            self.init(.internal, "the policy stays as it is, because the store does not keep it now: \(error.message)")
        }
    }
}
