internal import CSinkShims
internal import Glibc

/// A listening socket on this machine's own address, what is spoken there, and under which certificate.
final class Listener {
    let descriptor: Int32
    let port: UInt16
    let tls: TLSIdentity
    /// Counts this gateway's connections.
    let counts: SinkCounts
    /// Connections that stand.
    var open = 0
    /// Whom it breaks off while shaking hands.
    var door: Door?
    let converse: (Caller, any ConversationHost) -> any Conversation

    /// `port` 0: any free one. Only loopback addresses are served: nobody's real devices are behind this.
    init(
        address: String, port: UInt16, tls: TLSIdentity, counts: SinkCounts,
        converse: @escaping (Caller, any ConversationHost) -> any Conversation
    ) throws(SinkError) {
        guard push_sink_is_loopback(address) else { throw SinkError(.notLoopback(address)) }
        var bound: UInt16 = 0
        descriptor = push_sink_listen(address, port, &bound)
        guard descriptor >= 0 else {
            throw SinkError(
                .cannotListen(address: address, port: port, why: String(cString: strerror(errno))))
        }
        self.port = bound
        self.tls = tls
        self.counts = counts
        self.converse = converse
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
