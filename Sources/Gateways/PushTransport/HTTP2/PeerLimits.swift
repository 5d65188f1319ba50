/// How much work a gateway may make without bringing a request to its end. What goes beyond is no gateway's
/// ordinary conduct: an answer is two or three frames and some hundred bytes, and a front end's error page
/// some ten thousand.
package struct PeerLimits: Sendable, Equatable {
    // One request
    package var interimAnswers: Int = 100
    /// HEADERS and DATA that do not end it.
    package var framesOfRequest: Int = 1_000
    /// Of its answer's body, kept or not.
    package var bodyBytes: Int = 1 << 20
    /// The decoded size of one header block, as RFC 9113 (6.5.2) counts it; told to the peer as
    /// SETTINGS_MAX_HEADER_LIST_SIZE.
    package var headerBytes: Int = 64 << 10

    // A connection, in all its life
    package var goAways: Int = 8

    // A connection: see ``PeerAllowance``
    package var frames = Rate(base: 4_096, eachStream: 16, eachAnswer: 32, eachSecond: 100)
    /// Plain text received and decoded header bytes. Whatever a read brings, it counts as ``leastRead`` at
    /// least: a byte that travels alone costs as much as some hundreds in company.
    package var bytes = Rate(base: 1 << 20, eachStream: 16 << 10, eachAnswer: 64 << 10, eachSecond: 1 << 20)
    package static let leastRead = 512

    package init() {}

    /// A credit's size and what it is refilled by.
    package struct Rate: Sendable, Equatable {
        /// The whole credit: this much, and so much for each request that may be in flight.
        package var base, eachStream: Int64
        package var eachAnswer, eachSecond: Int64
        package init(base: Int64, eachStream: Int64, eachAnswer: Int64, eachSecond: Int64) {
            (self.base, self.eachStream) = (base, eachStream)
            (self.eachAnswer, self.eachSecond) = (eachAnswer, eachSecond)
        }
    }
}

/// What a peer has left of its ``PeerLimits`` on one connection: a credit of frames and one of bytes, full at
/// first, refilled by each request that the peer brings to an end, and slowly by time. A value that is told
/// what happened.
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
    /// Until when time has been credited.
    private var credited: Int64

    /// - Parameters:
    ///   - streams: requests that may be in flight.
    ///   - now: nanoseconds, as all moments here.
    package init(_ limits: PeerLimits, streams: Int, now: Int64) {
        frames = Credit(limits.frames, streams: streams)
        bytes = Credit(limits.bytes, streams: streams)
        credited = now
    }

    /// One read from the connection.
    /// - Parameters:
    ///   - answers: requests that it brought to an end.
    ///   - bytes: received and decoded.
    /// - Returns: what is exceeded, if anything.
    package mutating func received(answers: Int, frames: Int, bytes: Int, at now: Int64) -> Excess? {
        // Tenths of a second: what is less is credited later, not lost.
        let tenths = max(now - credited, 0) / Self.tenth
        credited += tenths * Self.tenth
        self.frames.refill(answers: Int64(answers), tenths: min(tenths, Self.hour))
        self.bytes.refill(answers: Int64(answers), tenths: min(tenths, Self.hour))
        self.frames.left -= Int64(frames)
        self.bytes.left -= Int64(max(bytes, PeerLimits.leastRead))
        if self.frames.left < 0 { return .frames }
        return self.bytes.left < 0 ? .bytes : nil
    }
}
