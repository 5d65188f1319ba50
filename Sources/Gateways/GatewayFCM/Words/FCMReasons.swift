package import PushModel
internal import PushWire

/// All answers of FCM over HTTP v1 and all events that replace an answer, with their meaning, one row each.
///
/// The codes and statuses are Google's (Firebase, `ErrorCode`); the failure types and reasons are Campaign's.
/// `X:detail` is the code X with that distinguishing feature. A reason in parentheses is not one of the
/// gateway's own. See ``PushModel/Verdict`` for the columns.
package enum FCMReasons {
    /// The answers that a row applies to.
    package enum Status: Equatable, Sendable {
        case code(Int)
        case anyClientError
        case anyServerError
        /// No answer, or an answer of any status.
        case none
    }

    package struct Row: Equatable, Sendable {
        package let wire: String
        package let status: Status
        package let verdict: Verdict
    }

    package static let unknown = GatewayWords.unknown
    /// "Never retry sooner": the minimum for a `Retry-After` (Firebase, "Scale your FCM integration").
    package static let minimumRetrySeconds: Int32 = 10

    package static let unregistered = row("UNREGISTERED", .code(404), .deadToken)
    package static let invalidArgument = row("INVALID_ARGUMENT", .code(400), .badArgument)
    /// The invalid argument is the token.
    package static let invalidToken = row("INVALID_ARGUMENT:message.token", .code(400), .deadToken)
    /// Observed for a payload over the limit.
    package static let invalidWithoutDetails = row("INVALID_ARGUMENT:no-details", .code(400), .badArgument)
    /// The token is alive but belongs to another sender; perhaps the project is wrong.
    package static let foreignToken = row("SENDER_ID_MISMATCH", .code(403), .foreignToken)
    /// The quota of the project, the device or a topic: see ``FCMReply/quota``.
    package static let quota = row("QUOTA_EXCEEDED", .code(429), .quota)
    package static let unavailable = row("UNAVAILABLE", .code(503), .later)
    package static let `internal` = row("INTERNAL", .code(500), .later)
    /// The project has no valid APNs or web push credential for the platform of this token. Android tokens of
    /// the same project work, and any client can register a token of another platform, so this concerns the
    /// token only. The credential may be added in the Firebase console at any time, so the message is retried
    /// according to the calendar.
    package static let thirdParty = row("THIRD_PARTY_AUTH_ERROR", .code(401), .platformLater)
    /// Google does not document it, so the message is tried once more only.
    package static let unspecified = row("UNSPECIFIED_ERROR", .none, .onceMore)
    /// Our OAuth token expired, and a new one helps. After the second try the account stops: every request
    /// sends the same token, so no other message has to confirm the problem.
    package static let unauthenticated = row("UNAUTHENTICATED:no-FcmError", .code(401), .accountRenews)
    /// Without an FcmError, no token was judged: the API is disabled, the project belongs to another owner,
    /// or a proxy refuses this one request.
    package static let permissionDenied = row(
        "PERMISSION_DENIED:no-FcmError", .code(403), .perhapsAccountStops)
    /// As above: the project does not exist, or a relay is misconfigured.
    package static let notFound = row("NOT_FOUND:no-FcmError", .code(404), .perhapsAccountStops)
    package static let unknownClientError = row(unknown, .anyClientError, .refused)
    /// Also a 502 with an HTML page.
    package static let unknownServerError = row(unknown, .anyServerError, .later)
    /// Sent with an unknown result; sending the message again may produce a duplicate.
    package static let noAnswer = row("(no answer)", .none, .perhapsProcessed)
    /// A 200 that does not come from FCM but, for example, from a proxy. The device may have the message, so
    /// it is sent at most once more.
    package static let unclearYes = row("(unclear answer)", .code(200), .perhapsAccepted)
    package static let connectFailed = row("(connect failed)", .none, .unprocessed)

    package static let rows: [Row] = [
        unregistered, invalidArgument, invalidToken, invalidWithoutDetails, foreignToken, quota, unavailable,
        `internal`, thirdParty, unspecified, unauthenticated, permissionDenied, notFound, unknownClientError,
        unknownServerError, noAnswer, unclearYes, connectFailed,
    ]

    /// Returns the row of an `errorCode` on Google's list.
    static func row(ofErrorCode code: String) -> Row? {
        rows.first { $0.wire == code && !$0.wire.hasPrefix("(") && !$0.wire.contains(":") }
    }

    /// Returns the row for an answer without an FcmError, by its google.rpc status.
    static func row(ofStatusWord word: String) -> Row? {
        switch word {
        case "UNAUTHENTICATED": unauthenticated
        case "PERMISSION_DENIED": permissionDenied
        case "NOT_FOUND": notFound
        case "RESOURCE_EXHAUSTED": quota
        case "UNAVAILABLE": unavailable
        case "INTERNAL": `internal`
        default: nil
        }
    }

    /// Returns the row for an answer without either, by its HTTP status. A status that is neither a success
    /// nor the request's fault counts as a server error.
    static func row(ofStatus status: Int) -> Row {
        switch status {
        case 401: unauthenticated
        case 403: permissionDenied
        case 404: notFound
        case 429: quota
        case 400..<500: unknownClientError
        default: unknownServerError
        }
    }

    private static func row(_ wire: String, _ status: Status, _ verdict: Verdict) -> Row {
        Row(wire: wire, status: status, verdict: verdict)
    }
}

/// The verdicts of the table.
extension Verdict {
    fileprivate static let deadToken = Verdict(
        scope: .token, schedule: .none, countsAttempt: true,
        failureType: .hard, failureReason: .userUnknown, quarantine: .yes)
    fileprivate static let foreignToken = Verdict(
        scope: .token, schedule: .none, countsAttempt: true,
        failureType: .soft, failureReason: .userUnknown, quarantine: .byCounter)
    fileprivate static let badArgument = Verdict(
        scope: .message, schedule: .none, countsAttempt: true,
        failureType: .ignored, failureReason: .undefined, quarantine: .no)
    fileprivate static let refused = Verdict(
        scope: .message, schedule: .none, countsAttempt: true,
        failureType: .ignored, failureReason: .refused, quarantine: .no)
    fileprivate static let quota = Verdict(
        scope: .transient, schedule: .soon, minimumDelaySeconds: 60, countsAttempt: true,
        failureType: .soft, failureReason: .refused, quarantine: .no)
    fileprivate static let platformLater = Verdict(
        scope: .token, schedule: .calendar, minimumDelaySeconds: 900, countsAttempt: true,
        failureType: .ignored, failureReason: .refused, quarantine: .no)
    fileprivate static let later = Verdict(
        scope: .transient, schedule: .soon, minimumDelaySeconds: 10, countsAttempt: true,
        failureType: .ignored, failureReason: .refused, quarantine: .no)
    fileprivate static let onceMore = Verdict(
        scope: .transient, schedule: .soon, minimumDelaySeconds: 10, maximumTries: 2, countsAttempt: true,
        failureType: .ignored, failureReason: .refused, quarantine: .no)
    /// The message is tried a few times. If another token gets the same answer, the account stops.
    fileprivate static let perhapsAccountStops = Verdict(
        scope: .message, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 5, countsAttempt: true,
        failureType: .ignored, failureReason: .refused, quarantine: .no, mayWiden: true)
    fileprivate static let accountRenews = Verdict(
        scope: .account, schedule: .now, maximumTries: 2, countsAttempt: false,
        failureType: .ignored, failureReason: .refused, quarantine: .no)
    fileprivate static let perhapsProcessed = Verdict(
        scope: .transient, schedule: .soon, minimumDelaySeconds: 1, countsAttempt: true,
        failureType: .soft, failureReason: .unreachable, quarantine: .no)
    fileprivate static let perhapsAccepted = Verdict(
        scope: .transient, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 2, countsAttempt: true,
        failureType: .soft, failureReason: .unreachable, quarantine: .no)
    fileprivate static let unprocessed = Verdict(
        scope: .transient, schedule: .now, countsAttempt: false,
        failureType: .soft, failureReason: .unreachable, quarantine: .no)
}
