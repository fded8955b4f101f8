internal import HTTPWire
internal import JSON

/// What has come in at one provider. No value of a header field is kept, for they hold keys; but for `Idempotency-Key`,
/// which is none, and tells calls from their repetitions.
struct Statistics {
    private struct Request {
        let method: String
        let path: String
        let headerNames: [String]
        let atMilliseconds: Int64
    }

    /// The instants kept, of the latest mints.
    private static let keptMints = 1000

    /// The values of Idempotency-Key kept, the first that came.
    private static let keptIdempotencyKeys = 1000

    /// The paths counted by themselves; others than the first are what a scanner makes up.
    private static let countedPaths = 100

    private var byPath: [String: PathStatistics] = [:]
    private var requests: Int64 = 0
    private var inFlight: Int64 = 0
    private var mints: Int64 = 0
    private var refused: Int64 = 0
    private var mintedAtMilliseconds: [Int64] = []
    private var idempotencyKeys: [(key: String, requests: Int64)] = []
    private var last: Request?

    mutating func began(_ request: HTTPRequest, path: String, atMilliseconds: Int64) {
        requests += 1
        inFlight += 1
        for key in request.headers.values("Idempotency-Key") { count(idempotencyKey: key) }
        if byPath.count < Self.countedPaths || byPath[path] != nil {
            byPath[path, default: PathStatistics()].requests += 1
        }
        last = Request(
            method: request.method.name,
            path: path,
            headerNames: request.headers.map(\.name),
            atMilliseconds: atMilliseconds
        )
    }

    private mutating func count(idempotencyKey key: String) {
        if let index = idempotencyKeys.firstIndex(where: { $0.key == key }) {
            idempotencyKeys[index].requests += 1
        } else if idempotencyKeys.count < Self.keptIdempotencyKeys {
            idempotencyKeys.append((key, 1))
        }
    }

    mutating func ended() {
        inFlight -= 1
    }

    mutating func count(_ outcome: ProviderAnswer.Outcome, path: String, atMilliseconds: Int64) {
        byPath[path]?.count(outcome)
        switch outcome {
        case .minted:
            mints += 1
            mintedAtMilliseconds.append(atMilliseconds)
            if mintedAtMilliseconds.count > Self.keptMints { mintedAtMilliseconds.removeFirst() }
        case .refused: refused += 1
        case .other: break
        }
    }

    var json: JSONObject {
        [
            "requests": .number(JSONNumber(requests)),
            "in_flight": .number(JSONNumber(inFlight)),
            "mints": .number(JSONNumber(mints)),
            "refused": .number(JSONNumber(refused)),
            "by_path": .object(pathsJSON),
            "minted_at_ms": .array(mintedAtMilliseconds.map { .number(JSONNumber($0)) }),
            "idempotency_keys": .array(
                idempotencyKeys.map { ["key": .string($0.key), "requests": .number(JSONNumber($0.requests))] }
            ),
            "last_request": last.map(Self.json) ?? .null,
        ]
    }

    private var pathsJSON: JSONObject {
        var json = JSONObject()
        for (path, counts) in byPath.sorted(by: { $0.key < $1.key }) { json[path] = counts.json }
        return json
    }

    private static func json(_ request: Request) -> JSONValue {
        [
            "method": .string(request.method),
            "path": .string(request.path),
            "header_names": .array(request.headerNames.map(JSONValue.string)),
            "at_ms": .number(JSONNumber(request.atMilliseconds)),
        ]
    }
}
