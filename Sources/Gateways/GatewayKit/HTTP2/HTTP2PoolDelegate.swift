package import PushTransport

/// What a pool tells the connector whose gateway it connects to; never from within a call to the pool.
package protocol HTTP2PoolDelegate: AnyObject {
    /// The answer's buffers hold until this returns.
    func answered(_ answer: HTTP2Answer, on line: HTTP2Line)
    func ended(tag: UInt64, _ request: UnansweredRequest)
    func goingAway(debugData: [UInt8])
    /// TLS or what it is made with is wrong: no other connection will fare better.
    func refused(_ reason: String)
    /// No connection can be had, or none that answers.
    func unreachable(_ reason: String)
}

extension HTTP2PoolDelegate {
    package func goingAway(debugData: [UInt8]) {}
}
