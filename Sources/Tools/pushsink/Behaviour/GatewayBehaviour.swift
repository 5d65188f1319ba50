/// Decides whether and how a gateway misbehaves.
///
/// The gateway consults its behaviours in order for every valid request. The first behaviour that returns an
/// answer decides. If no behaviour returns an answer, the request is accepted. Behaviours are independent of
/// TLS, HTTP/2 and APNs, so any gateway can use the same behaviour. ``RuleBook`` is a scripted behaviour.
package protocol GatewayBehaviour {
    /// Returns the action for this request; `nil` if the behaviour does not decide.
    mutating func answer(_ request: SinkRequest, at now: Instant) -> SinkAnswer?
}

extension [any GatewayBehaviour] {
    /// Returns the decision of the behaviours. If none decides, the request is accepted.
    mutating func behave(_ request: SinkRequest, at now: Instant) -> SinkAnswer {
        for index in indices {
            if let answer = self[index].answer(request, at: now) { return answer }
        }
        return .accept
    }
}

/// The parts of a request on which a behaviour can base its decision.
package struct SinkRequest {
    /// The device token as sent; for OAuth, the account's e-mail address.
    package var device: Bytes
    /// The number of the connection, counted from 1 in order of acceptance.
    package var connection: Int
    /// The request's number within the connection, as the protocol defines it (in HTTP/2, the stream).
    package var stream: Int32
    /// The API that the request is for.
    package var api: API

    package enum API: Equatable, Sendable { case apns, fcmV1, fcmLegacy, oauth, binary, custom }

    package init(device: Bytes, connection: Int, stream: Int32, api: API = .apns) {
        self.device = device
        self.connection = connection
        self.stream = stream
        self.api = api
    }
}

/// The gateway's action for a request.
package struct SinkAnswer: Equatable, Sendable {
    package enum Action: Equatable, Sendable {
        /// The gateway accepts the notification.
        case accept
        case reject(Rejection)
        /// The gateway never answers the request, as if the gateway had failed. The stream stays open.
        case silence
        /// The gateway sends RST_STREAM with REFUSED_STREAM, which means that the request was not processed.
        case refuse
        /// The gateway resets the TCP connection. Everything that the client has not received yet is lost,
        /// including answers.
        case reset
        /// The gateway ends the connection in an orderly way without GOAWAY, after the answers that it has
        /// already composed.
        case close
        /// The gateway sends a GOAWAY that names a stream in the middle of the waiting streams. Later streams
        /// are not processed. In the graceful form, the gateway first sends a GOAWAY with 2^31-1, and sends
        /// this GOAWAY when the client has shown that it received the first one (RFC 9113, section 6.8). The
        /// reason is sent as `{"reason":"…"}` in the debug data.
        case goAway(isGraceful: Bool = false, reason: String)
        /// The gateway continues to read from the connection, but no longer answers anything, including
        /// PINGs. It closes the connection after the given duration; `nil` means never. A firewall that has
        /// forgotten a connection has the same effect.
        case halfOpen(Instant.Span?)
        /// The gateway does not answer, but sends data that causes endless work for the client. From then on,
        /// the connection neither sends nor processes anything else.
        case flood(Flood)
        /// The gateway sends bytes that are not an answer, and then ends the connection. This is for framed
        /// protocols only. With HTTP, the gateway closes the connection without sending the bytes.
        case blurt(InvalidOutput)
    }

    /// The invalid output of the binary gateway.
    package enum InvalidOutput: String, Sendable {
        /// Bytes that are not a packet.
        case garbage
        /// The first three bytes of a packet.
        case halfPacket = "half-packet"
        /// A packet about an identifier that was never sent.
        case stranger
    }

    package var act: Action
    /// The time to wait before the action.
    package var delay: Instant.Span
    /// The number of streams to advertise from now on.
    package var streams: UInt32?
    /// The number of requests on the connection after which the previous number of streams applies again.
    package var streamsFor: Int?
    /// The number of bytes that the connection then sends one by one, a millisecond apart.
    package var drip: Int?
    /// The random fault that causes this action, if any. The fault is counted when it has occurred.
    package var fault: RandomFault?
    /// The damage to the answer's body.
    package var damage: HTTPReply.Damage?
    /// The token that the provider should store instead of the token in the request; for FCM's legacy API
    /// only.
    package var canonical: String?
    /// Whether the answer has one result fewer than the request has tokens; for FCM's legacy API only.
    package var isShort = false

    package init(_ act: Action, after delay: Instant.Span = .zero, advertising streams: UInt32? = nil) {
        self.act = act
        self.delay = delay
        self.streams = streams
    }

    package static let accept = SinkAnswer(.accept)
    static func reject(_ rejection: Rejection) -> SinkAnswer { SinkAnswer(.reject(rejection)) }
}

/// An answer with which the gateway rejects a request.
package struct Rejection: Equatable, Sendable {
    /// The HTTP status.
    package var status: Int
    package var reason: String
    /// The timestamp of a 410, in milliseconds since 1970; `nil` for the current time.
    package var timestamp: UInt64?
    /// The body; if it is `nil`, the gateway creates the body from status and reason.
    package var words: ErrorBody?
    package var retryAfter: RetryAfter?

    package struct ErrorBody: Equatable, Sendable {
        var content: HTTPReply.Content
        package var text: String
    }

    package init(status: Int, reason: String, timestamp: UInt64? = nil, words: ErrorBody? = nil) {
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
