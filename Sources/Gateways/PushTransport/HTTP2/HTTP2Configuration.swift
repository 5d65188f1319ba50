/// The settings of an ``HTTP2Connection``. The defaults suit APNs.
package struct HTTP2Configuration: Sendable, Equatable {
    /// The maximum number of requests in flight until ``HTTP2Connection/widen()`` is called. APNs requires 1
    /// until it has accepted a token. With `nil`, the limit in the peer's SETTINGS applies from the start.
    package var initialStreams: Int?
    /// The maximum number of requests in flight, even if the peer allows more.
    package var maximumStreams = 1000
    /// The maximum total size, in bytes, of a request's variable header values and body. The largest APNs
    /// payload takes 5120 bytes; the rest is for ids and for a path with a device token. A request occupies
    /// this memory only if it cannot be framed immediately.
    package var slotBytes = 6144
    /// The time from the first packet to the peer's SETTINGS, which includes name lookup, proxy, TCP, TLS and
    /// the HTTP/2 greeting.
    package var connectTimeout: Duration = .seconds(10)
    /// The time from submission to the end of the answer.
    package var requestTimeout: Duration = .seconds(30)
    /// If answers are due and no data has been received for this time, a PING checks that the peer is alive.
    package var pingAfterQuiet: Duration = .seconds(5)
    /// If no answer is due and no data has been received for this time, a PING checks that the peer is alive.
    /// APNs allows a PING after about an hour of idleness.
    package var idlePing: Duration = .seconds(3600)
    /// The maximum time for the answer to a PING.
    package var pingTimeout: Duration = .seconds(10)
    /// The maximum time for which the socket may accept none of the waiting data. A PING would never detect a
    /// peer that sends but does not read. See ``TLSStream/Configuration/sendTimeout``.
    package var sendTimeout: Duration = .seconds(30)
    /// The maximum time that requests in flight have to finish after a GOAWAY or ``HTTP2Connection/drain()``.
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
    /// Limits on what the peer may send beyond ordinary answers.
    package var peerLimits = PeerLimits()

    /// The first of our stream ids, which are odd. Only tests need to start near the end, 2^31 - 1.
    package var firstStreamID: Int32 = 1

    package init() {}
}
