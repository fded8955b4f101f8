/// The known word that somebody probably meant.
enum NearMiss {
    /// - Returns: nil where nothing known is nearer than a third of what was typed.
    static func best(for word: String, among known: [String]) -> String? {
        // Long enough for every command and option; what is longer is no slip of the finger.
        guard word.count <= 32 else { return nil }
        let tolerance = max(1, word.count / 3)
        let ranked = known.map { (word: $0, distance: distance(Array(word), Array($0))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= tolerance else { return nil }
        return best.word
    }

    /// How many letters must be changed, added, left out or swapped with their neighbour (optimal string alignment).
    static func distance(_ from: [Character], _ to: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for (row, letter) in from.enumerated() {
            var current = [row + 1]
            for (column, other) in to.enumerated() {
                var cost = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == to[column - 1], from[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[to.count]
    }
}
