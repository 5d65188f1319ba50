package import PushModel
internal import PushWire

/// The answer of the legacy interface to one request: a result for each registration id, in the order of the
/// request (facts: FCM, legacy HTTP API).
///
/// **Promises.** There are as many results as ids. The following are undecided: ids after the last result,
/// ids whose result is neither a success nor an error, all ids if the body is truncated, and all ids if there
/// are more results than ids, because the results then cannot be in the order of the ids.
package struct FCMLegacyReply: Equatable, Sendable {
    package struct Result: Equatable, Sendable {
        package var outcome: Outcome
        /// The token that replaces the token in the request.
        package var canonicalToken: String?
    }

    package let results: [Result]
    /// Whether the answer shows that the gateway accepts our key.
    package let provesCredential: Bool
    /// The problem that the answer as a whole reports for the account; `nil` if there is none. The problem is
    /// also the outcome of every id.
    package let accountFailure: Outcome?
    /// The number of seconds to wait, if the gateway states it.
    package let retryAfterSeconds: Int32?

    /// - Parameters:
    ///   - body: The body, which may be incomplete.
    ///   - count: The number of ids in the request.
    ///   - retryAfter: The value of the header field.
    package init(status: Int, body: [UInt8], count: Int, retryAfter: String? = nil, now: WallTime) {
        let wait = retryAfter.flatMap { RetryAfter($0, now: now) }?.seconds(from: now)
        retryAfterSeconds = wait
        provesCredential = status == 200 || status == 400
        guard status == 200 else {
            let (verdict, reason) = Self.judged(status: status)
            let outcome = Outcome.rejected(
                verdict.obeying(retryAfter: wait, least: FCMReasons.minimumRetrySeconds), reason: reason)
            accountFailure = verdict.scope == .account ? outcome : nil
            results = Array(repeating: Result(outcome: outcome), count: max(count, 0))
            return
        }
        accountFailure = nil
        var results: [Result] = []
        if case .array(let elements)? = (try? JSONParser.parse(body))?["results"], elements.count <= count {
            results = elements.map { Self.result($0, wait: wait) }
        }
        let undecided = Self.undecided("status 200 without a result")
        self.results = results + Array(repeating: undecided, count: max(count - results.count, 0))
    }

    private static func result(_ element: JSONValue, wait: Int32?) -> Result {
        if case .string(let error)? = element["error"], !error.isEmpty {
            let row = FCMLegacyReasons.row(ofError: error) ?? FCMLegacyReasons.unknownError
            let text = row == FCMLegacyReasons.unknownError ? FCMError.printable(error) : row.wire
            return Result(
                outcome: .rejected(
                    row.verdict.obeying(retryAfter: wait, least: FCMReasons.minimumRetrySeconds),
                    reason: text.isEmpty ? row.wire : text))
        }
        let id: String
        switch element["message_id"] {
        case .string(let text)? where !text.isEmpty: id = FCMError.printable(text)
        case .integer(let number)?: id = String(number)
        default: return undecided("status 200 without a result")
        }
        var canonical: String?
        if case .string(let token)? = element["registration_id"] {
            canonical = DeviceToken.canonical(token, for: .android)
        }
        return Result(outcome: .accepted(providerID: id.isEmpty ? nil : id), canonicalToken: canonical)
    }

    private static func judged(status: Int) -> (Verdict, reason: String) {
        let unlisted = "\(FCMReasons.unknown) status \(status)"
        return switch status {
        case 401: (FCMLegacyReasons.authentication.verdict, FCMLegacyReasons.authentication.wire)
        // The proxy refuses the credential that we send to it, and every request sends the same credential.
        case 407: (FCMLegacyReasons.authentication.verdict, unlisted)
        case 403, 404, 405, 410: (FCMLegacyReasons.unknownAddress.verdict, unlisted)
        // The request is not at fault: there were too many requests, or a time-out.
        case 408, 429: (FCMLegacyReasons.unknownServerError.verdict, unlisted)
        case 400: (FCMLegacyReasons.invalidParameters.verdict, FCMLegacyReasons.invalidParameters.wire)
        case 401..<500: (FCMLegacyReasons.invalidParameters.verdict, unlisted)
        default: (FCMLegacyReasons.unknownServerError.verdict, unlisted)
        }
    }

    private static func undecided(_ detail: String) -> Result {
        Result(
            outcome: .undecided(
                FCMReasons.unclearYes.verdict, reason: "\(FCMReasons.unclearYes.wire) \(detail)"))
    }

    /// Returns the outcome for each message of a request without an answer. The table has no row for a
    /// request that was never sent; the messages of such a request go back as if they had never been granted,
    /// as with HTTP v1.
    package static func outcome(of failure: FCMReply.Failure, detail: String? = nil) -> Outcome {
        switch failure {
        case .connectFailed: FCMReply.outcome(of: failure, detail: detail)
        case .noAnswer:
            .undecided(
                FCMLegacyReasons.noAnswer.verdict,
                reason: detail.map { "\(failure.rawValue) \($0)" } ?? failure.rawValue)
        }
    }
}
