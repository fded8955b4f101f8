internal import TokenBroker

extension Field {
    /// Longer than any value has reason to be.
    private static let longestText = 4096

    /// Any text but an empty one; control characters, which could break a line or a header, are none.
    ///
    /// - Parameter expectation: what to say is expected, as in `a path`.
    func text(_ expectation: String = "a text") -> String? {
        guard case .scalar(let text) = node.content, !text.isEmpty else {
            let isEmptyText = if case .scalar = node.content { true } else { false }
            return refusing("expected \(expectation), found \(isEmptyText ? "an empty text" : node.kindOfContent)")
        }
        guard text.utf8.count <= Self.longestText else { return refusing("longer than \(Self.longestText) bytes") }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            return refusing("has a control character in it")
        }
        return text
    }

    /// A name of the broker's alphabet.
    func name() -> Name? {
        guard let text = text("a name") else { return nil }
        return Name(text) ?? refusing("expected a name: \(Name.rule)")
    }

    /// One of a closed set of words.
    func choice(_ words: [String]) -> String? {
        guard let text = text(Self.list(words)) else { return nil }
        guard words.contains(text) else {
            return refusing("expected \(Self.list(words))\(NearMiss.hint(for: text, among: words))")
        }
        return text
    }

    func choice<Value: RawRepresentable<String> & CaseIterable>(of type: Value.Type) -> Value? {
        choice(type.allCases.map(\.rawValue)).flatMap(Value.init(rawValue:))
    }

    /// A whole number in decimal digits.
    func number(in range: ClosedRange<Int>) -> Int? {
        let expectation = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let text = text(expectation) else { return nil }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), range.contains(number)
        else { return refusing("expected \(expectation)") }
        return number
    }

    func boolean() -> Bool? {
        choice(["true", "false"]).map { $0 == "true" }
    }

    func duration(in range: ClosedRange<Duration>) -> Duration? {
        let expectation = "a duration such as 30s, 5m, 1h30m or 30d"
        guard let text = text(expectation) else { return nil }
        guard let duration = Duration(configurationText: text) else { return refusing("expected \(expectation)") }
        guard range.contains(duration) else {
            let (lower, upper) = (range.lowerBound.configurationText, range.upperBound.configurationText)
            return refusing("expected a duration from \(lower) to \(upper)")
        }
        return duration
    }

    /// The path of a file, from the root on.
    func absolutePath() -> String? {
        guard let text = text("an absolute path") else { return nil }
        guard text.hasPrefix("/"), !text.hasSuffix("/") else { return refusing("expected an absolute path of a file") }
        return text
    }

    /// The name of a file that the service manager puts into the credentials directory.
    func credentialName() -> String? {
        guard let text = text("the name of a credential") else { return nil }
        return Self.isCredentialName(text) ? text : refusing("expected the name of a credential, which is a file name")
    }

    /// 36 characters, `8-4-4-4-12` hexadecimal digits; in lower case whatever the file's is, so that one product has
    /// one spelling.
    func uuid() -> String? {
        let expectation = "a UUID, 8-4-4-4-12 hexadecimal digits"
        guard let text = text(expectation) else { return nil }
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        let isHexadecimal = text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || Character(Unicode.Scalar($0)).isHexDigit }
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], isHexadecimal else {
            return refusing("expected \(expectation)")
        }
        return text.lowercased()
    }

    /// A file name of at most 255 printable ASCII characters, which is systemd's rule.
    static func isCredentialName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text != "." && text != ".."
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
    }

    /// Reports the value and reads as nothing.
    func refusing<Value>(_ message: String) -> Value? {
        refuse(message)
        return nil
    }

    /// Reports the block and reads as nothing.
    func refusingBlock<Value>(_ message: String) -> Value? {
        refuseBlock(message)
        return nil
    }

    private static func list(_ words: [String]) -> String {
        words.count == 1 ? words[0] : "one of " + words.joined(separator: ", ")
    }
}

extension Name {
    static let rule = "[a-z0-9][a-z0-9._-]{0,62}"
}
