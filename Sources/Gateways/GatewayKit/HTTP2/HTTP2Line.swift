package import PushModel
package import PushTransport

/// One HTTP/2 connection of a connector, and what became of it.
///
/// Until its connection has closed it keeps its connector and the pool alive, also where their account is
/// forgotten already.
package final class HTTP2Line {
    package let connection: HTTP2Connection
    let owner: any HTTP2PoolDelegate
    private let pool: HTTP2Pool
    /// How long answers took since they were last asked for.
    var answerTimes = LatencyCounts()
    var isOpen = false
    package var hasAnswered: Bool { answered }
    /// Private, so that the compiler knows every access to it: it is asked for each answer.
    private var answered = false
    /// Its account was told that the gateway is in trouble: the connection's end is no news.
    var wasReported = false
    /// The gateway's word for why we let it go, such as Shutdown.
    package var farewell: String?
    @usableFromInline var window = SendWindow()

    init(_ connection: HTTP2Connection, of owner: any HTTP2PoolDelegate, in pool: HTTP2Pool) {
        (self.connection, self.owner, self.pool) = (connection, owner, pool)
    }

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

    package func answeredInTime() {
        if !answered { answered = true }
        if window.isLimited { window.answered(allowed: connection.inFlight + connection.freeStreams) }
    }

    package func slowDown(at now: MonotonicTime) {
        window.slowDown(inFlight: connection.inFlight + 1, at: now)
    }
}

extension HTTP2Line: HTTP2Delegate {
    package func connectionOpened(_ connection: HTTP2Connection) {
        isOpen = true
        pool.opened()
    }

    package func connection(_ connection: HTTP2Connection, answered answer: HTTP2Answer) {
        answerTimes.add(nanoseconds: answer.nanoseconds)
        owner.answered(answer, on: self)
    }

    package func connection(_ connection: HTTP2Connection, ended tag: UInt64, _ ending: HTTP2Ending) {
        if case .undecided(.timedOut) = ending { slowDown(at: pool.now) }
        owner.ended(tag: tag, UnansweredRequest(ending))
    }

    package func connection(
        _ connection: HTTP2Connection, goingAway errorCode: UInt32, lastStreamID: Int32,
        debugData: UnsafeRawBufferPointer
    ) {
        // The bytes hold until this method returns; the array is a copy.
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
