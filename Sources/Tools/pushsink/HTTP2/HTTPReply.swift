internal import Glibc

/// An answer in words. The engines add what their protocol needs.
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

    /// What happens to the body on its way.
    package enum Damage: Equatable, Sendable {
        /// The half of it, in an answer that is whole as far as HTTP can tell.
        case truncated
        /// The half of it, then the stream is reset or the connection closed.
        case brokenOff
    }

    var status: Int
    /// Nil: the answer is its head alone.
    var body: [UInt8]?
    var content = Content.json
    /// The value of `retry-after`.
    var retryAfter: String?
    var damage: Damage?
    /// Advertise this many streams along with it.
    var streams: UInt32?

    /// As much of the body as goes out.
    var bytesToSend: ArraySlice<UInt8> {
        let whole = body ?? []
        return damage == nil ? whole[...] : whole.prefix(whole.count / 2)
    }
}

extension HTTPReply {
    init(status: Int, json text: String) { self.init(status: status, body: Array(text.utf8)) }

    /// A rejection in its own words, or in these where it has none.
    init(_ rejection: Rejection, orElse words: @autoclosure () -> Rejection.Words) {
        let words = rejection.words ?? words()
        status = rejection.status
        body = Array(words.text.utf8)
        content = words.content
        retryAfter = rejection.retryAfter?.text(atSeconds: Int(wallMilliseconds() / 1000))
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
    /// `seconds` since 1970.
    package static func text(_ seconds: Int) -> String {
        var time = time_t(seconds), parts = tm(), text = [CChar](repeating: 0, count: 32)
        gmtime_r(&time, &parts)
        // Without setlocale, names are English.
        strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return text.cText
    }
}
