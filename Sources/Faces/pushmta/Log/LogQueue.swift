/// A bounded queue of log lines that wait to be written. If the reader is slow or absent, lines are lost, but
/// memory use and time stay limited. The type is pure.
package struct LogQueue {
    package enum Entry: Equatable {
        case line(String)
        /// The number of lines that were dropped at this position.
        case dropped(Int)
    }

    package static let maximumLines = 4_096
    package static let maximumBytes = 1 << 20
    /// The divisor for the additional space that only urgent lines may use: one eighth of the limits.
    private static let reserve = 8

    private var entries: [Entry] = []
    private var lineCount = 0
    private var bytes = 0
    /// The number of lines dropped since a line was last added.
    private var dropped = 0

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    package mutating func append(_ line: String, isUrgent: Bool) {
        let (count, size) = (lineCount + 1, bytes + line.utf8.count)
        let extra = isUrgent ? (Self.maximumLines / Self.reserve, Self.maximumBytes / Self.reserve) : (0, 0)
        guard count <= Self.maximumLines + extra.0, size <= Self.maximumBytes + extra.1 else {
            dropped += 1
            return
        }
        if dropped > 0 { entries.append(.dropped(dropped)) }
        entries.append(.line(line))
        (lineCount, bytes, dropped) = (count, size, 0)
    }

    /// Counts lines that were taken from the queue but could not be written.
    package mutating func lose(_ count: Int) { dropped += count }

    /// Removes and returns all waiting lines in order. Lines that were dropped after the last of them are
    /// reported with the next line that is added.
    package mutating func take() -> [Entry] {
        defer { (entries, lineCount, bytes) = ([], 0, 0) }
        return entries
    }
}
