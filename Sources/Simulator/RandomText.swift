/// Text that nobody can guess.
enum RandomText {
    static func hexadecimal(bytes count: Int) -> String {
        var text = ""
        for _ in 0..<count {
            let byte = UInt8.random(in: .min ... .max)
            text += (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
        }
        return text
    }
}
