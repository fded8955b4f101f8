internal import TokenBroker

extension MappingReader {
    /// Reads the options that a kind of provider declares.
    mutating func options(_ declarations: [OptionDeclaration]) -> Options {
        var texts: [String: String] = [:]
        for declaration in declarations {
            let field = declaration.isRequired ? required(declaration.name) : optional(declaration.name)
            texts[declaration.name] = field?.option(declaration.type)
        }
        return Options(texts)
    }
}

extension Field {
    fileprivate func option(_ type: OptionDeclaration.ValueType) -> String? {
        switch type {
        case .text: text()
        case .uuid: uuid()
        case .choice(let words): choice(words)
        }
    }
}
