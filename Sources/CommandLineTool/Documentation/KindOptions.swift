internal import TokenBroker

/// The options of each kind of provider, for the manual page of the configuration.
struct KindOptions {
    private let kinds: [ProviderKind]

    init(_ kinds: [ProviderKind]) {
        self.kinds = kinds
    }

    var lines: [String] { kinds.flatMap(Self.lines) }

    private static func lines(_ kind: ProviderKind) -> [String] {
        [".Ss \(ManualText.escaped(kind.name))"] + address(kind)
            + list(kind.providerOptions, "In a block of providers:")
            + list(kind.tokenOptions, "In a block of tokens:")
    }

    private static func address(_ kind: ProviderKind) -> [String] {
        switch kind.address {
        case .publicService(let address):
            ManualText.paragraph("Without base_url the provider is \(address).")
        case .key(let key), .endpoint(let key):
            ManualText.paragraph("The provider's address is required, as \(key).")
        case .derived(let option, _): ManualText.paragraph("Without base_url the address follows from \(option).")
        }
    }

    private static func list(_ options: [OptionDeclaration], _ title: String) -> [String] {
        guard !options.isEmpty else { return [] }
        let entries = options.flatMap { option in
            [".It Cm \(option.name)"] + ManualText.paragraph(description(option))
        }
        return [".Pp", title, ".Bl -tag -width Ds -compact"] + entries + [".El"]
    }

    private static func description(_ option: OptionDeclaration) -> String {
        let type = text(option.type)
        return type.prefix(1).uppercased() + type.dropFirst() + (option.isRequired ? "; required." : ".")
    }

    private static func text(_ type: OptionDeclaration.ValueType) -> String {
        switch type {
        case .text: "text"
        case .headerValue: "text that an HTTP header can carry"
        case .headerName: "the name of an HTTP header"
        case .words: "a list of words"
        case .duration(let range):
            "a duration from \(range.lowerBound.wholeSeconds)s to \(range.upperBound.wholeSeconds)s"
        case .secret: "the name of a secret"
        case .singleUseSecret: "the name of a secret that no other provider names"
        case .managementSecret: "the name of a secret for the provider's key API, which makes new keys"
        case .uuid: "a UUID"
        case .choice(let words): words.joined(separator: " or ")
        }
    }
}
