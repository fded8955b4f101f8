extension DeviceApp {
    /// The form of an app id, as an error says it.
    public static let appIDForm = "TEAMID.com.example.app: a team identifier, a dot and a bundle identifier"

    /// App Attest signs a hash of the app id, so that one that is misspelt only ever looks like another app.
    private static let longestAppID = 255

    /// Whether `text` is a team identifier, capital letters and digits, and a bundle identifier, which has letters,
    /// digits, hyphens and dots (Apple: CFBundleIdentifier). It never has a space or a control character in it.
    public static func isAppID(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= longestAppID, parts.count >= 2, !parts.contains(where: \.isEmpty) else { return false }
        return parts[0].allSatisfy { isDigit($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            && parts[1...].allSatisfy { $0.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") } }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
