/// One request in flight.
package struct RequestSlot: BitwiseCopyable {
    enum State: BitwiseCopyable {
        case free
        /// The request was submitted, and its stream is open or will be opened.
        case open
        /// The stream is closed, and the owner has not handled the corresponding event yet.
        case closed
    }
    static let none: Int32 = -1

    var state = State.free
    package internal(set) var tag: UInt64 = 0
    /// The position of the request's HEADERS frame in all bytes sent; `UInt64.max` if the request is not
    /// framed yet.
    package internal(set) var firstByte = UInt64.max
    package internal(set) var stream: Int32 = 0

    // Data still to be sent.
    /// The place of the request's template in the session.
    var template: Int32 = none
    /// The header values and the body; `nil` if everything is framed.
    var memory: UnsafeMutableRawPointer?
    /// One bit per variable field.
    var variables: UInt32 = 0
    var bodyOffset = 0, bodyLength = 0, bodySent = 0
    /// The window that the peer granted to this stream beyond its initial window, minus the data sent. The
    /// window itself can become negative (RFC 9113, 6.9.2).
    var granted = 0

    // Received data.
    /// The final status; 0 if there is none yet.
    package internal(set) var status = 0
    /// Whether the answer's last frame has arrived and the body has the announced length.
    package internal(set) var isComplete = false
    /// The value of `content-length`; -1 if there is none.
    var contentLength = -1
    var bodyReceived = 0
    /// The number of DATA bytes received since we last sent a WINDOW_UPDATE for the stream.
    var unacknowledged = 0
    var interimAnswers = 0, frames = 0
    var kept = KeptAnswer()

    /// Prepares the slot for the next request.
    mutating func begin(tag: UInt64, stream: Int32) {
        var fresh = RequestSlot()
        fresh.kept = kept
        fresh.kept.reset()
        (fresh.state, fresh.tag, fresh.stream) = (.open, tag, stream)
        self = fresh
    }

    var isFramed: Bool { firstByte != .max }
}
