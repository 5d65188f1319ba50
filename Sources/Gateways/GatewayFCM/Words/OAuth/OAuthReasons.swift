import PushModel

/// All answers of a token endpoint without a token and all events that replace an answer, with their meaning
/// for the account whose messages wait, one row each. See ``PushModel/Verdict`` for the columns.
///
/// No message was sent, so none of these counts as an attempt.
package enum OAuthReasons {
    package typealias Status = FCMReasons.Status
    package typealias Row = FCMReasons.Row

    package static let connectFailed = row("(connect failed)", .none, .later)
    package static let unknownServerError = row(FCMReasons.unknown, .anyServerError, .later)

    package static let rows: [Row] = [
        connectFailed, unknownServerError,
        // Also for a wrong method, scope or audience.
        row("unauthorized_client", .none, .accountStops),
        row("access_denied", .none, .accountStops),
        // A wrong e-mail address, key or signature, or a wrong clock.
        row("invalid_grant", .none, .accountStops),
        row("disabled_client", .none, .accountStops),
    ]

    /// Returns the row of an `error` that is in the table.
    static func row(ofError error: String) -> Row? {
        rows.first { $0.wire == error && !$0.wire.hasPrefix("(") }
    }

    /// Returns the verdict for an answer that is neither a token nor an error of the table. With a 4xx
    /// status, the problem lasts until an operator changes something, except for a timeout or too many
    /// requests. Everything else is a server error.
    static func verdict(ofStatus status: Int) -> Verdict {
        (400..<500).contains(status) && status != 408 && status != 429 ? .accountStops : .later
    }

    /// Returns the action that an operator can take for an error; `nil` if none is known.
    package static func advice(for error: String) -> String? {
        switch error {
        case "invalid_grant":
            "check this machine's clock, then check in Google's console whether the service account's key still exists"
        case "unauthorized_client", "access_denied", "invalid_scope":
            "allow the service account to send messages (role Firebase Cloud Messaging API Admin)"
        case "disabled_client": "enable the service account in Google's console"
        case "invalid_client":
            "the service account was deleted; create a new one and import its key for the app"
        default: nil
        }
    }

    private static func row(_ wire: String, _ status: Status, _ verdict: Verdict) -> Row {
        Row(wire: wire, status: status, verdict: verdict)
    }
}

/// The verdicts of the table.
extension Verdict {
    fileprivate static let later = Verdict(
        scope: .transient, schedule: .soon, minimumDelaySeconds: 10, countsAttempt: false,
        failureType: .ignored, failureReason: .refused, quarantine: .no)
    fileprivate static let accountStops = Verdict(
        scope: .account, schedule: .hold, countsAttempt: false,
        failureType: .ignored, failureReason: .refused, quarantine: .no)
}
