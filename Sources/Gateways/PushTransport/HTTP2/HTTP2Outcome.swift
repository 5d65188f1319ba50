/// The way in which a request ended without an answer.
package enum HTTP2Outcome: Equatable, Sendable {
    /// The peer cannot have acted on the request: it never left, or the peer reported that it did not process
    /// it.
    case neverSent(NeverSent)
    /// The request was sent, and its result is unknown.
    case undecided(Undecided)

    package enum NeverSent: Equatable, Sendable {
        /// No byte of the request was passed to TLS before the connection was closed for this reason.
        case connectionClosed(CloseCause)
        /// The stream is above the last stream that the peer's GOAWAY admits.
        case goneAway
        /// The peer reset the stream with REFUSED_STREAM.
        case refused
        /// The request timed out before any of its bytes could be sent.
        case timedOut
    }
    package enum Undecided: Equatable, Sendable {
        case timedOut
        /// The peer reset the stream with this error code.
        case streamReset(code: UInt32)
        case connectionLost(CloseCause)
    }
}
