package import PushTransport

/// The notifications of a pool to the connector for whose gateway it opens connections. They are never sent
/// from within a call to the pool.
package protocol HTTP2PoolDelegate: AnyObject {
    /// The answer's buffers are valid until this method returns.
    func answered(_ answer: HTTP2Answer, on line: PooledConnection)
    func ended(tag: UInt64, _ request: UnansweredRequest)
    func goingAway(debugData: [UInt8])
    /// TLS or its input is wrong, so no other connection will succeed.
    func refused(_ reason: String)
    /// No connection can be opened, or none that answers.
    func unreachable(_ reason: String)
}

extension HTTP2PoolDelegate {
    package func goingAway(debugData: [UInt8]) {}
}
