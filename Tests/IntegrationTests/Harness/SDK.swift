import Glibc
import JSON

/// What an app's SDK makes of a route's answer.
struct SDKToken {
    let text: String
    /// When the SDK takes the token for expired, in Unix milliseconds on its own clock.
    let endMilliseconds: Int64

    /// How long before the end an SDK asks for another token.
    static let leadMilliseconds: Int64 = 30_000

    func isRefreshed(atMilliseconds now: Int64) -> Bool {
        now >= endMilliseconds - Self.leadMilliseconds
    }
}

/// The ways in which the SDKs read a route, each written from what is known of that SDK and of nothing else.
enum SDK: CaseIterable {
    /// AI Autocomplete's for Swift, whose closure multiplies: it wants Unix milliseconds.
    case autocompleteSwift
    /// AI Autocomplete's for React, Angular and no framework: Unix seconds go through as they come.
    case autocompleteWeb
    /// Roadie's: RFC 3339, in UTC.
    case roadie
    /// The gateway's: seconds from now.
    case gateway
    /// OAuth 2.0's clients': seconds from now, kept as a date in Unix seconds.
    case oauth2
    /// Palbase's: the same.
    case palbase

    /// How far off the end may be where it is told as the seconds that are left: a second for each time that they are
    /// rounded down. A date is exact.
    var toleranceMilliseconds: Int64? {
        switch self {
        case .autocompleteSwift, .autocompleteWeb, .roadie: nil
        case .gateway: 1000
        case .oauth2, .palbase: 2000
        }
    }

    /// - Parameter now: when the answer is there, in Unix milliseconds.
    func read(_ answer: JSONValue, atMilliseconds now: Int64) throws -> SDKToken {
        switch self {
        case .autocompleteSwift:
            let (text, seconds) = (try text("access_token", answer), try integer("expires_at", answer))
            return SDKToken(text: text, endMilliseconds: seconds * 1000)
        case .autocompleteWeb:
            // The SDK takes either unit and tells them apart by their size.
            let (text, number) = (try text("access_token", answer), try integer("expires_at", answer))
            return SDKToken(text: text, endMilliseconds: number < 100_000_000_000 ? number * 1000 : number)
        case .roadie:
            let end = try UTCDate(rfc3339: text("expires_at", answer)).unixSeconds
            return SDKToken(text: try text("token", answer), endMilliseconds: end * 1000)
        case .gateway:
            let seconds = try integer("expires_in", answer)
            return SDKToken(text: try text("access_token", answer), endMilliseconds: now + seconds * 1000)
        case .oauth2, .palbase:
            guard try text("token_type", answer) == "Bearer" else { throw HarnessError("not a bearer token") }
            let end = now / 1000 + (try integer("expires_in", answer))
            return SDKToken(text: try text("access_token", answer), endMilliseconds: end * 1000)
        }
    }

    private func text(_ member: String, _ answer: JSONValue) throws -> String {
        guard let text = answer[member]?.string else { throw HarnessError("no \(member)") }
        return text
    }

    private func integer(_ member: String, _ answer: JSONValue) throws -> Int64 {
        guard let number = answer[member]?.number?.int64 else { throw HarnessError("no \(member)") }
        return number
    }
}

/// A date as in `2026-07-17T12:34:56Z`, read without the code under test.
private struct UTCDate {
    let unixSeconds: Int64

    init(rfc3339 text: String) throws {
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z/) else {
            throw HarnessError("not a date: \(text)")
        }
        let parts = [match.1, match.2, match.3, match.4, match.5, match.6].map { Int32($0) ?? 0 }
        var time = tm()
        time.tm_year = parts[0] - 1900
        time.tm_mon = parts[1] - 1
        (time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec) = (parts[2], parts[3], parts[4], parts[5])
        unixSeconds = Int64(timegm(&time))
    }
}
