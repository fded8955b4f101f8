internal import HTTPWire

/// Which revision a writer has read (`If-Match`, RFC 9110 §13.1.1).
struct RevisionCondition {
    private let tags: [String]

    /// - Returns: nil where the request sets no condition.
    init?(_ headers: HeaderFields) {
        let values = headers.values("if-match")
        guard !values.isEmpty else { return nil }
        tags = values.flatMap { value in
            value.split(separator: ",").map { tag in tag.filter { $0 != " " && $0 != "\t" } }
        }
    }

    /// A weak tag never holds: it says that something is alike, and a writer has to have read the same.
    func holds(of revision: Int64) -> Bool {
        tags.contains("*") || tags.contains("\"\(revision)\"")
    }
}
