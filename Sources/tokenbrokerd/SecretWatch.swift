internal import EventLoop
internal import Logging
internal import TokenBroker

/// Has the keeper look at the files of secrets when one of them may have changed. Used on the loop's thread.
final class SecretWatch {
    private let keeper: SecretKeeper
    private let logger: Logger
    private var weakness: String?
    private lazy var files = FileWatch(loop: loop) { [unowned self] _ in changed() }
    private let loop: EventLoop

    init(_ keeper: SecretKeeper, on loop: EventLoop, logger: Logger) {
        self.keeper = keeper
        self.loop = loop
        self.logger = logger
    }

    /// Watches the files of this definition and no others. What changed before this is called has to be read by the caller.
    func follow(_ definition: BrokerDefinition) {
        files.watch(Set(definition.secrets.values.compactMap(\.source.path)))
        tellOfWeakness()
    }

    func stop() { files.close() }

    private func changed() {
        tellOfWeakness()
        Task { [keeper] in await keeper.check() }
    }

    private func tellOfWeakness() {
        if let weakness = files.weakness, weakness != self.weakness {
            logger.warning("Changed files of secrets are noticed every 30 seconds only", [.reason: .string(weakness)])
        }
        weakness = files.weakness
    }
}

extension SecretDefinition.Source {
    fileprivate var path: String? {
        guard case .file(let path) = self else { return nil }
        return path
    }
}
