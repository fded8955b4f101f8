internal import Glibc

/// Texts that row after row has in common, such as what a token was minted from: one in memory for all of them, where a
/// start would make and free a hundred thousand.
final class RepeatedTexts {
    private var texts: [String] = []

    /// As many as there are tokens' names and boots that rows are usually of.
    private static let limit = 16

    /// The text of these bytes.
    func text(_ bytes: UnsafeRawBufferPointer) -> String {
        if let known = texts.first(where: { $0.hasBytes(bytes) }) { return known }
        let text = String(decoding: bytes, as: UTF8.self)
        if texts.count == Self.limit { texts.removeFirst() }
        texts.append(text)
        return text
    }
}

extension String {
    fileprivate func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { own in
            own.count == bytes.count && (own.isEmpty || memcmp(own.baseAddress!, bytes.baseAddress!, own.count) == 0)
        }
        return isSame ?? false
    }
}
