import HTTPWire
import TestSupport
import Testing

/// The closures that apps hand to their SDKs, run against a route behind nginx.
@Suite("The closures of the page about providers", .blocking)
struct DocumentedAppTests {
    private static let heading = "In an app"

    private let page: Document
    private let site: Site
    private let nginx: Nginx

    init() throws {
        page = try Document("providers.md")
        site = try Site { settings, _ in
            settings.extra.append("routes: { ac-token: { token: web, shape: ai-autocomplete } }")
        }
        nginx = try Nginx(site)
    }

    private var route: String { "http://127.0.0.1:\(nginx.keeping)/routes/ac-token" }

    @Test(
        "in Swift hands on milliseconds, and another token when the SDK asks before its time",
        .with(.nginx),
        .withSwift
    )
    func swift() throws {
        let listing = try page.block("swift", below: Self.heading)
        let sources = [
            try site.scratch.write("AccessTokens.swift", listing),
            try site.scratch.write("main.swift", Self.app),
        ]
        let program = site.scratch.path("app")
        let compiler = try RunningProcess(
            try #require(SwiftCompiler.path),
            ["-swift-version", "6", "-warnings-as-errors", "-o", program] + sources,
            environment: ["HOME=\(site.scratch.path)"]
        )
        let ending = try compiler.waitForEnd(patience: .seconds(240))
        try #require(ending == 0, "\(compiler.output.text)\(compiler.errors.text)")
        let before = try site.broker.get("/routes/ac-token")
        let app = try RunningProcess(program, [route])
        try #require(try app.waitForEnd() == 0, "\(app.errors.text)")
        let after = try site.broker.get("/routes/ac-token")
        #expect(before.text("access_token") != after.text("access_token"))
        let documented = [before, after].map { answer in
            "\(answer.text("access_token") ?? "") \((answer.integer("expires_at") ?? 0) * 1000)\n"
        }
        #expect(app.output.text == documented.joined())
        #expect(try site.simulator.mints() == 2)
    }

    /// What the SDK declares, and an app that asks twice.
    private static let app = """
        import Foundation

        struct AccessToken: Sendable {
            let accessToken: String
            /// Unix milliseconds; nil where it is not known.
            let expiresAt: Double?
        }

        let tokens = AccessTokens(route: URL(string: CommandLine.arguments[1])!)
        for _ in 0..<2 {
            let token = try await tokens.next()
            print(token.accessToken, Int(token.expiresAt!))
        }
        """

    @Test("on the web hands on seconds", .with(.nginx), .with(.node))
    func web() throws {
        let listing = try page.block("js", below: Self.heading).replacing("/api/ac-token", with: route)
        let call = "getAccessToken().then((token) => console.log(token.accessToken, token.expiresAt));\n"
        let output = try Installed.node.run(["-e", listing + call])
        let answer = try site.broker.get("/routes/ac-token")
        #expect(output == "\(answer.text("access_token") ?? "") \(answer.integer("expires_at") ?? 0)\n")
    }
}
