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
        var last: WallMoment

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
            said[kind]?.last = record.time
            hasUnreported = true
            return nil
        }
        var record = record
        record.repeats = said[kind]?.repeats ?? 0
        if said.count >= Self.maxKinds { said = said.filter { $0.value.isRecent(at: record.time) } }
        if said.count < Self.maxKinds || said[kind] != nil {
            said[kind] = Occurrence(at: record.time, last: record.time)
        }
        return record
    }

    /// Returns the counts of lines whose minute is over, or of all lines. Each count has the time of the
    /// line's last occurrence.
    package mutating func tell(at time: WallMoment, all: Bool = false) -> [LogRecord] {
        var told: [LogRecord] = []
        for (kind, count) in said where all || !count.isRecent(at: time) {
            if count.repeats > 0 {
                var record = LogRecord(
                    time: count.last, level: kind.level, message: kind.message, fields: kind.fields)
                record.repeats = count.repeats
                told.append(record)
            }
            said[kind] = nil
        }
        hasUnreported = said.values.contains { $0.repeats > 0 }
        return told.sorted { $0.time.millisecondsSince1970 < $1.time.millisecondsSince1970 }
    }
}
