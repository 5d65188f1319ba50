/// How a gateway misbehaves, or does not.
///
/// The gateway asks its behaviours in order about every request that is valid; the first that has an opinion
/// decides, and where none has one the request is accepted. A behaviour knows nothing of TLS, HTTP/2 or APNs:
/// the same one serves any gateway. ``RuleBook`` is the scripted one.
package protocol GatewayBehaviour {
    /// What is to happen to this request; nil: no opinion.
    mutating func answer(_ request: SinkRequest, at now: Instant) -> SinkAnswer?
}

extension [any GatewayBehaviour] {
    /// What the behaviours say; no opinion is consent.
    mutating func behave(_ request: SinkRequest, at now: Instant) -> SinkAnswer {
        for index in indices {
            if let answer = self[index].answer(request, at: now) { return answer }
        }
        return .accept
    }
}

/// As much of a request as a behaviour may go by.
package struct SinkRequest {
    /// The device token as sent; for OAuth the account's e-mail address.
    package var device: Bytes
    /// Connections are counted from 1 in the order in which they were accepted.
    package var connection: Int
    /// The request's number within the connection, as the protocol has it (HTTP/2: the stream).
    package var stream: Int32
    /// Whom it is for.
    package var api: API

    package enum API: Equatable, Sendable { case apns, fcmV1, fcmLegacy, oauth, binary, custom }

    package init(device: Bytes, connection: Int, stream: Int32, api: API = .apns) {
        self.device = device
        self.connection = connection
        self.stream = stream
        self.api = api
    }
}

/// What happens to a request.
package struct SinkAnswer: Equatable, Sendable {
    package enum Act: Equatable, Sendable {
        /// The gateway takes the notification.
        case accept
        case reject(Rejection)
        /// Never answered, as by a gateway that dies: the stream stays open.
        case silence
        /// RST_STREAM with REFUSED_STREAM: not processed, says the protocol.
        case refuse
        /// A TCP reset: whatever was not yet received is lost, answers included.
        case reset
        /// An orderly end of the connection without GOAWAY, after what was already answered.
        case close
        /// One GOAWAY that names a stream in the middle of those that wait: the later ones are not processed.
        /// Graceful: first GOAWAY with 2^31-1, then, once the peer has shown that it saw it (RFC 9113 section
        /// 6.8), the real one. The reason goes out as `{"reason":"…"}` in the debug data.
        case goAway(isGraceful: Bool = false, reason: String)
        /// The connection reads on and neither answers nor ends any more, PINGs included; after so long it is
        /// closed, nil: never. What a firewall does that has forgotten it.
        case halfOpen(Instant.Span?)
        /// No answer, but work for the client without end; nothing else is said or heard on the connection
        /// any more.
        case flood(Flood)
        /// Bytes that are no answer, then the end; only where there are frames. HTTP closes without them.
        case blurt(Blurt)
    }

    /// What the binary gateway says when it is not itself.
    package enum Blurt: String, Sendable {
        /// Bytes that are no packet.
        case garbage
        /// The first three bytes of one.
        case halfPacket = "half-packet"
        /// One about an identifier that was never sent.
        case stranger
    }

    package var act: Act
    /// How long to wait first.
    package var delay: Instant.Span
    /// Advertise this many streams from now on.
    package var streams: UInt32?
    /// Only for so many requests of the connection, then as many as before.
    package var streamsFor: Int?
    /// So many bytes of the connection go out one by one, a millisecond apart.
    package var drip: Int?
    /// Who is behind it, where it is a random fault; counted once it has come to pass.
    package var fault: RandomFault?
    /// What happens to the answer's body.
    package var damage: HTTPReply.Damage?
    /// FCM's legacy API: the token that the provider should store instead.
    package var canonical: String?
    /// FCM's legacy API: one result less than there were tokens.
    package var isShort = false

    package init(_ act: Act, after delay: Instant.Span = .zero, advertising streams: UInt32? = nil) {
        self.act = act
        self.delay = delay
        self.streams = streams
    }

    package static let accept = SinkAnswer(.accept)
    static func reject(_ rejection: Rejection) -> SinkAnswer { SinkAnswer(.reject(rejection)) }
}

/// The gateway says no.
package struct Rejection: Equatable, Sendable {
    /// The HTTP status.
    package var status: Int
    package var reason: String
    /// Milliseconds since 1970, for a 410; nil: now.
    package var timestamp: UInt64?
    /// The body; nil: the gateway words it from status and reason.
    package var words: Words?
    package var retryAfter: RetryAfter?

    package struct Words: Equatable, Sendable {
        var content: HTTPReply.Content
        package var text: String
    }

    package init(status: Int, reason: String, timestamp: UInt64? = nil, words: Words? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.words = words
    }

    func retried(after time: RetryAfter) -> Rejection {
        var rejection = self
        rejection.retryAfter = time
        return rejection
    }
}
