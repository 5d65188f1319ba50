/// Hears what becomes of a connection and of its requests, in the loop's thread, never from within a call to
/// the connection. All calls to the connection are allowed from here.
///
/// The connection holds its delegate until it has said ``connectionClosed(_:cause:)``, its last word.
package protocol HTTP2Delegate: AnyObject {
    /// TLS stands, HTTP/2 is agreed on, and the peer's SETTINGS are known: `freeStreams` tells how many
    /// requests.
    func connectionOpened(_ connection: HTTP2Connection)
    func connection(_ connection: HTTP2Connection, answered answer: HTTP2Answer)
    func connection(_ connection: HTTP2Connection, ended tag: UInt64, _ ending: HTTP2Ending)
    /// No new requests from here on (`freeStreams` is 0); those in flight may finish. May be said twice.
    /// `debugData` holds until the method returns; APNs puts a JSON `reason` there.
    func connection(
        _ connection: HTTP2Connection, goingAway errorCode: UInt32, lastStreamID: Int32,
        debugData: UnsafeRawBufferPointer)
    /// The peer answers nothing: no new requests from here on; those in flight may still finish.
    func connection(_ connection: HTTP2Connection, givenUp cause: CloseCause)
    /// There is more room for requests than before: SETTINGS changed. (Answers also make room; they say so
    /// themselves.)
    func connectionGotRoom(_ connection: HTTP2Connection)
    /// Every request has had its answer or its ending. Nothing follows.
    func connectionClosed(_ connection: HTTP2Connection, cause: CloseCause)
}

extension HTTP2Delegate {
    package func connectionGotRoom(_ connection: HTTP2Connection) {}
}
