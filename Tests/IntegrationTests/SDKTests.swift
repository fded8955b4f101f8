import HTTPWire
import JSON
import TestSupport
import Testing

/// What the SDKs in apps make of the routes' answers.
@Suite("SDKs on the routes", .blocking)
struct SDKTests {
    /// Where an SDK's answer comes from.
    private func source(of sdk: SDK) -> (route: String, provider: String, headers: [(String, String)]) {
        switch sdk {
        case .autocompleteSwift, .autocompleteWeb: ("autocomplete", "ai-autocomplete", [])
        case .roadie: ("roadie", "roadie", [("X-User", "ann")])
        case .gateway:
            ("gateway", "app-ai-gateway", [("Authorization", "Bearer \(JWT.issuerToken("ann", secondsLeft: 7200))")])
        case .oauth2: ("partner", "oauth2", [])
        case .palbase: ("session", "palbase", [])
        }
    }

    /// A route's answer, when it was asked for and when it was there.
    private func ask(
        _ site: ProviderSite,
        _ route: String,
        _ headers: [(String, String)]
    ) throws -> (json: JSONValue, asked: Int64, received: Int64) {
        let asked = WallClock.milliseconds
        let answer = try site.broker.connect().exchange(.get, "/routes/\(route)", headers: headers)
        guard answer.status == 200 else { throw HarnessError("the route: \(answer.json)") }
        return (answer.json, asked, WallClock.milliseconds)
    }

    /// When the provider takes a token for ended, in Unix milliseconds.
    private func end(of token: SDKToken, _ sdk: SDK, _ site: ProviderSite) throws -> Int64 {
        switch sdk {
        case .roadie, .gateway, .palbase: return try JWT.end(of: token.text) * 1000
        case .autocompleteSwift, .autocompleteWeb, .oauth2:
            // An hour after the second in which it was minted.
            return (try site.simulator.lastMint(of: source(of: sdk).provider) / 1000 + 3600) * 1000
        }
    }

    @Test("see the token's end to the second, and do not ask for another one at once", arguments: SDK.allCases)
    func end(_ sdk: SDK) throws {
        let site = try ProviderSite()
        let (route, provider, headers) = source(of: sdk)
        let (json, asked, received) = try ask(site, route, headers)
        let token = try sdk.read(json, atMilliseconds: received)
        let end = try end(of: token, sdk, site)
        // Seconds that are left are a little older when they are there than when they were counted.
        let tolerance = sdk.toleranceMilliseconds.map { $0 + received - asked } ?? 0
        #expect(abs(token.endMilliseconds - end) <= tolerance)
        #expect(!token.isRefreshed(atMilliseconds: received))
        // Within the same life it is the same token.
        let again = try sdk.read(ask(site, route, headers).json, atMilliseconds: WallClock.milliseconds)
        #expect(again.text == token.text)
        #expect(try site.simulator.count("mints", of: provider) == 1)
    }

    @Test("for the web take a route in milliseconds as well")
    func milliseconds() throws {
        let site = try ProviderSite()
        let seconds = try SDK.autocompleteWeb.read(ask(site, "autocomplete", []).json, atMilliseconds: 0)
        let milliseconds = try SDK.autocompleteWeb.read(ask(site, "autocomplete-ms", []).json, atMilliseconds: 0)
        #expect(milliseconds.endMilliseconds / 1000 == seconds.endMilliseconds / 1000)
        #expect(milliseconds.text == seconds.text)
    }

    @Test("for Swift that are handed seconds as they come ask before each request: why its closure multiplies")
    func unmultiplied() throws {
        let site = try ProviderSite()
        let (json, _, received) = try ask(site, "autocomplete", [])
        let seconds = try #require(json["expires_at"]?.number?.int64)
        #expect(SDKToken(text: "", endMilliseconds: seconds).isRefreshed(atMilliseconds: received))
    }
}
