/// The parts of a connection that change with each message.
extension HTTP2Connection {
    /// The state is stored in memory that only the connection uses. For a property of a class, the runtime
    /// would check at each change that no other change is in progress.
    struct Memory: ~Copyable {
        var session: HTTP2Session
        var allowance: StreamAllowance
        var deadlines: DeadlineQueue
        var keepalive: Keepalive
        var peerAllowance: PeerAllowance

        init(_ session: consuming HTTP2Session, _ configuration: HTTP2Configuration, now: Int64) {
            self.session = session
            allowance = StreamAllowance(
                most: configuration.maximumStreams, initial: configuration.initialStreams,
                firstStreamID: Int64(configuration.firstStreamID))
            deadlines = DeadlineQueue(duration: configuration.requestTimeout.nanoseconds)
            keepalive = Keepalive(
                afterQuiet: configuration.pingAfterQuiet.nanoseconds,
                whenIdle: configuration.idlePing.nanoseconds,
                timeout: configuration.pingTimeout.nanoseconds, now: now)
            peerAllowance = PeerAllowance(
                configuration.peerLimits, streams: configuration.maximumStreams, now: now)
        }
    }

    var session: HTTP2Session {
        @inline(__always) _read { yield memory.pointee.session }
        @inline(__always) _modify { yield &memory.pointee.session }
    }
    var allowance: StreamAllowance {
        @inline(__always) _read { yield memory.pointee.allowance }
        @inline(__always) _modify { yield &memory.pointee.allowance }
    }
    var deadlines: DeadlineQueue {
        @inline(__always) _read { yield memory.pointee.deadlines }
        @inline(__always) _modify { yield &memory.pointee.deadlines }
    }
    var keepalive: Keepalive {
        @inline(__always) _read { yield memory.pointee.keepalive }
        @inline(__always) _modify { yield &memory.pointee.keepalive }
    }
    var peerAllowance: PeerAllowance {
        @inline(__always) _read { yield memory.pointee.peerAllowance }
        @inline(__always) _modify { yield &memory.pointee.peerAllowance }
    }
}
