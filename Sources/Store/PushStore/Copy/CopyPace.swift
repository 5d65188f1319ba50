internal import PushModel

/// The number of rows in one step of long work. It is adapted to the duration of previous steps, so that no
/// step takes long.
package struct CopyPace: Equatable, Sendable {
    package private(set) var rows = 200

    package init() {}

    /// - Parameter milliseconds: The duration of the last step, which processed ``rows``.
    package mutating func note(milliseconds: Int64) {
        if milliseconds > Self.longest {
            // Reduce the number by at least half, to the number that would have taken half of ``longest``.
            rows = max(Self.fewest, min(rows / 2, rows * Int(Self.longest) / 2 / Int(clamping: milliseconds)))
        } else if milliseconds < Self.longest / 2 {
            rows = min(rows * 2, Connection.chunkRows)
        }
    }

    /// The intended maximum duration of a step, in milliseconds.
    private static let longest: Int64 = 50
    /// The minimum number of rows in a step. If the machine's processors are busy, a step takes long however
    /// few rows it processes.
    private static let fewest = 50
}
