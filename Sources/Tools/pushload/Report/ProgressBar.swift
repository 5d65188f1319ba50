/// The progress of a task, as one line.
package struct ProgressBar: Equatable, Sendable {
    package var label: String
    /// The completed fraction of the task, from 0 to 1.
    package var fraction: Double
    /// The time since the task began.
    package var seconds: Double

    private static let maxCells = 30
    /// Below this fraction the remaining time cannot be estimated from the elapsed time.
    private static let leastFraction = 0.005

    package init(_ label: String, fraction: Double, seconds: Double) {
        (self.label, self.fraction, self.seconds) = (label, min(max(fraction, 0), 1), seconds)
    }

    /// The remaining time in seconds if the pace stays the same; `nil` if it cannot be estimated yet.
    package var left: Double? {
        guard fraction >= Self.leastFraction else { return nil }
        return seconds / fraction * (1 - fraction)
    }

    /// Returns a line such as `one message in ten fails   [########          ]  42 %   1:05 left`.
    /// - Parameter width: The available number of columns.
    package func line(width: Int) -> String {
        let rest = left.map { "\(Self.clock($0)) left" } ?? "time left unknown"
        let percent = "\(Int(fraction * 100))"
        let tail = "\(String(repeating: " ", count: 3 - percent.count))\(percent) %  \(rest)"
        let cells = min(Self.maxCells, width - tail.count - 4 - min(label.count, 20))
        guard cells >= 5 else { return String("\(label) \(tail)".prefix(max(width, 0))) }
        let filled = Int(Double(cells) * fraction)
        let bar = "".padded(to: filled, with: "#").padded(to: cells)
        let room = width - cells - tail.count - 4
        let name = label.count > room ? "\(label.prefix(max(room - 1, 0)))…" : label
        return "\(name) [\(bar)] \(tail)"
    }

    /// Returns a time such as `1:05` or `2:00:05`.
    package static func clock(_ seconds: Double) -> String {
        let all = Int(min(max(seconds, 0), 359_999).rounded(.up))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (minutes, rest) = (all / 60, two(all % 60))
        return minutes < 60 ? "\(minutes):\(rest)" : "\(minutes / 60):\(two(minutes % 60)):\(rest)"
    }
}
