internal import Glibc

/// The content of an answer. The engines add the parts that their protocol needs.
package struct HTTPReply {
    package enum Content: Equatable, Sendable {
        case json, html, plain

        var type: StaticString {
            switch self {
            case .json: "application/json"
            case .html: "text/html; charset=UTF-8"
            case .plain: "text/plain; charset=UTF-8"
            }
        }
    }

    /// The damage that the body suffers in transit.
    package enum Damage: Equatable, Sendable {
        /// Only half of the body is sent, in an answer that HTTP considers complete.
        case truncated
        /// Only half of the body is sent. Then the stream is reset or the connection is closed.
        case brokenOff
    }

    var status: Int
    /// The body; `nil` if the answer consists of its head only.
    var body: [UInt8]?
    var content = Content.json
    /// The value of `retry-after`.
    var retryAfter: String?
    var damage: Damage?
    /// The number of streams to advertise together with the answer.
    var streams: UInt32?

    /// The part of the body that is sent.
    var bytesToSend: ArraySlice<UInt8> {
        let whole = body ?? []
        return damage == nil ? whole[...] : whole.prefix(whole.count / 2)
    }
}

extension HTTPReply {
    init(status: Int, json text: String) { self.init(status: status, body: Array(text.utf8)) }

    /// Creates the answer for a rejection from the rejection's own body or, if it has none, from `words`.
    init(_ rejection: Rejection, orElse words: @autoclosure () -> Rejection.ErrorBody) {
        let words = rejection.words ?? words()
        status = rejection.status
        body = Array(words.text.utf8)
        content = words.content
        retryAfter = rejection.retryAfter?.text(atSeconds: Int(wallMilliseconds() / 1000))
    }
}

/// The time at which a client should try again.
package enum RetryAfter: Equatable, Sendable {
    case seconds(Int)
    /// The time is sent as an HTTP date, which is the given number of seconds after the answer.
    case date(Int)

    package func text(atSeconds now: Int) -> String {
        switch self {
        case .seconds(let count): "\(count)"
        case .date(let ahead): HTTPDate.text(now + ahead)
        }
    }
}

/// The date format of HTTP fields (RFC 9110, section 5.6.7), e.g. `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    /// Returns the date for `seconds` since 1970.
    package static func text(_ seconds: Int) -> String {
        var time = time_t(seconds), parts = tm(), text = [CChar](repeating: 0, count: 32)
        gmtime_r(&time, &parts)
        // The names are in English, because the process does not call setlocale.
        strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return text.cText
    }
}
