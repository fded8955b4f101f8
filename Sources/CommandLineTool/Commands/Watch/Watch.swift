internal import HTTPWire
internal import JSON

/// Follows one token from generation to generation.
struct Watch: Equatable, Sendable {
    let socketPath: String
    /// Path and query of the token, encoded.
    let target: String

    typealias Ports = StreamPorts

    /// How long one poll lasts. A reader that has gone away is noticed between two of them.
    private static let pollSeconds = 60

    /// A broker that stops, or that is not to let anybody wait, answers polls at once: this keeps it from being asked
    /// without a pause. What comes meanwhile is not lost, for a poll compares generations.
    private static let betweenPolls = Duration.milliseconds(200)

    func perform() -> Report {
        follow(.ofProcess())
    }

    /// - Returns: how to end.
    func follow(_ ports: Ports) -> Report {
        var known: String?
        var trouble = Trouble()
        while !ports.isReaderGone() {
            switch ask(after: known) {
            case .token(let document, let generation):
                trouble.end(ports.note)
                if generation == known {
                    ports.pause(Self.betweenPolls)
                    continue
                }
                if let error = ports.write(Self.line(document)) { return Report(writeError: error) }
                known = generation
            case .noNews:
                trouble.end(ports.note)
                ports.pause(Self.betweenPolls)
            case .later(let reason, let seconds):
                ports.pause(trouble.pause(reason, atLeast: seconds, ports.note))
            case .gone(let failure):
                // A broker that was there comes back; one that never was may be somewhere else.
                guard known != nil || trouble.hasBegun else { return Report(failure: failure) }
                ports.pause(trouble.pause(failure.lines[0], atLeast: 0, ports.note))
            case .over(let failure):
                return Report(failure: failure)
            }
        }
        return Report()
    }

    private enum Heard {
        case token(JSONValue, generation: String)
        case noNews
        /// There is no token now: why, and after how many seconds it is worth another try.
        case later(String, Int64)
        /// No broker answered.
        case gone(CommandFailure)
        /// Asking again would change nothing.
        case over(CommandFailure)
    }

    private func ask(after known: String?) -> Heard {
        let response: HTTPClientResponse
        do throws(ConnectionFailure) {
            let patience = BrokerClient.patience + .seconds(Self.pollSeconds)
            response = try BrokerClient(path: socketPath, patience: patience).answer(to: request(after: known))
        } catch {
            let failure = error.commandFailure(.apps, path: socketPath)
            switch error {
            case .notPermitted, .pathTooLong: return .over(failure)
            case .notThere, .timedOut, .unreadable: return .gone(failure)
            }
        }
        if response.status == 304 { return .noNews }
        do throws(CommandFailure) {
            let document = try Broker.content(of: response, from: .apps, path: socketPath)
            guard let generation = document["generation"]?.scalarText else {
                return .over(CommandFailure(.unavailable, ["the broker's answer names no generation"]))
            }
            return .token(document, generation: generation)
        } catch {
            // 4xx is about the question, and 429 about how often; the rest is about the moment.
            guard response.status >= 500 || response.status == 429 else { return .over(error) }
            let problem = (try? JSONValue(parsing: response.body)).flatMap(Problem.init)
            return .later(error.lines[0], problem?.retryAfter ?? 0)
        }
    }

    private func request(after known: String?) -> HTTPClientRequest {
        do throws(WireEncodingError) {
            var headers = [try HeaderField("Prefer", "wait=\(Self.pollSeconds)")]
            if let known { headers.append(try HeaderField("If-None-Match", "\"\(known)\"")) }
            return try HTTPClientRequest(.get, target, headers: headers)
        } catch {
            preconditionFailure("a target is made of checked names, and a generation is a number: \(error)")
        }
    }

    private static func line(_ document: JSONValue) -> [UInt8] {
        Array((PrintableText.escapedJSON(String(decoding: document.serialized(), as: UTF8.self)) + "\n").utf8)
    }
}

extension Watch {
    /// A stretch of time without an answer: each reason in it is told once, and the pauses grow.
    private struct Trouble {
        private static let shortest = Duration.milliseconds(200)
        private static let longest = Duration.seconds(5)
        /// A provider may ask for minutes; a broker that is reloaded meanwhile can know better.
        private static let mostHeeded: Int64 = 60

        private var next = shortest
        private var told: String?

        var hasBegun: Bool { told != nil }

        /// - Returns: how long to pause before the next try.
        mutating func pause(_ reason: String, atLeast seconds: Int64, _ note: (String) -> Void) -> Duration {
            if reason != told { note(reason) }
            told = reason
            defer { next = min(next * 2, Self.longest) }
            return max(next, .seconds(min(max(seconds, 0), Self.mostHeeded)))
        }

        mutating func end(_ note: (String) -> Void) {
            if told != nil { note("the broker answers again") }
            self = Trouble()
        }
    }
}
