package import PushModel
package import PushWire

/// A message to FCM over HTTP v1 (Firebase, `projects.messages.send`): `POST
/// /v1/projects/<project>/messages:send` with the body that `PayloadTemplate.android` renders.
///
/// All requests of an account have the same header fields. Everything that differs, including the device's
/// token, is in the body.
package enum FCMRequest {
    package static let host = "fcm.googleapis.com"
    /// Four weeks: the maximum and default time for which FCM keeps a message for a device that is offline.
    package static let maximumSecondsToLive: Int64 = 2_419_200

    package static func path(project: String) -> String { "/v1/projects/\(project)/messages:send" }

    /// Returns the fields of every request, pseudo-header fields first.
    ///
    /// - Parameters:
    ///   - authority: The host, followed by the port if it is not 443.
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

    /// Returns the value of `ttl` and `time_to_live`: the remaining validity, limited to the range that FCM
    /// accepts. 0 means "now or never".
    @inlinable
    package static func secondsToLive(until expiry: WallTime, now: WallTime) -> Int64 {
        let (left, overflow) = expiry.secondsSince1970.subtractingReportingOverflow(now.secondsSince1970)
        if overflow { return expiry > now ? maximumSecondsToLive : 0 }
        return min(max(left, 0), maximumSecondsToLive)
    }

    /// Returns the body of a message that the gateway checks but does not deliver. It tests whether the
    /// gateway accepts the credential and knows the project. If both are valid and the token is invalid (as
    /// the default is), the gateway answers INVALID_ARGUMENT for the token.
    package static func validationBody(token: String = "connection-test") -> [UInt8] {
        var writer = DocumentWriter()
        writer.object { root in
            root.flag("validate_only", true)
            root.object("message") { $0.string("token", token) }
        }
        return writer.bytes
    }
}
