package import PushModel
internal import PushWire

/// The answer of APNs to one request (Apple, "Handling notification responses from APNs"): a status and,
/// unless it is 200, a JSON body with a reason. Bodies that are truncated or do not come from APNs (such as a
/// relay's HTML page) are judged by the status.
package struct APNsReply: Equatable, Sendable {
    package private(set) var outcome: Outcome
    /// Whether the answer shows that the gateway accepts our credential. If so, the connection may use more
    /// than one stream.
    package let provesCredential: Bool
    /// The time at which the gateway detected that the token was dead; `nil` if the answer does not state it.
    /// A token that was registered again after that time is valid.
    package var tokenDeadSince: WallMoment? {
        if case .rejected(let verdict, _) = outcome { verdict.tokenDeadSince } else { nil }
    }

    /// - Parameters:
    ///   - body: The body, which may be incomplete.
    ///   - uniqueID: `apns-unique-id`, which the sandbox sends for its delivery log.
    package init(status: Int, body: [UInt8], uniqueID: String? = nil) {
        provesCredential = Self.provesCredential(status: status)
        guard status != 200 else {
            outcome = .accepted(providerID: uniqueID)
            return
        }
        let answer = try? JSONParser.parse(body)
        if case .string(let reason)? = answer?["reason"], !reason.isEmpty {
            if let row = APNsReasons.row(of: reason) {
                outcome = .rejected(row.verdict, reason: row.wire)
            } else {
                outcome = .rejected(
                    APNsReasons.verdict(ofStatus: status), reason: Self.printable(reason))
            }
        } else {
            outcome = .rejected(APNsReasons.verdict(ofStatus: status), reason: Self.unknown(status: status))
        }
        if case .integer(let milliseconds)? = answer?["timestamp"], milliseconds > 0,
            case .rejected(var verdict, let reason) = outcome, verdict.scope == .token
        {
            verdict.tokenDeadSince = WallMoment(millisecondsSince1970: milliseconds)
            outcome = .rejected(verdict, reason: reason)
        }
    }

    /// Reports whether a status proves the credential. With 200, 400 and 410 the gateway has examined the
    /// message, which it does only after accepting the credential.
    package static func provesCredential(status: Int) -> Bool {
        status == 200 || status == 400 || status == 410
    }

    // MARK: What happens instead of an answer

    /// The ways in which a request ends without an answer.
    package enum Failure: String, Sendable, CaseIterable {
        /// The connection was lost, or the answer did not arrive in time, after the request had been passed
        /// to the connection.
        case connectionLost = "(connection lost)"
        case connectFailed = "(connect failed)"
        /// The stream's number was above the last stream in GOAWAY, the stream was refused, or the request
        /// was never passed to the connection.
        case streamRefused = "(stream refused by GOAWAY)"
        case credentialFailure = "(TLS or credential failure)"
    }

    /// - Parameter detail: Additional information, such as "no answer in 30 s", which is appended to the
    ///   reason.
    package static func outcome(of failure: Failure, detail: String? = nil) -> Outcome {
        let reason = detail.map { "\(failure.rawValue) \($0)" } ?? failure.rawValue
        // The table has a row for each of the four cases. A test verifies this.
        let verdict = APNsReasons.row(of: failure.rawValue)?.verdict ?? APNsReasons.verdict(ofStatus: 500)
        return failure == .connectionLost
            ? .undecided(verdict, reason: reason) : .neverSent(verdict, reason: reason)
    }

    /// Returns the reason in the debug data of a GOAWAY, and what the reason means for the account; `nil` if
    /// the debug data contains no reason. A GOAWAY concerns the connection as a whole.
    package static func goAway(debugData: [UInt8]) -> (reason: String, verdict: Verdict?)? {
        guard case .string(let reason)? = (try? JSONParser.parse(debugData))?["reason"], !reason.isEmpty
        else {
            return nil
        }
        if let row = APNsReasons.row(of: reason) { return (row.wire, row.verdict) }
        return (printable(reason), nil)
    }

    // MARK: Reasons that are not in the table

    private static func unknown(status: Int) -> String { "\(APNsReasons.unknown) status \(status)" }

    /// The text is written to logs and to the store, so it must be printable.
    private static func printable(_ reason: String) -> String { reason.printable(atMost: 64) }
}
