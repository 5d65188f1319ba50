package import PushModel
internal import PushWire

/// What a token endpoint answered (RFC 6749 §5): a token, or why there is none.
package enum OAuthReply: Equatable, Sendable {
    case token(OAuthToken)
    /// The reason says what an operator can do about it, where that is known.
    /// - retryAfterSeconds: where the endpoint says when to ask again.
    case refused(Verdict, reason: String, retryAfterSeconds: Int32? = nil)

    /// - Parameters:
    ///   - body: need not be complete, nor the endpoint's own: what is not JSON is judged by the status.
    ///   - retryAfter: the header field's value.
    package init(status: Int, body: [UInt8], retryAfter: String? = nil, now: WallTime) {
        let answer = try? JSONParser.parse(body)
        if status == 200, let token = OAuthToken(answer) {
            self = .token(token)
            return
        }
        let wait = retryAfter.flatMap { RetryAfter($0, now: now) }?.seconds(from: now)
        var error = ""
        if status != 200, case .string(let text)? = answer?["error"] { error = FCMError.printable(text) }
        // A server that is in trouble says nothing about the account, whatever its words.
        let row = (400..<500).contains(status) ? OAuthReasons.row(ofError: error) : nil
        let verdict = row?.verdict ?? OAuthReasons.verdict(ofStatus: status)
        var reason = error.isEmpty ? "\(FCMReasons.unknown) status \(status)" : error
        if status == 200 { reason += " without a usable token" }
        if let advice = OAuthReasons.advice(for: error) { reason += ": \(advice)" }
        self = .refused(
            verdict.obeying(retryAfter: wait, least: FCMReasons.minimumRetrySeconds), reason: reason,
            retryAfterSeconds: wait)
    }

    /// No answer, for whatever reason: no message was sent, so none is in doubt.
    package static func connectFailed(detail: String? = nil) -> OAuthReply {
        let row = OAuthReasons.connectFailed
        return .refused(row.verdict, reason: detail.map { "\(row.wire) \($0)" } ?? row.wire)
    }
}

/// An access token and how long it works.
package struct OAuthToken: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    package let accessToken: String
    /// From when it was asked for; at least a minute.
    package let lifetimeSeconds: Int64

    /// The value of the `authorization` field.
    package var authorization: String { "Bearer \(accessToken)" }

    /// Secrets do not print.
    package var description: String { "access token for \(lifetimeSeconds) s" }
    package var debugDescription: String { description }

    /// What endpoints give today, where one does not say (RFC 6749 only recommends it).
    private static let usualLifetime: Int64 = 3_600

    /// - Returns: nil where the answer holds no token that could be sent.
    init?(_ answer: JSONValue?) {
        guard case .string(let token)? = answer?["access_token"], (1...8_192).contains(token.utf8.count),
            token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        if let type = answer?["token_type"] {
            guard case .string(let text) = type, text.lowercased() == "bearer" else { return nil }
        }
        let seconds: Int64 =
            switch answer?["expires_in"] {
            case .integer(let seconds): seconds
            case .real(let seconds): Int64(min(max(seconds, 0), 86_400))
            default: Self.usualLifetime
            }
        accessToken = token
        lifetimeSeconds = min(max(seconds, 60), 86_400)
    }
}
