package import PushModel
package import PushTransport

/// One HTTP/2 connection of a connector, and what became of it.
package final class HTTP2Line {
    package let connection: HTTP2Connection
    var isOpen = false
    package var hasAnswered = false
    /// Its account was told that the gateway is in trouble: the connection's end is no news.
    var wasReported = false
    /// The gateway's word for why we let it go, such as Shutdown.
    package var farewell: String?
    @usableFromInline var window = SendWindow()

    init(_ connection: HTTP2Connection) { self.connection = connection }

    /// Takes messages, or soon will: not one that only lets its last answers come in.
    var isInService: Bool { connection.state == .connecting || connection.state == .open }

    /// Every stream that the peer allows is in use. A window that trouble has narrowed is no reason for
    /// another connection to the same gateway.
    var isFull: Bool { isOpen && connection.inFlight > 0 && connection.freeStreams == 0 }

    /// Messages that it would take now.
    @inlinable @inline(__always)
    package var credit: Int {
        let free = connection.freeStreams
        return window.isLimited ? window.credit(of: free, inFlight: connection.inFlight) : free
    }

    @inlinable @inline(__always)
    package func answeredInTime() {
        hasAnswered = true
        if window.isLimited { window.answered(allowed: connection.inFlight + connection.freeStreams) }
    }

    package func slowDown(at now: MonotonicTime) {
        window.slowDown(inFlight: connection.inFlight + 1, at: now)
    }
}
