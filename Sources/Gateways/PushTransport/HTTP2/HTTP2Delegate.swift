/// Receives the events of a connection and its requests, on the loop's thread, never from within a call to
/// the connection. The delegate may call any method of the connection.
///
/// The connection holds a reference to its delegate until its last call, ``connectionClosed(_:cause:)``.
package protocol HTTP2Delegate: AnyObject {
    /// TLS is established, HTTP/2 is negotiated, and the peer's SETTINGS are known: `freeStreams` is the
    /// number of requests that may be submitted.
    func connectionOpened(_ connection: HTTP2Connection)
    func connection(_ connection: HTTP2Connection, answered answer: HTTP2Answer)
    func connection(_ connection: HTTP2Connection, ended tag: UInt64, _ ending: HTTP2Outcome)
    /// The connection accepts no new requests from now on (`freeStreams` is 0); requests in flight may
    /// finish. The method may be called twice. `debugData` is valid until the method returns; APNs sends a
    /// JSON `reason` in it.
    func connection(
        _ connection: HTTP2Connection, goingAway errorCode: UInt32, lastStreamID: Int32,
        debugData: UnsafeRawBufferPointer)
    /// The peer answers no request. The connection accepts no new requests from now on. Requests in flight
    /// may still finish.
    func connection(_ connection: HTTP2Connection, givenUp cause: CloseCause)
    /// More requests may be submitted than before, because SETTINGS changed. (Answers also free streams; they
    /// are reported separately.)
    func connectionGotRoom(_ connection: HTTP2Connection)
    /// The connection is closed. Every request has been reported as answered or ended, and no further call
    /// follows.
    func connectionClosed(_ connection: HTTP2Connection, cause: CloseCause)
}

extension HTTP2Delegate {
    package func connectionGotRoom(_ connection: HTTP2Connection) {}
}
