internal import TokenBroker

/// Finds the word that was probably meant.
enum NearMiss {
    /// A longer word is no typing error of a key or a name, and would cost the square of its length.
    private static let longestWord = 64
    /// With more errors than these it is another word; in a short word, one in three letters.
    private static let mostErrors = 3

    /// - Returns: the candidate that is nearest to `word`, if a typing error or two lie between them; else nil.
    static func of(_ word: String, among candidates: some Sequence<String>) -> String? {
        guard word.utf8.count <= longestWord else { return nil }
        let tolerance = min(max(1, word.utf8.count / 3), mostErrors)
        let ranked = candidates.map { (distance: distance(word, $0), candidate: $0) }
        return ranked.filter { $0.distance <= tolerance }.min { $0 < $1 }?.candidate
    }

    /// `; did you mean 'x'?`, or nothing.
    ///
    /// - Parameter candidates: words that may be repeated: those that the configuration declares may.
    static func hint(for word: String, among candidates: some Sequence<String>) -> String {
        of(word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The optimal string alignment distance: letters added, left out, changed, or swapped with their neighbour.
    private static func distance(_ from: String, _ to: String) -> Int {
        let (source, target) = (Array(from.utf8), Array(to.utf8))
        var beforeLast = [Int](repeating: 0, count: target.count + 1)
        var last = Array(0...target.count)
        for row in source.indices {
            var current = [row + 1]
            for column in target.indices {
                let change = last[column] + (source[row] == target[column] ? 0 : 1)
                var best = min(change, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, source[row] == target[column - 1], source[row - 1] == target[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[target.count]
    }
}
