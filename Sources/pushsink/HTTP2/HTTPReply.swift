/// An answer in words. The engines add what their protocol needs.
package struct HTTPReply: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case json, html, plain

        package var type: StaticString {
            switch self {
            case .json: "application/json"
            case .html: "text/html; charset=UTF-8"
            case .plain: "text/plain; charset=UTF-8"
            }
        }
    }

    /// What happens to the body on its way.
    package enum Damage: Equatable, Sendable {
        /// The half of it, in an answer that is whole as far as HTTP can tell.
        case truncated
        /// The half of it, then the stream is reset or the connection closed.
        case brokenOff
    }

    package var status: Int
    /// Nil: the answer is its head alone.
    package var body: String?
    package var content = Content.json
    /// The value of `retry-after`.
    package var retryAfter: String?
    package var damage: Damage?
    /// Advertise this many streams along with it.
    package var streams: UInt32?

    package init(status: Int, body: String? = nil, streams: UInt32? = nil) {
        self.status = status
        self.body = body
        self.streams = streams
    }

    /// As much of the body as goes out.
    var bytesToSend: Substring.UTF8View {
        let whole = (body ?? "").utf8
        return damage == nil ? whole[...] : whole.prefix(whole.count / 2)
    }
}

/// When to come back.
package enum RetryAfter: Equatable, Sendable {
    case seconds(Int)
    /// As an HTTP date, so many seconds ahead of the answer.
    case date(Int)

    package func text(atSeconds now: Int) -> String {
        switch self {
        case .seconds(let count): "\(count)"
        case .date(let ahead): HTTPDate.text(now + ahead)
        }
    }
}

/// The date of HTTP's fields (RFC 9110 section 5.6.7), e.g. `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `seconds` since 1970, not negative.
    package static func text(_ seconds: Int) -> String {
        let days = seconds / 86_400, rest = seconds % 86_400
        // Years that begin in March have the leap day at their end; 719 468 days lie between year 0 and 1970.
        let shifted = days + 719_468
        let era = shifted / 146_097, dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * fromMarch + 2) / 5 + 1
        let month = (fromMarch + 2) % 12
        let year = yearOfEra + era * 400 + (month < 2 ? 1 : 0)
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map(two).joined(separator: ":")
        return "\(weekdays[days % 7]), \(two(day)) \(months[month]) \(year) \(time) GMT"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
