internal import Configuration
internal import EventLoop
internal import Glibc
internal import Logging
internal import ServiceManager
internal import TokenBroker

/// The daemon from its first instruction to its exit status.
enum Daemon {
    static func main(_ arguments: [String]) -> Int32 {
        do throws(UsageError) {
            switch try Arguments(arguments) {
            case .help: print(Arguments.helpText)
            case .version: print("tokenbrokerd \(Product.version)")
            case .check(let path): return check(path).rawValue
            case .run(let path): return run(path).rawValue
            }
            return ExitStatus.success.rawValue
        } catch {
            complain(error.description)
            return ExitStatus.usage.rawValue
        }
    }

    /// Validates the configuration and does nothing else.
    private static func check(_ path: String) -> ExitStatus {
        do throws(ConfigurationProblems) {
            let configuration = try ConfigurationLoader(kinds: Supplies.kinds).load(path: path)
            for warning in configuration.warnings { complain("warning: \(warning)") }
            print("\(path): configuration is valid")
            return .success
        } catch {
            complain(error.description)
            return .configuration
        }
    }

    /// Serves until a signal says otherwise.
    private static func run(_ path: String) -> ExitStatus {
        let environment = ProcessEnvironment.current()
        let passed = SocketActivation.passedCount(environment: environment)
        let hardeningFailures = ProcessHardening.apply(passedDescriptors: passed)
        let memory = LockedMemory()
        if let memory { Secret.keep(in: memory) }
        let logger = Logger(
            level: .info,
            output: LogDestination.output(environment: environment, identifier: "tokenbrokerd")
        )
        for failure in hardeningFailures {
            logger.warning(
                "Hardening step failed",
                [.step: .string(failure.step.rawValue), .errorDetail: .string(failure.error.description)]
            )
        }
        do throws(any Error) {
            let loader = ConfigurationLoader(kinds: Supplies.kinds)
            let configuration = try loader.load(path: path)
            logger.setLevel(configuration.loggingLevel)
            let signals = try SignalSource([.hangUp, .interrupt, .terminate])
            let sockets = try Sockets.open(configuration, environment: environment)
            try becomeUser(configuration.runAs, logger)
            let service = try Service(path, configuration, sockets, environment, memory, logger)
            return try service.run(signals)
        } catch {
            return report(error, logger)
        }
    }

    private static func becomeUser(_ user: String?, _ logger: Logger) throws(PrivilegeDropError) {
        guard getuid() == 0 else { return }
        if let user {
            try PrivilegeDrop.become(user: user)
        } else {
            logger.warning("Running as root; set run_as, or User= in the unit")
        }
    }

    private static func report(_ error: any Error, _ logger: Logger) -> ExitStatus {
        switch error {
        case let problems as ConfigurationProblems:
            for problem in problems.problems {
                logger.error("the configuration is not valid", [.errorDetail: .string(problem.description)])
            }
            return .configuration
        case let error as ListenerError where error.code == .alreadyRunning:
            logger.error("another instance is alive", [.errorDetail: .string(error.description)])
            return .temporaryFailure
        case let error as StoreError where error.code == .inUse:
            logger.error("another instance has the store", [.errorDetail: .string(error.description)])
            return .temporaryFailure
        case let error as StoreError where error.code == .newerVersion:
            logger.error("the store is of a newer version", [.errorDetail: .string(error.description)])
            return .configuration
        case let error as ListenerError:
            logger.error("a socket cannot be opened", [.errorDetail: .string(error.description)])
        default:
            logger.error("the daemon cannot run", [.errorDetail: .string(String(describing: error))])
        }
        return .failure
    }

    private static func complain(_ text: String) {
        let line = Array("tokenbrokerd: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}

extension Configuration {
    /// The configured level as the logger names it.
    var loggingLevel: Logging.LogLevel {
        guard let level = Logging.LogLevel(rawValue: logLevel.rawValue) else {
            preconditionFailure("not a level: \(logLevel.rawValue)")
        }
        return level
    }
}
