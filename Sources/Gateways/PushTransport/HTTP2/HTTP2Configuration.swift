/// The settings of an ``HTTP2Connection``. The defaults suit APNs.
package struct HTTP2Configuration: Sendable, Equatable {
    /// The limit on requests until ``HTTP2Connection/widen()`` is called. APNs requires 1 until it has
    /// accepted a token. With `nil`, the limit in the peer's SETTINGS applies from the start.
    package var initialStreams: Int?
    /// The maximum number of requests in flight, even if the peer allows more.
    package var maximumStreams = 1000
    /// The size, in bytes, that a request's variable header values and its body must fit in: 5120 for the
    /// largest APNs payload, the rest for a path with a device token, and for ids. Only a request that cannot
    /// be framed immediately occupies this memory.
    package var slotBytes = 6144
    /// The time from the first packet to the peer's SETTINGS, which includes name lookup, proxy, TCP, TLS and
    /// the HTTP/2 greeting.
    package var connectTimeout: Duration = .seconds(10)
    /// The time from submission to the end of the answer.
    package var requestTimeout: Duration = .seconds(30)
    /// The time without received data, while answers are due, after which a PING checks that the peer is
    /// alive.
    package var pingAfterQuiet: Duration = .seconds(5)
    /// The time without received data, while no answer is due, after which a PING checks that the peer is
    /// alive. APNs allows a PING after about an hour of idleness.
    package var idlePing: Duration = .seconds(3600)
    /// The maximum time for the answer to a PING.
    package var pingTimeout: Duration = .seconds(10)
    /// The maximum time for which the socket may accept none of the waiting data. A PING would never detect a
    /// peer that sends but does not read. See ``TLSStream/Configuration/sendTimeout``.
    package var sendTimeout: Duration = .seconds(30)
    /// The maximum time for which requests may finish after a GOAWAY or ``HTTP2Connection/drain()``.
    package var drainTimeout: Duration = .seconds(30)
    /// SO_SNDBUF in bytes; `nil` for the kernel's automatic tuning.
    package var socketSendBuffer: Int?
    /// The names of the response headers that answers contain, in lower case; at most 8. See
    /// ``ResponseFields``.
    package var wantedHeaders: [String] = []
    /// The number of bytes of a response body that are kept; the rest is dropped. At most 8192.
    package var maximumKeptBody = 8192
    /// Whether a request's secrets may be inserted into HPACK's table, which the peer keeps for the lifetime
    /// of the connection. A bearer token is most of a request's header, and a connection has only one
    /// credential.
    package var indexesSecrets = true
    /// Limits of the data that the peer may send in addition to answers.
    package var peerLimits = PeerLimits()

    /// The first of our stream ids, which are odd. Only tests need to start near the end, 2^31 - 1.
    package var firstStreamID: Int32 = 1

    package init() {}
}
