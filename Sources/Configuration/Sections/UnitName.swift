internal import TokenBroker

/// The name of a unit that can hold processes of its own: a service or a scope (systemd.unit(5)).
enum UnitName {
    enum Fault: Error, Equatable {
        /// Nothing says what kind of unit it is.
        case noKind
        case otherKind
        case badCharacter
        case tooLong
        /// `worker@.service`: what runs are its instances.
        case template
        /// `user@1000.service`: what it holds are the user's own units.
        case userManager
    }

    /// systemd's own limit.
    private static let longest = 255
    static let kinds = [".service", ".scope"]

    static func check(_ text: String) throws(Fault) {
        guard text.utf8.count <= longest else { throw .tooLong }
        guard text.utf8.allSatisfy(isOfUnits) else { throw .badCharacter }
        guard let dot = text.lastIndex(of: ".") else { throw .noKind }
        let stem = text[..<dot]
        guard kinds.contains(String(text[dot...])), !stem.isEmpty, stem.first != "@" else { throw .otherKind }
        guard stem.last != "@" else { throw .template }
        guard !stem.hasPrefix("user@") else { throw .userManager }
    }

    private static func isOfUnits(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: #":-_.\@"#.utf8.contains(byte)
        }
    }
}

extension Field {
    /// The name of a system unit.
    func unit() -> String? {
        guard let text = text("the name of a unit") else { return nil }
        do {
            try UnitName.check(text)
            return text
        } catch {
            return refusing(error.explanation(of: text))
        }
    }
}

extension UnitName.Fault {
    fileprivate func explanation(of text: String) -> String {
        switch self {
        case .noKind:
            "expected the name of a service or a scope" + UnitName.hint(text + ".service")
        case .otherKind:
            "expected the name of a service or a scope, such as api.service" + UnitName.hint(forKindOf: text)
        case .badCharacter: "has a character that is in no unit's name"
        case .tooLong: "longer than 255 bytes, which no unit's name is"
        case .template: "is a template: name an instance, such as worker@1.service"
        case .userManager: "holds a user's own units: name the user under 'user'"
        }
    }
}

extension UnitName {
    fileprivate static func hint(_ meant: String) -> String {
        Quotation(meant).map { "; did you mean \($0)?" } ?? ""
    }

    fileprivate static func hint(forKindOf text: String) -> String {
        guard let dot = text.lastIndex(of: "."), let kind = NearMiss.of(String(text[dot...]), among: kinds) else {
            return ""
        }
        return hint(text[..<dot] + kind)
    }
}
