/// How an ``HTTP2Connection`` behaves. Defaults suit APNs.
package struct HTTP2Configuration: Sendable, Equatable {
    /// `1`: one request at a time until ``HTTP2Connection/widen()``: what APNs asks for before a token is
    /// proven. `nil`: what the peer's SETTINGS say from the start.
    package var initialStreams: Int?
    /// Requests in flight at most, whatever the peer would allow.
    package var maximumStreams = 1000
    /// A request's variable header values and its body must fit in this many bytes: 5120 for the largest
    /// APNs payload, the rest for a path with a device token, and ids. Only a request that cannot be framed
    /// at once keeps so much memory.
    package var slotBytes = 6144
    /// From the first packet to the peer's SETTINGS: name lookup, proxy, TCP, TLS and HTTP/2 greeting
    /// together.
    package var connectTimeout: Duration = .seconds(10)
    /// From submission to the end of the answer.
    package var requestTimeout: Duration = .seconds(30)
    /// While answers are due and nothing was heard for this long, ask with a PING whether the peer is there.
    package var pingAfterQuiet: Duration = .seconds(5)
    /// With nothing due. APNs allows a PING after about an hour of idleness.
    package var idlePing: Duration = .seconds(3600)
    /// How long the answer to a PING may take.
    package var pingTimeout: Duration = .seconds(10)
    /// How long the socket may take nothing of what waits to be sent: a peer that sends but does not read is
    /// heard, and would never be found out by a PING. See ``TLSStream/Configuration/sendTimeout``.
    package var sendTimeout: Duration = .seconds(30)
    /// How long requests that a GOAWAY (or ``HTTP2Connection/drain()``) lets finish may take.
    package var drainTimeout: Duration = .seconds(30)
    /// SO_SNDBUF in bytes; `nil` leaves it to the kernel, which tunes it.
    package var socketSendBuffer: Int?
    /// Response header names, lower case, that answers shall carry; at most 8. See ``ResponseFields``.
    package var wantedHeaders: [String] = []
    /// Bytes of a response body that are kept; what is beyond is dropped. At most 8192.
    package var maximumKeptBody = 8192
    /// Whether a request's secrets may enter HPACK's table, which the peer keeps as long as the connection
    /// lasts. A bearer token is most of a request's header, and a connection has one credential.
    package var indexesSecrets = true
    /// What the peer may send beside answers.
    package var peerLimits = PeerLimits()

    /// Where our stream ids begin: odd. Only a test has a reason to begin near the end, 2^31 - 1.
    package var firstStreamID: Int32 = 1

    package init() {}
}
