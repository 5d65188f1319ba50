/// Suggests the known name that an operator may have meant.
package enum Suggestion {
    /// Returns the nearest candidate if it is similar: at most a third of its letters may be wrong. Case is
    /// ignored.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        guard word.count <= 64 else { return nil }
        let word = Array(word.lowercased())
        let near = candidates.map { (name: $0, distance: distance(word, Array($0.lowercased()))) }
            .filter { $0.distance <= max(1, $0.name.count / 3) }
        return near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// Returns the number of letters that must be inserted, deleted, replaced or swapped with their neighbour
    /// to turn one text into the other (optimal string alignment).
    package static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var before: [Int] = [], last: [Int] = [], row = Array(0...right.count)
        for i in 0..<left.count {
            (before, last) = (last, row)
            row[0] = i + 1
            for j in 0..<right.count {
                let replaced = last[j] + (left[i] == right[j] ? 0 : 1)
                row[j + 1] = min(replaced, last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    row[j + 1] = min(row[j + 1], before[j - 1] + 1)
                }
            }
        }
        return row[right.count]
    }
}
