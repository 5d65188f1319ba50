internal import Logging
package import PushModel

/// Limits equal log events to one per minute. Repetitions within the minute are counted. The count is
/// reported with the next equal line, or when the minute is over. The type is pure.
package struct RepeatFilter {
    package static let windowMilliseconds: Int64 = 60_000
    /// The maximum number of different lines that are remembered. All further lines are logged.
    private static let maxKinds = 1_000

    private struct Kind: Hashable {
        var level: Logger.Level
        var message: String
        var fields: [LogRecord.Field]
    }
    private struct Occurrence {
        var at: WallMoment
        var repeats = 0

        /// Reports whether the minute has not ended yet. If the clock was set back, the minute counts as
        /// ended.
        func isRecent(at now: WallMoment) -> Bool {
            (0..<RepeatFilter.windowMilliseconds).contains(
                now.millisecondsSince1970 - at.millisecondsSince1970)
        }
    }
    private var said: [Kind: Occurrence] = [:]

    package init() {}

    /// Whether there are counts that have not been reported.
    package private(set) var hasUnreported = false

    /// - Returns: The record with the count of its earlier repetitions; `nil` if the record was only counted.
    package mutating func take(_ record: LogRecord) -> LogRecord? {
        let kind = Kind(level: record.level, message: record.message, fields: record.fields)
        if said[kind]?.isRecent(at: record.time) == true {
            said[kind]?.repeats += 1
            hasUnreported = true
            return nil
        }
        var record = record
        if let earlier = said[kind] { record.count(earlier.repeats, since: earlier.at) }
        if said.count >= Self.maxKinds { said = said.filter { $0.value.isRecent(at: record.time) } }
        if said.count < Self.maxKinds || said[kind] != nil {
            said[kind] = Occurrence(at: record.time)
        }
        return record
    }

    /// Returns the counts of lines whose minute is over, or of all lines, in the order of the lines.
    /// - Parameter time: The time at which the counts are logged, so that the log's times never decrease.
    package mutating func tell(at time: WallMoment, all: Bool = false) -> [LogRecord] {
        let over = said.filter { all || !$0.value.isRecent(at: time) }
        for kind in over.keys { said[kind] = nil }
        hasUnreported = said.values.contains { $0.repeats > 0 }
        return over.sorted { $0.value.at.millisecondsSince1970 < $1.value.at.millisecondsSince1970 }
            .filter { $0.value.repeats > 0 }
            .map { kind, line in
                var record = LogRecord(
                    time: time, level: kind.level, message: kind.message, fields: kind.fields)
                record.count(line.repeats, since: line.at)
                return record
            }
    }
}

extension LogRecord {
    fileprivate mutating func count(_ repeats: Int, since moment: WallMoment) {
        guard repeats > 0 else { return }
        (self.repeats, since) = (repeats, moment)
    }
}
