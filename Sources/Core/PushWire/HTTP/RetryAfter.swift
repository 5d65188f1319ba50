package import PushModel

/// The `Retry-After` of an answer (RFC 9110 §10.2.3): seconds, or a date in any of the three forms in §5.6.7.
package enum RetryAfter: Equatable, Sendable {
    case seconds(Int64)
    case date(WallTime)

    /// The maximum wait. A date more than a day away indicates a wrong clock rather than the duration of the
    /// gateway's problem.
    package static let maximumSeconds: Int32 = 86_400

    /// - Parameter now: Determines the century of a two-digit year.
    /// - Returns: `nil` if the text is neither a number of seconds nor a date.
    package init?(_ text: String, now: WallTime) {
        let text = text.utf8.trimmed
        if !text.isEmpty, text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // A number with too many digits still means a very long time.
            self = .seconds(Int64(String(decoding: text, as: UTF8.self)) ?? .max)
        } else if let date = HTTPDate.parse(String(decoding: text, as: UTF8.self), now: now) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// Returns the time to wait in seconds, from 0 to ``maximumSeconds``.
    package func seconds(from now: WallTime) -> Int32 {
        let seconds: Int64 =
            switch self {
            case .seconds(let seconds): seconds
            case .date(let date):
                date > now
                    ? date.secondsSince1970.subtractingReportingOverflow(now.secondsSince1970).partialValue
                    : 0
            }
        return Int32(min(max(seconds, 0), Int64(Self.maximumSeconds)))
    }
}

extension Verdict {
    /// Returns this verdict with the delay that the gateway requested. If the gateway requested none, or if
    /// the verdict does not send the message again after a delay, the verdict is unchanged. The delay is
    /// limited to a day if the answer is about one device, and otherwise, such as for an account, to
    /// ``maxSharedDelaySeconds``.
    ///
    /// - Parameters:
    ///   - least: The minimum delay in seconds, according to the gateway's guidance.
    ///   - isOfDevice: Whether the answer is about one device alone, although this verdict's scope is not
    ///     `token`.
    package func obeying(retryAfter seconds: Int32?, least: Int32, isOfDevice: Bool = false) -> Verdict {
        guard let seconds, schedule == .soon || schedule == .calendar else { return self }
        var verdict = self
        let most = isOfDevice || scope == .token ? RetryAfter.maximumSeconds : Self.maxSharedDelaySeconds
        verdict.minimumDelaySeconds = min(max(seconds, least), most)
        return verdict
    }
}

/// HTTP dates (RFC 9110 §5.6.7): the fixed form, and the two obsolete ones that a recipient must accept.
private enum HTTPDate {
    static func parse(_ text: String, now: WallTime) -> WallTime? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
        if words.count == 6, words[5] == "GMT" {
            // Sun, 06 Nov 1994 08:49:37 GMT
            guard words[3].utf8.count == 4 else { return nil }
            return time(year: words[3], month: words[2], day: words[1], clock: words[4])
        }
        if words.count == 4, words[3] == "GMT" {
            // Sunday, 06-Nov-94 08:49:37 GMT
            let date = words[1].split(separator: "-").map(String.init)
            guard date.count == 3, date[2].utf8.count == 2, let short = Int64(date[2]) else { return nil }
            return century(short, now: now) { year in
                time(year: year, month: date[1], day: date[0], clock: words[2])
            }
        }
        if words.count == 5, words[4].utf8.count == 4 {
            // Sun Nov  6 08:49:37 1994
            return time(year: words[4], month: words[1], day: words[2], clock: words[3])
        }
        return nil
    }

    /// A two-digit year that appears to be more than 50 years in the future means the most recent year with
    /// these digits.
    private static func century(_ short: Int64, now: WallTime, _ make: (String) -> WallTime?) -> WallTime? {
        let thisYear = Int64(now.utcText.prefix(4)) ?? 2000
        let year = thisYear - thisYear % 100 + short
        return make(String(year > thisYear + 50 ? year - 100 : year))
    }

    private static func time(year: String, month: String, day: String, clock: String) -> WallTime? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard let month = months.firstIndex(of: month) else { return nil }
        func twoDigits(_ text: String) -> String { text.utf8.count == 1 ? "0\(text)" : text }
        return WallTime(utc: "\(year)-\(twoDigits(String(month + 1)))-\(twoDigits(day))T\(clock)Z")
    }
}

extension String.UTF8View {
    /// The bytes without leading and trailing spaces and tabs.
    fileprivate var trimmed: [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        return Array(Array(drop(while: isSpace)).reversed().drop(while: isSpace).reversed())
    }
}
