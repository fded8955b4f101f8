/// A value of a YAML text, with the place where it begins.
///
/// A scalar has no type of its own: what `off` or `1111` mean is for the key to say that it stands under.
struct YAMLNode {
    enum Content {
        case scalar(String)
        /// Nothing at all, `~` or `null`, outside quotes.
        case null
        case sequence([YAMLNode])
        case mapping([Entry])
    }

    struct Entry {
        let key: String
        let keyPosition: SourcePosition
        let value: YAMLNode
    }

    let content: Content
    let position: SourcePosition

    /// What a person would call it, for an error; never the value.
    var kindOfContent: String {
        switch content {
        case .scalar: "a single value"
        case .null: "nothing"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// What makes a text unreadable as YAML, or is YAML that is not taken.
struct YAMLFault: Error {
    let position: SourcePosition
    let message: String
}
