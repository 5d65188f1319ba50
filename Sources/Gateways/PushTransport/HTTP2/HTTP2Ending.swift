/// How a request ended without an answer.
package enum HTTP2Ending: Equatable, Sendable {
    /// The peer cannot have acted on it: it never left, or the peer said that it did not look at it.
    case neverSent(NeverSent)
    /// It left, and nobody said what became of it.
    case undecided(Undecided)

    package enum NeverSent: Equatable, Sendable {
        /// No byte of it was handed to TLS before the connection was closed, for this reason.
        case connectionClosed(CloseCause)
        /// Its stream is above the last one that the peer's GOAWAY admits.
        case goneAway
        /// RST_STREAM(REFUSED_STREAM).
        case refused
        /// Its time ran out before a byte of it could leave.
        case timedOut
    }
    package enum Undecided: Equatable, Sendable {
        case timedOut
        /// RST_STREAM with this error code.
        case streamReset(code: UInt32)
        case connectionLost(CloseCause)
    }
}
