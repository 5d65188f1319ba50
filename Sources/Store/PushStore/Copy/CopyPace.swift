internal import PushModel

/// How many rows a step of long work takes, so that none is long: the number follows what steps took.
package struct CopyPace: Equatable, Sendable {
    package private(set) var rows = 200

    package init() {}

    /// - Parameter milliseconds: what the last step took, which had ``rows``.
    package mutating func note(milliseconds: Int64) {
        if milliseconds > Self.longest {
            // Half at least, and what would have taken half of the time allowed.
            rows = max(Self.fewest, min(rows / 2, rows * Int(Self.longest) / 2 / Int(clamping: milliseconds)))
        } else if milliseconds < Self.longest / 2 {
            rows = min(rows * 2, Connection.chunkRows)
        }
    }

    private static let longest: Int64 = 50
    /// Where the machine's processors are busy a step is long however little it does.
    private static let fewest = 50
}
