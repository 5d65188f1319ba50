package import PushModel

/// A table with one row for each answer of a token endpoint that does not contain a token, and for each event
/// that replaces an answer, with the meaning and the consequences for the account whose messages wait. See
/// ``PushModel/Verdict`` for the columns.
///
/// No message was sent, so none of these answers and events counts as an attempt.
package enum OAuthReasons {
    package typealias Status = FCMReasons.Status
    package typealias Row = FCMReasons.Row

    package static let connectFailed = row("(connect failed)", .none, .later, .noConnection)
    package static let unknownServerError = row(
        FCMReasons.unknown, .anyServerError, .later, .unknownToTokenServer)

    package static let rows: [Row] = [
        connectFailed, unknownServerError,
        // Endpoints also send this error for a wrong method, scope or audience.
        row("unauthorized_client", .none, .accountStops, .notPermitted),
        row("access_denied", .none, .accountStops, .notPermitted),
        // The e-mail address, key, signature or clock is wrong.
        row("invalid_grant", .none, .accountStops, .invalidGrant),
        row("disabled_client", .none, .accountStops, .disabledClient),
    ]

    /// Errors whose meaning is known but whose consequences depend on the HTTP status.
    private static let judgedByStatus: [Row] = [
        row("invalid_scope", .code(400), verdict(ofStatus: 400), .notPermitted),
        row("invalid_client", .code(401), verdict(ofStatus: 401), .invalidClient),
    ]

    package static let table = AnswerTable(
        "OAuth",
        introduction:
            "The server that issues access tokens to service accounts (Google, or the host in "
            + "`nmac/fcm/@tokenAddress`). Messages wait until a token arrives.",
        (rows + judgedByStatus).map(\.columns))

    /// Returns the row of an `error` that is in the table.
    static func row(ofError error: String) -> Row? {
        rows.first { $0.wire == error && !$0.wire.hasPrefix("(") }
    }

    /// Returns the verdict for an answer that is neither a token nor an error in the table. A 4xx status
    /// other than 408 (timeout) and 429 (too many requests) means that the problem lasts until an operator
    /// changes something. Any other status counts as a server error.
    static func verdict(ofStatus status: Int) -> Verdict {
        (400..<500).contains(status) && status != 408 && status != 429 ? .accountStops : .later
    }

    private static func row(
        _ wire: String, _ status: Status, _ verdict: Verdict, _ note: AnswerNote
    ) -> Row {
        Row(wire: wire, status: status, verdict: verdict, note: note)
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

/// The meanings of the table.
extension AnswerNote {
    fileprivate static let noConnection = AnswerNote(
        .network, "No connection to the token server could be opened, or the server did not answer.",
        advice:
            "Check name resolution, the firewall (port 443) and the proxy settings. 'pushmta explain' shows "
            + "the token server that the app's account uses.")
    fileprivate static let unknownToTokenServer = AnswerNote(
        .unclear,
        "The token server or a proxy returned an error with an unknown code or without a code. A status from "
            + "400 to 499, except 408 and 429, stops the account; after any other status, PushMTA tries "
            + "again.",
        advice: "If the problem persists, check the proxy and the host in nmac/fcm/@tokenAddress.")
    fileprivate static let notPermitted = AnswerNote(
        .account, "The service account may not send messages.",
        advice: "Allow the service account to send messages (role Firebase Cloud Messaging API Admin).")
    fileprivate static let invalidGrant = AnswerNote(
        .account,
        "The token server refuses the signed request: the clock is wrong, or the service account or its key "
            + "no longer exists.",
        advice:
            "Check this machine's clock, then check in Google's console whether the service account's key "
            + "still exists. If it does not, create a new key and give it to the app with 'pushmta app "
            + "update'.")
    fileprivate static let disabledClient = AnswerNote(
        .account, "The service account is disabled.",
        advice: "Enable the service account in Google's console.")
    fileprivate static let invalidClient = AnswerNote(
        .account, "The service account was deleted.",
        advice: "Create a new service account and give its key to the app with 'pushmta app update'.")
}
