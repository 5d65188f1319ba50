import PushModel

/// Everything that a token endpoint answers instead of a token, or that happens instead, with what it means
/// for the account whose messages wait: one row each. See ``PushModel/Verdict`` for the columns.
///
/// No message has been sent, so none of them counts.
package enum OAuthReasons {
    package typealias Status = FCMReasons.Status
    package typealias Row = FCMReasons.Row

    package static let connectFailed = row("(connect failed)", .none, .later)
    package static let unknownServerError = row(FCMReasons.unknown, .anyServerError, .later)

    package static let rows: [Row] = [
        connectFailed, unknownServerError,
        // Wrong method, scope or audience too.
        row("unauthorized_client", .none, .accountStops),
        row("access_denied", .none, .accountStops),
        // E-mail, key or signature; also a clock that is wrong.
        row("invalid_grant", .none, .accountStops),
        row("disabled_client", .none, .accountStops),
    ]

    /// The row of an `error` that the table lists.
    static func row(ofError error: String) -> Row? {
        rows.first { $0.wire == error && !$0.wire.hasPrefix("(") }
    }

    /// What an answer means that is neither a token nor an error of the list: below 500 nothing changes until
    /// somebody changes something, unless it was too much or too slow; else it is the server's trouble.
    static func verdict(ofStatus status: Int) -> Verdict {
        (400..<500).contains(status) && status != 408 && status != 429 ? .accountStops : .later
    }

    /// What an operator can do about an error; nil where nobody knows.
    package static func advice(for error: String) -> String? {
        switch error {
        case "invalid_grant":
            "check this machine's clock; then whether the service account's key still exists in Google's console"
        case "unauthorized_client", "access_denied", "invalid_scope":
            "let the service account send messages (role Firebase Cloud Messaging API Admin)"
        case "disabled_client": "enable the service account in Google's console"
        case "invalid_client": "the service account was deleted; make a new one and give the app its key"
        default: nil
        }
    }

    private static func row(_ wire: String, _ status: Status, _ verdict: Verdict) -> Row {
        Row(wire: wire, status: status, verdict: verdict)
    }
}

/// The verdicts that occur in the table.
extension Verdict {
    fileprivate static let later = Verdict(
        scope: .transient, schedule: .soon, minimumDelaySeconds: 10, countsAttempt: false,
        failureType: .ignored, failureReason: .refused, quarantine: .no)
    fileprivate static let accountStops = Verdict(
        scope: .account, schedule: .hold, countsAttempt: false,
        failureType: .ignored, failureReason: .refused, quarantine: .no)
}
