internal import TokenBroker

extension Field {
    private static let waits: ClosedRange<Duration> = .seconds(0) ... .seconds(300)
    private static let defaultWait: Duration = .seconds(5)
    private static let minimums: ClosedRange<Duration> = .seconds(0) ... .seconds(30 * 86400)
    private static let defaultMinimum: Duration = .seconds(60)

    /// A block of `routes:`.
    ///
    /// - Parameter tokens: the blocks that its `token` may name, and those of them that could be read.
    func route(
        named name: Name,
        tokens: (blocks: Blocks, definitions: [Name: TokenDefinition]),
        grantRules: GrantRules
    ) -> RouteDefinition? {
        mapping { reader in
            let token = reader.required("token").flatMap { tokens.blocks.reference($0, to: "token") }
            let shape = reader.required("shape")?.choice(of: RouteDefinition.Shape.self)
            let unit = reader.optional("expires_at_unit")
            let expiryUnit = unit?.choice(of: RouteDefinition.ExpiryUnit.self)
            let minimum = reader.optional("min_ttl")?.duration(in: Self.minimums) ?? Self.defaultMinimum
            let wait = reader.optional("wait")?.duration(in: Self.waits) ?? Self.defaultWait
            let source = reader.optional("end_user_from")
            let userSource = source?.userSource()
            let publicPath = reader.optional("public_path")?.requestPath()
            let devices = reader.optional("devices")?.choice(of: DeviceMode.self)
            let allow = reader.optional("allow")
            let grants = allow.map { $0.list { $0.grant(grantRules) } ?? [] }
            guard let token, let shape else { return nil }
            if let unit, !shape.hasDate {
                unit.refuseBlock("shape \(shape.rawValue) says the seconds that are left: leave it out")
            }
            if userSource == .device, devices != .enforce {
                source?.refuseBlock("a device is the user only where all must have one: needs 'devices: enforce'")
            }
            if let definition = tokens.definitions[token] {
                check(definition, namesUser: source != nil)
            }
            return RouteDefinition(
                name: name,
                token: token,
                shape: shape,
                expiryUnit: expiryUnit ?? (shape == .roadie ? .rfc3339 : .seconds),
                minimum: minimum,
                wait: wait,
                userSource: userSource,
                publicPath: publicPath,
                devices: devices,
                grants: grants
            )
        }
    }

    private func check(_ token: TokenDefinition, namesUser: Bool) {
        if token.credential.isSecret {
            refuseBlock("token \(token.name) is a long-lived key, which no app may have: use forward-auth")
        }
        switch token.credential.user {
        case .endUser where !namesUser:
            refuseBlock("token \(token.name) is per user: needs 'end_user_from'")
        case .none where namesUser, .issuerToken where namesUser:
            refuseBlock("token \(token.name) takes no end user from there: leave 'end_user_from' out")
        default: break
        }
    }

    private func userSource() -> RouteDefinition.UserSource? {
        if case .scalar = node.content {
            let expectation = "expected 'device', or a mapping with one of 'header' and 'query'"
            return text() == "device" ? .device : refusing(expectation)
        }
        return mapping { reader in
            let header = reader.optional("header")
            let query = reader.optional("query")
            switch (header, query) {
            case (let header?, nil): return header.endUserHeaderName().map { .header($0) }
            case (nil, let query?): return query.text("the name of a parameter").map { .query($0) }
            default: return refusingBlock("needs one of 'header' and 'query'")
            }
        }
    }

    /// A path as a request line has it, without a query.
    private func requestPath() -> String? {
        let expectation = "a path as a request has it, such as /api/token"
        guard let text = text(expectation) else { return nil }
        let isPath = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"?#".utf8.contains($0) }
        return text.hasPrefix("/") && isPath ? text : refusing("expected \(expectation)")
    }
}
