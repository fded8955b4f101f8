internal import HTTPWire

/// Which revision a writer has read (`If-Match`, RFC 9110 §13.1.1).
struct RevisionCondition {
    private let tags: [Substring]

    /// - Returns: nil where the request sets no condition.
    init?(_ headers: HeaderFields) {
        guard headers.count(of: "if-match") > 0 else { return nil }
        tags = EntityTagList(headers, "if-match").tags
    }

    /// A weak tag never holds: it says that something is alike, and a writer has to have read the same.
    func holds(of revision: Int64) -> Bool {
        tags.contains("*") || tags.contains("\"\(revision)\"")
    }
}
