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
