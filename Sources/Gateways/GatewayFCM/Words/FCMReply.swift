package import PushModel
internal import PushWire

/// What FCM answered to one request over HTTP v1 (facts: FCM, errors): 200 with the message's name, or an
/// `error` with details. The FcmError detail rules, then google.rpc's status, then HTTP's. Bodies that are
/// cut, or are not FCM's at all (a relay's HTML page), are judged by the status.
///
/// **Promises.** Only an answer that speaks of a token is taken for a token's: a bare 403 or 404 touches none, and
/// stops the account only when another token gets the same. A 200 whose body is a yes that was cut is a yes: Google sends 200 for accepted messages
/// only, and the body has nothing but the message's name. Any other 200, such as a proxy's page, is undecided, and
/// the message goes once more at most, because the device may have it.
package struct FCMReply: Equatable, Sendable {
    /// What a quota is of. The project's concerns everybody, the device's this message.
    package enum Quota: Equatable, Sendable {
        case project, device, topic
    }

    /// Where the gateway says how long to wait, its verdict's delay is that.
    package let outcome: Outcome
    /// Whether the answer shows that the gateway accepts our credential.
    package let provesCredential: Bool
    /// Whether it shows that our OAuth token expired: a new one, and the message once more.
    package let wantsNewToken: Bool
    /// Of which quota too much was used, where the answer is about one and says so.
    package let quota: Quota?
    /// Seconds to wait, where the gateway says.
    package let retryAfterSeconds: Int32?
    /// The path of the field that the gateway found invalid, such as `message.data`, where it names one.
    package let violatedField: String?

    /// - Parameters:
    ///   - body: need not be complete.
    ///   - retryAfter: the header field's value.
    ///   - challenge: the value of `www-authenticate`: why a credential is refused.
    ///   - now: tells what its date means in seconds.
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
                isChallenged && !$0.isEmpty ? "\(word): \(GatewayWords.challenge($0))" : word
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

    /// The last part of `projects/…/messages/…`.
    private static func messageID(of answer: JSONValue?) -> String? {
        guard case .string(let name)? = answer?["name"],
            let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")),
            name.utf8.contains(where: { $0 != UInt8(ascii: "/") })
        else { return nil }
        let id = FCMError.printable(String(name[name.utf8.index(after: slash)...]))
        return id.isEmpty ? nil : id
    }

    /// Whether what came of the body is how `{"name":"projects/…` begins.
    private static func isCutYes(_ body: [UInt8]) -> Bool {
        let start = Array(#"{"name":"projects/"#.utf8)
        let received = body.lazy.filter { $0 > 0x20 }.prefix(start.count)
        return !received.isEmpty && start.starts(with: received)
    }

    /// Whether a 200 is the usual yes, `{"name":"projects/…/messages/…"}` in whatever spacing, without an
    /// allocation: for the hot path, which has no use for the name. What is not recognised goes to
    /// ``init(status:body:retryAfter:now:)``.
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
        // Unsafe for speed: once per message. Every index is compared with the buffer's end first.
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

    /// Ends of a request without an answer.
    package enum Trouble: String, Sendable, CaseIterable {
        /// The connection went, or the answer did not come in time, after the request had been handed to it.
        case noAnswer = "(no answer)"
        /// Never handed to a connection, or refused by it unread (above GOAWAY's last stream,
        /// REFUSED_STREAM).
        case connectFailed = "(connect failed)"
    }

    /// - Parameter detail: what more is known, such as "no answer in 30 s"; it joins the reason.
    package static func outcome(of trouble: Trouble, detail: String? = nil) -> Outcome {
        let reason = detail.map { "\(trouble.rawValue) \($0)" } ?? trouble.rawValue
        return switch trouble {
        case .noAnswer: .undecided(FCMReasons.noAnswer.verdict, reason: reason)
        case .connectFailed: .neverSent(FCMReasons.connectFailed.verdict, reason: reason)
        }
    }
}
