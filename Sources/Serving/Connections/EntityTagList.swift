internal import HTTPWire

/// The entity tags in all fields of one name (RFC 9110 §8.8.3), as they were sent.
///
/// Commas divide them, blanks around them are none of theirs. The tags made here have no comma inside, so that one that
/// has is none of them, whatever becomes of its parts.
struct EntityTagList {
    let tags: [Substring]

    init(_ headers: HeaderFields, _ name: String) {
        tags = headers.values(name).flatMap { $0.split(separator: ",").map(Self.trimmed) }
    }

    private static func trimmed(_ tag: Substring) -> Substring {
        var tag = tag.drop(while: isBlank)
        while tag.last.map(isBlank) == true { tag.removeLast() }
        return tag
    }

    private static func isBlank(_ character: Character) -> Bool {
        character == " " || character == "\t"
    }
}
