package import PushModel
internal import PushWire

/// The answer of FCM to one request over HTTP v1 (facts: FCM, errors): 200 with the message's name, or an
/// `error` with details. The FcmError detail takes precedence, then google.rpc's status, then HTTP's. Bodies
/// that are truncated or do not come from FCM (such as a relay's HTML page) are judged by the status.
///
/// **Promises.** Only an answer that mentions a token affects a token: a 403 or 404 without details does not
/// affect a token, and stops the account only if another token gets the same answer. A 200 with a truncated
/// success body counts as a success, because Google sends 200 for accepted messages only, and the body
/// contains nothing but the message's name. Any other 200, such as a proxy's page, is undecided, and the
/// message is sent at most once more, because the device may have it.
package struct FCMReply: Equatable, Sendable {
    /// The object to which a quota applies. The project's quota concerns all messages. The device's quota
    /// concerns only this message.
    package enum Quota: Equatable, Sendable {
        case project, device, topic
    }

    /// The outcome of the message. If the gateway states how long to wait, the verdict's delay is this time.
    package let outcome: Outcome
    /// Whether the answer shows that the gateway accepts our credential.
    package let provesCredential: Bool
    /// Whether the answer shows that our OAuth token expired, so that a new token is needed and the message
    /// is sent again.
    package let wantsNewToken: Bool
    /// The quota that was exceeded, if the answer names it.
    package let quota: Quota?
    /// The number of seconds to wait, if the gateway states it.
    package let retryAfterSeconds: Int32?
    /// The path of the field that the gateway found invalid, such as `message.data`; `nil` if the answer does
    /// not name a field.
    package let violatedField: String?

    /// - Parameters:
    ///   - body: The body, which may be incomplete.
    ///   - retryAfter: The value of the header field.
    ///   - challenge: The value of `www-authenticate`, which explains why a credential is refused.
    ///   - now: Used to convert the date in `retryAfter` to seconds.
    package init(
        status: Int, body: [UInt8], retryAfter: String? = nil, challenge: String? = nil, now: WallTime
    ) {
        retryAfterSeconds = retryAfter.flatMap { RetryAfter($0, now: now) }?.seconds(from: now)
        let answer = try? JSONParser.parse(body)
        let error = FCMError(answer)
        violatedField = error.violations.lazy.compactMap(\.field).first.map(FCMError.printable)
        guard status != 200 else {
            provesCredential = true
            wantsNewToken = false
            quota = nil
            outcome =
                if let id = Self.messageID(of: answer) {
                    .accepted(providerID: id)
                } else if answer == nil, Self.isCutYes(body) {
                    .accepted(providerID: nil)
                } else {
                    .undecided(
                        FCMReasons.unclearYes.verdict,
                        reason: "\(FCMReasons.unclearYes.wire) status 200 without a message")
                }
            return
        }
        let (row, word) = error.judged(status: status)
        let isChallenged = row.verdict.scope == .account && status == 401
        let reason =
            challenge.map {
                isChallenged && !$0.isEmpty ? "\(word): \(ReasonText.challenge($0))" : word
            } ?? word
        provesCredential =
            status == 400
            || error.code != nil && row != FCMReasons.thirdParty && row != FCMReasons.unauthenticated
        wantsNewToken = row == FCMReasons.unauthenticated
        quota = row == FCMReasons.quota ? error.quota : nil
        outcome = .rejected(
            row.verdict.obeying(
                retryAfter: retryAfterSeconds, least: FCMReasons.minimumRetrySeconds,
                isOfDevice: quota == .device),
            reason: reason)
    }

    /// Returns the last part of `projects/…/messages/…`.
    private static func messageID(of answer: JSONValue?) -> String? {
        guard case .string(let name)? = answer?["name"],
            let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")),
            name.utf8.contains(where: { $0 != UInt8(ascii: "/") })
        else { return nil }
        let id = FCMError.printable(String(name[name.utf8.index(after: slash)...]))
        return id.isEmpty ? nil : id
    }

    /// Reports whether the received part of the body is the beginning of `{"name":"projects/…`.
    private static func isCutYes(_ body: [UInt8]) -> Bool {
        let start = Array(#"{"name":"projects/"#.utf8)
        let received = body.lazy.filter { $0 > 0x20 }.prefix(start.count)
        return !received.isEmpty && start.starts(with: received)
    }

    /// Reports whether a 200 is the usual success, `{"name":"projects/…/messages/…"}` with any spacing,
    /// without an allocation. This function is for the hot path, which does not need the name. Bodies that
    /// are not recognised are passed to ``init(status:body:retryAfter:now:)``.
    @unsafe package static func isPlainYes(_ body: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        func skipSpace() {
            while position < body.count {
                let byte = unsafe body[position]
                guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
                position += 1
            }
        }
        func take(_ text: StaticString) -> Bool {
            let bytes = unsafe UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            guard body.count - position >= bytes.count else { return false }
            for index in 0..<bytes.count where unsafe bytes[index] != body[position + index] { return false }
            position += bytes.count
            return true
        }
        // Unsafe for speed, because this runs once per message. Every index is compared with the buffer's end
        // first.
        skipSpace()
        guard take("{") else { return false }
        skipSpace()
        guard take("\"name\"") else { return false }
        skipSpace()
        guard take(":") else { return false }
        skipSpace()
        guard take("\"projects/") else { return false }
        var lastSlash = position - 1
        while position < body.count, unsafe body[position] != UInt8(ascii: "\"") {
            let byte = unsafe body[position]
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return false }
            if byte == UInt8(ascii: "/") { lastSlash = position }
            position += 1
        }
        guard lastSlash + 1 < position, take("\"") else { return false }
        skipSpace()
        guard take("}") else { return false }
        skipSpace()
        return position == body.count
    }

    // MARK: What happens instead of an answer

    /// The ways in which a request ends without an answer.
    package enum Failure: String, Sendable, CaseIterable {
        /// The connection was lost, or the answer did not arrive in time, after the request had been passed
        /// to the connection.
        case noAnswer = "(no answer)"
        /// The request was never passed to a connection, or the peer refused it unread: it sent
        /// REFUSED_STREAM, or a GOAWAY whose last stream is below the request's stream.
        case connectFailed = "(connect failed)"
    }

    /// - Parameter detail: Additional information, such as "no answer in 30 s", which is appended to the
    ///   reason.
    package static func outcome(of failure: Failure, detail: String? = nil) -> Outcome {
        let reason = detail.map { "\(failure.rawValue) \($0)" } ?? failure.rawValue
        return switch failure {
        case .noAnswer: .undecided(FCMReasons.noAnswer.verdict, reason: reason)
        case .connectFailed: .neverSent(FCMReasons.connectFailed.verdict, reason: reason)
        }
    }
}
