package import PushModel
internal import PushWire

/// The answer of a token endpoint (RFC 6749 §5): a token, or the reason why there is none.
package enum OAuthReply: Equatable, Sendable {
    case token(OAuthToken)
    /// The reason states the action that an operator can take, if one is known.
    /// - retryAfterSeconds: The delay before the next request, if the endpoint states one.
    case refused(Verdict, reason: String, retryAfterSeconds: Int32? = nil)

    /// - Parameters:
    ///   - body: The body, which may be incomplete or come from another server. If it is not JSON, the status
    ///     decides.
    ///   - retryAfter: The value of the header field.
    package init(status: Int, body: [UInt8], retryAfter: String? = nil, now: WallTime) {
        let answer = try? JSONParser.parse(body)
        if status == 200, let token = OAuthToken(answer) {
            self = .token(token)
            return
        }
        let wait = retryAfter.flatMap { RetryAfter($0, now: now) }?.seconds(from: now)
        var error = ""
        if status != 200, case .string(let text)? = answer?["error"] { error = FCMError.printable(text) }
        // A server error provides no information about the account, whatever its body contains.
        let row = (400..<500).contains(status) ? OAuthReasons.row(ofError: error) : nil
        let verdict = row?.verdict ?? OAuthReasons.verdict(ofStatus: status)
        var reason = error.isEmpty ? "\(FCMReasons.unknown) status \(status)" : error
        if status == 200 { reason += " without a usable token" }
        if let answer = OAuthReasons.table.answer(to: error) { reason += ": \(answer.note.shortAdvice)" }
        self = .refused(
            verdict.obeying(retryAfter: wait, least: FCMReasons.minimumRetrySeconds), reason: reason,
            retryAfterSeconds: wait)
    }

    /// The result if there is no answer, for whatever reason. No message was sent, so no message is
    /// undecided.
    package static func connectFailed(detail: String? = nil) -> OAuthReply {
        let row = OAuthReasons.connectFailed
        return .refused(row.verdict, reason: detail.map { "\(row.wire) \($0)" } ?? row.wire)
    }
}

/// An access token and its lifetime.
package struct OAuthToken: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    package let accessToken: String
    /// The lifetime from the time of the request; at least a minute.
    package let lifetimeSeconds: Int64

    /// The value of the `authorization` field.
    package var authorization: String { "Bearer \(accessToken)" }

    /// Does not contain secrets.
    package var description: String { "access token for \(lifetimeSeconds) s" }
    package var debugDescription: String { description }

    /// The lifetime that endpoints use today. This lifetime applies if an answer does not state one: RFC 6749
    /// only recommends that an answer state it.
    private static let usualLifetime: Int64 = 3_600

    /// - Returns: `nil` if the answer contains no token that can be sent.
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
