internal import TokenBroker

extension MappingReader {
    /// Reads the options that a kind of provider declares.
    ///
    /// - Parameter secrets: the blocks that an option may name.
    mutating func options(_ declarations: [OptionDeclaration], secrets: Blocks) -> Options {
        var texts: [String: String] = [:]
        for declaration in declarations {
            let field = declaration.isRequired ? required(declaration.name) : optional(declaration.name)
            texts[declaration.name] = field?.option(declaration.type, secrets)
        }
        return Options(texts)
    }
}

extension Field {
    fileprivate func option(_ type: OptionDeclaration.ValueType, _ secrets: Blocks) -> String? {
        switch type {
        case .text: text()
        case .headerValue: headerValue()
        case .headerName: headerName()
        case .words: words()
        case .duration(let range): duration(in: range).map { String($0.wholeSeconds) }
        case .secret, .singleUseSecret, .managementSecret: secrets.reference(self, to: "secret")?.text
        case .uuid: uuid()
        case .choice(let words): choice(words)
        }
    }

    /// A list of texts without spaces, joined by one space each.
    private func words() -> String? {
        guard let words = list({ $0.headerValue("a word without spaces") }), !isEmptyList else {
            return refusing("names nothing: leave it out")
        }
        guard !words.contains(where: { $0.contains(" ") }) else { return refusing("a word has a space in it") }
        return words.joined(separator: " ")
    }
}
