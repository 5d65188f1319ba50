/// The gateway's answer to one request. The raw buffers hold until the delegate's method returns.
package struct HTTP2Answer {
    /// What the request was submitted with.
    package let tag: UInt64
    package let status: Int
    /// At most ``HTTP2Configuration/maximumKeptBody`` bytes of it.
    package let body: UnsafeRawBufferPointer
    package let headers: ResponseFields
    /// False when the status arrived but the connection or the stream broke before the end: the status holds, the
    /// body may lack its end.
    package let isComplete: Bool
}

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

/// Hears what becomes of a connection and of its requests, in the loop's thread, never from within a call to the
/// connection. All calls to the connection are allowed from here.
///
/// The connection holds its delegate until it has said ``connectionClosed(_:cause:)``, its last word.
package protocol HTTP2Delegate: AnyObject {
    /// TLS stands, HTTP/2 is agreed on, and the peer's SETTINGS are known: `freeStreams` tells how many requests.
    func connectionOpened(_ connection: HTTP2Connection)
    func connection(_ connection: HTTP2Connection, answered answer: HTTP2Answer)
    func connection(_ connection: HTTP2Connection, ended tag: UInt64, _ ending: HTTP2Ending)
    /// No new requests from here on (`freeStreams` is 0); those in flight may finish. May be said twice.
    /// `debugData` holds until the method returns; APNs puts a JSON `reason` there.
    func connection(
        _ connection: HTTP2Connection, goingAway errorCode: UInt32, lastStreamID: Int32,
        debugData: UnsafeRawBufferPointer)
    /// There is more room for requests than before: SETTINGS changed. (Answers also make room; they say so themselves.)
    func connectionGotRoom(_ connection: HTTP2Connection)
    /// Every request has had its answer or its ending. Nothing follows.
    func connectionClosed(_ connection: HTTP2Connection, cause: CloseCause)
}

extension HTTP2Delegate {
    package func connectionGotRoom(_ connection: HTTP2Connection) {}
}

/// Values of the response headers that ``HTTP2Configuration/wantedHeaders`` names, by their place in that list.
/// Costs nothing where they are absent. Holds until the delegate's method returns.
package struct ResponseFields {
    let kept: UnsafeRawBufferPointer

    /// The value of `wantedHeaders[index]`, or nil when the answer has no such header. The last one counts.
    package subscript(index: Int) -> UnsafeRawBufferPointer? {
        var found: UnsafeRawBufferPointer?
        var offset = 0
        while offset + 3 <= kept.count {
            let length = Int(kept[offset + 1]) | Int(kept[offset + 2]) << 8
            let end = offset + 3 + length
            guard end <= kept.count else { break }
            if Int(kept[offset]) == index { found = UnsafeRawBufferPointer(rebasing: kept[offset + 3..<end]) }
            offset = end
        }
        return found
    }
}
