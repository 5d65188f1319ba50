package import PushModel
package import PushWire

/// A message to FCM over HTTP v1 (Firebase, `projects.messages.send`): `POST
/// /v1/projects/<project>/messages:send` with the body that `PayloadTemplate.android` renders.
///
/// All header fields of an account's requests are the same; what differs, the device's token included, is in
/// the body.
package enum FCMRequest {
    package static let host = "fcm.googleapis.com"
    /// Four weeks, the longest that FCM keeps a message for a device that is away, and its default.
    package static let maximumSecondsToLive: Int64 = 2_419_200

    package static func path(project: String) -> String { "/v1/projects/\(project)/messages:send" }

    /// The fields of every request, pseudo-header fields first.
    ///
    /// - Parameters:
    ///   - authority: host, and port where it is not 443.
    ///   - authorization: ``OAuthToken/authorization``
    package static func constantFields(authority: String, project: String, authorization: String)
        -> [HeaderField]
    {
        [
            HeaderField(name: ":method", value: "POST"),
            HeaderField(name: ":scheme", value: "https"),
            HeaderField(name: ":authority", value: authority),
            HeaderField(name: ":path", value: path(project: project)),
            HeaderField(name: "content-type", value: "application/json"),
            HeaderField(name: "authorization", value: authorization, isSecret: true),
        ]
    }

    /// What `ttl` and `time_to_live` say: what is left of the validity, within what FCM takes. 0 is "now or
    /// never".
    @inlinable
    package static func secondsToLive(until expiry: WallTime, now: WallTime) -> Int64 {
        let (left, overflow) = expiry.secondsSince1970.subtractingReportingOverflow(now.secondsSince1970)
        if overflow { return expiry > now ? maximumSecondsToLive : 0 }
        return min(max(left, 0), maximumSecondsToLive)
    }

    /// A message that is checked and never sent: whether the gateway accepts the credential and knows the
    /// project. To a token that is none (the default) a working account answers INVALID_ARGUMENT for the
    /// token.
    package static func validationBody(token: String = "connection-test") -> [UInt8] {
        var writer = DocumentWriter()
        writer.object { root in
            root.flag("validate_only", true)
            root.object("message") { $0.string("token", token) }
        }
        return writer.bytes
    }
}
