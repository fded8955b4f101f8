internal import TokenBroker

extension Field {
    /// A user by name or number, resolved now: what a name means later cannot change who is let in.
    func user(_ accounts: any Accounts) -> UInt32? {
        account("user", accounts.userID(named:))
    }

    /// A group by name or number.
    func group(_ accounts: any Accounts) -> UInt32? {
        account("group", accounts.groupID(named:))
    }

    private func account(_ what: String, _ lookUp: (String) -> UInt32?) -> UInt32? {
        guard let text = text("a \(what)") else { return nil }
        if let id = lookUp(text) { return id }
        // All ones means "no one" to the kernel.
        if let number = Self.decimal(text), number != .max { return number }
        let which = Quotation(text).map { "\(what) \($0)" } ?? "such \(what)"
        return refusing("no \(which) on this host")
    }

    private static func decimal(_ text: String) -> UInt32? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt32(text) : nil
    }
}
