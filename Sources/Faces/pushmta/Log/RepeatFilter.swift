internal import Logging
package import PushModel

/// Says the same thing once a minute: what repeats within it is counted, and the count is told with the next
/// line of its kind, or when the minute is over. Pure.
package struct RepeatFilter {
    package static let windowMilliseconds: Int64 = 60_000
    /// Different lines that are remembered; more are all said.
    private static let mostKinds = 1_000

    private struct Kind: Hashable {
        var level: Logger.Level
        var message: String
        var fields: [LogRecord.Field]
    }
    private struct Said {
        var at: WallMoment
        var repeats = 0
        var last: WallMoment

        /// A clock that was set back ends the minute too.
        func isRecent(at now: WallMoment) -> Bool {
            (0..<RepeatFilter.windowMilliseconds).contains(
                now.millisecondsSince1970 - at.millisecondsSince1970)
        }
    }
    private var said: [Kind: Said] = [:]

    package init() {}

    /// Whether anything was counted that has not been told.
    package private(set) var hasUntold = false

    /// - Returns: the record, with what was counted before; nil: it is counted.
    package mutating func take(_ record: LogRecord) -> LogRecord? {
        let kind = Kind(level: record.level, message: record.message, fields: record.fields)
        if said[kind]?.isRecent(at: record.time) == true {
            said[kind]?.repeats += 1
            said[kind]?.last = record.time
            hasUntold = true
            return nil
        }
        var record = record
        record.repeats = said[kind]?.repeats ?? 0
        if said.count >= Self.mostKinds { said = said.filter { $0.value.isRecent(at: record.time) } }
        if said.count < Self.mostKinds || said[kind] != nil {
            said[kind] = Said(at: record.time, last: record.time)
        }
        return record
    }

    /// What was counted of lines whose minute is over, or of all; each with the time of its last occurrence.
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
        hasUntold = said.values.contains { $0.repeats > 0 }
        return told.sorted { $0.time.millisecondsSince1970 < $1.time.millisecondsSince1970 }
    }
}
