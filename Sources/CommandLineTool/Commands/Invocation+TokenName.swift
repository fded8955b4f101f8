internal import TokenBroker

extension Invocation {
    /// The token that the first operand names.
    ///
    /// - Throws: a usage failure where no token can be called that; what is returned needs no escape in a target.
    func tokenName() throws(CommandFailure) -> String {
        try name(of: "token")
    }

    /// The secret that the first operand names, on the same terms.
    func secretName() throws(CommandFailure) -> String {
        try name(of: "secret")
    }

    private func name(of kind: String) throws(CommandFailure) -> String {
        guard let name = Name(operands[0]) else {
            let word = Quotation(operands[0])?.description ?? "this"
            throw .usage(
                "\(word) cannot be a \(kind)'s name: 1 to 63 of a-z, 0-9, '.', '_' and '-', a letter or digit first"
            )
        }
        return name.text
    }
}
