internal import PushModel

/// A line of the engine's delivery log (`mta/@deliveryLog`), with the fields that a report needs.
package struct AttemptLine: Equatable, Sendable {
    package enum Outcome: Sendable { case sent, failed, retrying, other }

    /// The time of the commit that recorded the attempt, in milliseconds since 1970.
    package var time: Int
    package var delivery: Int
    package var outcome: Outcome

    package init(time: Int, delivery: Int, outcome: Outcome) {
        (self.time, self.delivery, self.outcome) = (time, delivery, outcome)
    }

    /// Reads a line such as `time=2026-11-22T21:17:12.804Z delivery=7 app=… account=… outcome=sent
    /// message=…`.
    /// - Returns: `nil` if the line is not about an attempt. For example, a line may report that lines were
    ///   dropped.
    package init?(_ line: ArraySlice<UInt8>) {
        let start = line.startIndex
        guard line.count > 41, line.starts(with: "time=".utf8),
            line[(start + 29)...].starts(with: " delivery=".utf8),
            let time = Self.milliseconds(line[(start + 5)..<(start + 29)])
        else { return nil }
        var (place, number) = (start + 39, 0)
        while place < line.endIndex, let digit = Self.digit(line[place]), number < 1 << 40 {
            number = number * 10 + digit
            place += 1
        }
        (self.time, delivery) = (time, number)
        outcome = Self.outcome(in: line[place...])
    }

    private static let mark = Array(" outcome=".utf8)

    private static func outcome(in rest: ArraySlice<UInt8>) -> Outcome {
        // Names of apps and accounts precede the outcome. They are quoted if they contain blanks.
        var isQuoted = false
        for place in rest.indices {
            if rest[place] == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard !isQuoted, rest[place] == UInt8(ascii: " "), rest[place...].starts(with: mark) else {
                continue
            }
            let word = rest[(place + mark.count)...]
            if word.starts(with: "sent".utf8) { return .sent }
            if word.starts(with: "failed".utf8) { return .failed }
            return word.starts(with: "retrying".utf8) ? .retrying : .other
        }
        return .other
    }

    // MARK: Times

    private static func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
    }

    /// Returns a time such as `2026-11-22T21:17:12.804Z` in milliseconds since 1970.
    package static func milliseconds(_ text: ArraySlice<UInt8>) -> Int? {
        let start = text.startIndex
        func number(_ offset: Int, _ length: Int) -> Int? {
            var number = 0
            for place in start + offset..<start + offset + length {
                guard let digit = digit(text[place]) else { return nil }
                number = number * 10 + digit
            }
            return number
        }
        guard text.count == 24, text.last == UInt8(ascii: "Z"), let year = number(0, 4),
            let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
            let minute = number(14, 2), let second = number(17, 2), let thousandth = number(20, 3)
        else { return nil }
        let days = WallTime.daysSince1970(year: Int64(year), month: Int64(month), day: Int64(day))
        let seconds = (Int(days) * 24 + hour) * 3_600 + minute * 60 + second
        return seconds * 1_000 + thousandth
    }
}
