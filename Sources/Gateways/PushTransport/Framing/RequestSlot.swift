/// One request in flight.
package struct RequestSlot: BitwiseCopyable {
    enum State: BitwiseCopyable {
        case free
        /// Submitted; its stream is open, or will be.
        case open
        /// Its stream is closed; the event that says so has not been handled yet.
        case closed
    }
    static let none: Int32 = -1

    var state = State.free
    package internal(set) var tag: UInt64 = 0
    /// Position of its HEADERS frame in all bytes sent; `UInt64.max`: not framed yet.
    package internal(set) var firstByte = UInt64.max
    package internal(set) var stream: Int32 = 0

    // What is still to be sent.
    /// The place of its template in the session.
    var template: Int32 = none
    /// Header values and body; nil once all is framed.
    var memory: UnsafeMutableRawPointer?
    /// One bit per variable field.
    var variables: UInt32 = 0
    var bodyOffset = 0, bodyLength = 0, bodySent = 0
    /// What the peer granted this stream beyond its initial window, less what was sent. The window itself
    /// can become negative (RFC 9113, 6.9.2).
    var granted = 0

    // What was received.
    /// 0: no final status yet.
    package internal(set) var status = 0
    /// The answer's last frame has come, and its length is what it said.
    package internal(set) var isComplete = false
    /// What `content-length` announces; -1: nothing.
    var contentLength = -1
    var bodyReceived = 0
    /// Bytes of DATA since the stream's last WINDOW_UPDATE.
    var unacknowledged = 0
    var interimAnswers = 0, frames = 0
    var kept = KeptAnswer()

    /// The next request takes the slot.
    mutating func begin(tag: UInt64, stream: Int32) {
        var fresh = RequestSlot()
        fresh.kept = kept
        fresh.kept.reset()
        (fresh.state, fresh.tag, fresh.stream) = (.open, tag, stream)
        self = fresh
    }

    var isFramed: Bool { firstByte != .max }
}
