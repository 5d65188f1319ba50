package import PushModel
package import PushTransport

/// One HTTP/2 connection of a connector, and its state.
///
/// The connection keeps its connector and the pool alive until it has closed, even if the account has already
/// been forgotten.
package final class PooledConnection {
    package let connection: HTTP2Connection
    let owner: any HTTP2PoolDelegate
    private let pool: HTTP2Pool
    /// The response times recorded since they were last read.
    var answerTimes = LatencyCounts()
    var isOpen = false
    package var hasAnswered: Bool { answered }
    /// The property is read for each answer. It is private, so that the compiler knows every access.
    private var answered = false
    /// Whether the account has already been notified of a problem with the gateway. If so, the connection's
    /// end is not reported as well.
    var wasReported = false
    /// The reason in the gateway's answer that caused us to close the connection, such as Shutdown.
    package var farewell: String?
    @usableFromInline var window = SendWindow()

    init(_ connection: HTTP2Connection, of owner: any HTTP2PoolDelegate, in pool: HTTP2Pool) {
        (self.connection, self.owner, self.pool) = (connection, owner, pool)
    }

    /// Whether the connection accepts messages, or will soon accept them. `false` if the connection only
    /// waits for its last answers.
    var isInService: Bool { connection.state == .connecting || connection.state == .open }

    /// Whether every stream that the peer allows is in use. A window that was reduced because of problems is
    /// no reason for another connection to the same gateway.
    var isFull: Bool { isOpen && connection.inFlight > 0 && connection.freeStreams == 0 }

    /// The number of messages that the connection would accept now.
    @inlinable @inline(__always)
    package var credit: Int {
        let free = connection.freeStreams
        return window.isLimited ? window.credit(of: free, inFlight: connection.inFlight) : free
    }

    package func answeredInTime() {
        if !answered { answered = true }
        if window.isLimited { window.answered(allowed: connection.inFlight + connection.freeStreams) }
    }

    package func slowDown(at now: MonotonicTime) {
        window.slowDown(inFlight: connection.inFlight + 1, at: now)
    }
}

extension PooledConnection: HTTP2Delegate {
    package func connectionOpened(_ connection: HTTP2Connection) {
        isOpen = true
        pool.opened()
    }

    package func connection(_ connection: HTTP2Connection, answered answer: HTTP2Answer) {
        answerTimes.add(nanoseconds: answer.nanoseconds)
        owner.answered(answer, on: self)
    }

    package func connection(_ connection: HTTP2Connection, ended tag: UInt64, _ ending: HTTP2Outcome) {
        if case .undecided(.timedOut) = ending { slowDown(at: pool.now) }
        owner.ended(tag: tag, UnansweredRequest(ending))
    }

    package func connection(
        _ connection: HTTP2Connection, goingAway errorCode: UInt32, lastStreamID: Int32,
        debugData: UnsafeRawBufferPointer
    ) {
        // The bytes are valid until this method returns; the array is a copy.
        owner.goingAway(debugData: unsafe Array(debugData))
    }

    package func connection(_ connection: HTTP2Connection, givenUp cause: CloseCause) {
        guard !hasAnswered else { return }
        wasReported = true
        owner.unreachable("\(cause)")
    }

    package func connectionClosed(_ connection: HTTP2Connection, cause: CloseCause) {
        pool.closed(self, cause: cause)
    }
}
