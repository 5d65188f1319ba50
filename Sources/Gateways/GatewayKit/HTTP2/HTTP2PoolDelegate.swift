package import PushTransport

/// A connector that sends its messages through a pool, and receives the pool's events. The events are never
/// reported from within a call to the pool.
package protocol HTTP2PoolDelegate: AnyObject {
    /// The answer's buffers are valid until this method returns.
    func answered(_ answer: HTTP2Answer, on line: PooledConnection)
    func ended(tag: UInt64, _ request: UnansweredRequest)
    func goingAway(debugData: [UInt8])
    /// TLS failed because of a certificate, a key or the trusted authorities, so no other connection will
    /// succeed.
    func refused(_ reason: String)
    /// No connection can be opened, or the gateway does not answer on the connections that were opened.
    func unreachable(_ reason: String)
}

extension HTTP2PoolDelegate {
    package func goingAway(debugData: [UInt8]) {}
}
