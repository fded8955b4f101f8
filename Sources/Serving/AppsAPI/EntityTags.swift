internal import HTTPWire
internal import TokenBroker

/// The generations that a caller already has (`If-None-Match`, RFC 9110 §13.1.2).
///
/// A generation is the whole of what a tag says, so weak and strong tags compare the same.
struct EntityTags {
    private let tags: [Substring]

    init(_ headers: HeaderFields) {
        tags = EntityTagList(headers, "if-none-match").tags.map { $0.hasPrefix("W/") ? $0.dropFirst(2) : $0 }
    }

    var isEmpty: Bool { tags.isEmpty }

    func contains(_ generation: Generation) -> Bool {
        tags.contains("*") || tags.contains("\"\(generation.number)\"")
    }
}
