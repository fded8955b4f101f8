internal import HTTPWire
internal import TokenBroker

/// The generations that a caller already has (`If-None-Match`, RFC 9110 §13.1.2).
///
/// A generation is the whole of what a tag says, so weak and strong tags compare the same.
struct EntityTags {
    private let tags: [String]

    init(_ headers: HeaderFields) {
        tags = headers.values("if-none-match").flatMap { value in
            value.split(separator: ",").map { tag in
                let trimmed = tag.filter { $0 != " " && $0 != "\t" }
                return trimmed.hasPrefix("W/") ? String(trimmed.dropFirst(2)) : trimmed
            }
        }
    }

    var isEmpty: Bool { tags.isEmpty }

    func contains(_ generation: Generation) -> Bool {
        tags.contains("*") || tags.contains("\"\(generation.number)\"")
    }
}
