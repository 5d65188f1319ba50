/// Limits on the work that a gateway may cause without completing a request. Exceeding them is not normal
/// behaviour: an answer is two or three frames and a few hundred bytes, and a front end's error page is some
/// ten thousand bytes.
package struct PeerLimits: Sendable, Equatable {
    // The maximum number of interim answers to one request.
    package var interimAnswers: Int = 100
    /// The maximum number of HEADERS and DATA frames that do not end the request.
    package var framesOfRequest: Int = 1_000
    /// The maximum size of an answer's body, whether it is kept or not.
    package var bodyBytes: Int = 1 << 20
    /// The maximum decoded size of one header block, as defined in RFC 9113 (6.5.2). The peer receives it as
    /// SETTINGS_MAX_HEADER_LIST_SIZE.
    package var headerBytes: Int = 64 << 10

    // The maximum number of GOAWAY frames on one connection.
    package var goAways: Int = 8

    // The credit of frames on one connection: see ``PeerAllowance``.
    package var frames = Rate(base: 4_096, eachStream: 16, eachAnswer: 32, eachSecond: 100)
    /// The credit of bytes on one connection, which counts received plain text and decoded header bytes. Each
    /// read counts as at least ``minRead`` bytes, because a single byte costs as much as several hundred
    /// bytes that arrive together.
    package var bytes = Rate(base: 1 << 20, eachStream: 16 << 10, eachAnswer: 64 << 10, eachSecond: 1 << 20)
    package static let minRead = 512

    package init() {}

    /// The size of a credit and its refill rates.
    package struct Rate: Sendable, Equatable {
        /// The full credit: a base, and an amount for each request that may be in flight.
        package var base, eachStream: Int64
        package var eachAnswer, eachSecond: Int64
        package init(base: Int64, eachStream: Int64, eachAnswer: Int64, eachSecond: Int64) {
            (self.base, self.eachStream) = (base, eachStream)
            (self.eachAnswer, self.eachSecond) = (eachAnswer, eachSecond)
        }
    }
}

/// The part of ``PeerLimits`` that a peer has not yet used on one connection: a credit of frames and a credit
/// of bytes. Both are full at first. Each request that the peer completes adds to them, and they also refill
/// slowly over time. The type is a value that its owner updates with events.
package struct PeerAllowance: Equatable, Sendable {
    package enum Excess: Equatable, Sendable { case frames, bytes }

    private struct Credit: Equatable {
        let rate: PeerLimits.Rate
        let most: Int64
        var left: Int64
        init(_ rate: PeerLimits.Rate, streams: Int) {
            self.rate = rate
            most = rate.base + rate.eachStream * Int64(streams)
            left = most
        }
        mutating func refill(answers: Int64, tenths: Int64) {
            left = min(most, left + rate.eachAnswer * answers + rate.eachSecond * tenths / 10)
        }
    }

    private static let tenth: Int64 = 100_000_000
    private static let hour: Int64 = 36_000

    private var frames: Credit
    private var bytes: Credit
    /// The time up to which the credits were refilled.
    private var credited: Int64

    /// - Parameters:
    ///   - streams: The number of requests that may be in flight.
    ///   - now: The time in nanoseconds, like all times in this type.
    package init(_ limits: PeerLimits, streams: Int, now: Int64) {
        frames = Credit(limits.frames, streams: streams)
        bytes = Credit(limits.bytes, streams: streams)
        credited = now
    }

    /// Records one read from the connection.
    /// - Parameters:
    ///   - answers: The number of requests that the read completed.
    ///   - bytes: The number of received and decoded bytes.
    /// - Returns: The limit that is exceeded, if any.
    package mutating func received(answers: Int, frames: Int, bytes: Int, at now: Int64) -> Excess? {
        // Only full tenths of a second are credited now. The rest is credited later and is not lost.
        let tenths = max(now - credited, 0) / Self.tenth
        credited += tenths * Self.tenth
        self.frames.refill(answers: Int64(answers), tenths: min(tenths, Self.hour))
        self.bytes.refill(answers: Int64(answers), tenths: min(tenths, Self.hour))
        self.frames.left -= Int64(frames)
        self.bytes.left -= Int64(max(bytes, PeerLimits.minRead))
        if self.frames.left < 0 { return .frames }
        return self.bytes.left < 0 ? .bytes : nil
    }
}
