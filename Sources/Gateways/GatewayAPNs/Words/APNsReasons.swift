package import PushModel
internal import PushWire

/// A table with one row for each answer of APNs and each event on its connections, with the consequences and
/// the meaning.
///
/// The reasons and statuses are Apple's ("Handling notification responses from APNs"); the failure types and
/// reasons are Campaign's. If the two disagree about trying again, Apple's text takes precedence. A reason in
/// parentheses does not come from the gateway. See ``PushModel/Verdict`` for the columns.
package enum APNsReasons {
    /// The answers that a row applies to.
    package enum Status: Equatable, Sendable {
        case code(Int)
        case anyServerError
        /// No answer.
        case none

        /// `400`, `5xx`; empty for ``none``.
        package var text: String {
            switch self {
            case .code(let code): "\(code)"
            case .anyServerError: "5xx"
            case .none: ""
            }
        }
    }

    package struct Row: Equatable, Sendable {
        package let wire: String
        package let status: Status
        package let verdict: Verdict
        package let note: AnswerNote
    }

    /// Marks a reason that is not on Apple's list. Such a reason is kept as received, and the answer is
    /// judged by its status.
    package static let unknown = ReasonText.unknown

    package static let rows: [Row] = [
        row("BadCollapseId", 400, .badMessage, .badCollapseID),
        // Another possible cause is that the token belongs to the other environment. The storm rule detects
        // this.
        row("BadDeviceToken", 400, .deadToken, .badDeviceToken),
        // The token is valid but belongs to another app.
        row("DeviceTokenNotForTopic", 400, .foreignToken, .deviceTokenNotForTopic),
        row("BadExpirationDate", 400, .badMessage, .badExpirationDate),
        row("BadMessageId", 400, .badMessage, .badMessageID),
        row("BadPriority", 400, .badMessage, .badPriority),
        row("InvalidPushType", 400, .badMessage, .invalidPushType),
        row("PayloadEmpty", 400, .badMessage, .payloadEmpty),
        row("DuplicateHeaders", 400, .badMessage, .duplicateHeaders),
        row("MissingDeviceToken", 400, .badMessage, .missingDeviceToken),
        // The refusal concerns the bundle id or the push type, not the credential. The account's other topics
        // work.
        row("BadTopic", 400, .topicStops, .badTopic),
        row("MissingTopic", 400, .topicStops, .missingTopic),
        row("TopicDisallowed", 400, .topicStops, .topicDisallowed),
        // Apple sends this reason when it closes an idle connection.
        row("IdleTimeout", 400, .unprocessed, .idleTimeout),
        row("BadCertificate", 403, .accountStops, .badCertificate),
        row("BadCertificateEnvironment", 403, .accountStops, .badCertificateEnvironment),
        // The JWT is older than an hour, and a new JWT helps.
        row("ExpiredProviderToken", 403, .accountRenews, .expiredProviderToken),
        row("InvalidProviderToken", 403, .accountStops, .invalidProviderToken),
        row("MissingProviderToken", 403, .accountStops, .missingProviderToken),
        // Apple does not state what is forbidden. The refusal may concern this message only.
        row("Forbidden", 403, .perhapsAccountStops, .forbidden),
        // This key needs its own connection.
        row("UnrelatedKeyIdInToken", 403, .accountRenews, .unrelatedKeyID),
        row("BadEnvironmentKeyIdInToken", 403, .accountStops, .badEnvironmentKeyID),
        // An older spelling of the reason in the previous row.
        row("BadEnvironmentKeyInToken", 403, .accountStops, .badEnvironmentKeyID),
        row("BadPath", 404, .badMessage, .badPath),
        row("MethodNotAllowed", 405, .badMessage, .methodNotAllowed),
        row("ExpiredToken", 410, .deadToken, .expiredToken),
        // The answer contains the time at which APNs detected that the token was dead: see
        // ``APNsReply/tokenDeadSince``.
        row("Unregistered", 410, .deadToken, .unregistered),
        row("PayloadTooLarge", 413, .badMessage, .payloadTooLarge),
        // The JWT was replaced more than once in 20 minutes. The account continues to use the current JWT.
        row("TooManyProviderTokenUpdates", 429, .accountSlowsDown, .tooManyProviderTokenUpdates),
        // Too many requests to the same device.
        row("TooManyRequests", 429, .deviceLater, .tooManyRequests),
        row("InternalServerError", 500, .later(900), .internalServerError),
        row("ServiceUnavailable", 503, .later(900), .serviceUnavailable),
        row("Shutdown", 503, .unprocessed, .shutdown),

        row(unknown, 400, .badMessage, .unknownToAPNsTable),
        row(unknown, 403, .perhapsAccountStops, .unknownToAPNsTable),
        row(unknown, 404, .badMessage, .unknownToAPNsTable),
        row(unknown, 405, .badMessage, .unknownToAPNsTable),
        row(unknown, 410, .deadToken, .unknownToAPNsTable),
        row(unknown, 413, .badMessage, .unknownToAPNsTable),
        row(unknown, 429, .later(60), .unknownToAPNsTable),
        Row(wire: unknown, status: .anyServerError, verdict: .later(900), note: .unknownToAPNsTable),

        Row(wire: "(connection lost)", status: .none, verdict: .perhapsProcessed, note: .lostToAPNs),
        Row(wire: "(connect failed)", status: .none, verdict: .unprocessed, note: .noConnectionToAPNs),
        Row(
            wire: "(stream refused by GOAWAY)", status: .none, verdict: .unprocessed,
            note: .streamRefusedByAPNs),
        Row(wire: "(TLS or credential failure)", status: .none, verdict: .accountStops, note: .tlsToAPNs),
    ]

    package static let table = AnswerTable(
        "APNs",
        introduction:
            "Connector `iosHTTP2`. APNs answers each message with a status and, unless the status is 200, "
            + "with one of these reasons.",
        rows.map { ($0.wire, $0.status.text, $0.verdict, $0.note) })

    /// Returns the row of a reason on Apple's list.
    static func row(of reason: String) -> Row? { rows.first { $0.wire == reason && $0.wire != unknown } }

    /// Returns the verdict for an answer without a reason from the list. If the status is not in the table
    /// either, its class decides: a 4xx is treated like 400, because the request was at fault, and every
    /// other status is treated like a server error.
    static func verdict(ofStatus status: Int) -> Verdict {
        if let row = rows.first(where: { $0.wire == unknown && $0.status == .code(status) }) {
            return row.verdict
        }
        return (401..<500).contains(status) ? .badMessage : .later(900)
    }

    private static func row(_ wire: String, _ status: Int, _ verdict: Verdict, _ note: AnswerNote) -> Row {
        Row(wire: wire, status: .code(status), verdict: verdict, note: note)
    }
}

/// The verdicts of the table.
extension Verdict {
    fileprivate static let badMessage = Verdict(
        scope: .message, schedule: .none, countsAttempt: true,
        failureType: .soft, failureReason: .refused, quarantine: .no)
    fileprivate static let deadToken = Verdict(
        scope: .token, schedule: .none, countsAttempt: true,
        failureType: .hard, failureReason: .userUnknown, quarantine: .yes)
    fileprivate static let foreignToken = Verdict(
        scope: .token, schedule: .none, countsAttempt: true,
        failureType: .soft, failureReason: .refused, quarantine: .byCounter)
    fileprivate static let accountStops = Verdict(
        scope: .account, schedule: .hold, countsAttempt: false,
        failureType: .soft, failureReason: .refused, quarantine: .no)
    fileprivate static let topicStops = Verdict(
        scope: .topic, schedule: .hold, countsAttempt: false,
        failureType: .soft, failureReason: .refused, quarantine: .no)
    /// The message is tried a few times. If another token gets the same answer, the topic stops. If another
    /// topic gets the same answer, the account stops.
    fileprivate static let perhapsAccountStops = Verdict(
        scope: .message, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 5, countsAttempt: true,
        failureType: .soft, failureReason: .refused, quarantine: .no, mayWiden: true)
    /// The problem concerns the device and does not indicate whether its token is alive.
    fileprivate static let deviceLater = Verdict(
        scope: .token, schedule: .calendar, minimumDelaySeconds: 60, countsAttempt: true,
        failureType: .soft, failureReason: .refused, quarantine: .no)
    /// The credential is renewed and the message is tried again. If the second try fails in the same way, the
    /// account stops.
    fileprivate static let accountRenews = Verdict(
        scope: .account, schedule: .now, maximumTries: 2, countsAttempt: false,
        failureType: .soft, failureReason: .refused, quarantine: .no)
    fileprivate static let accountSlowsDown = Verdict(
        scope: .account, schedule: .soon, minimumDelaySeconds: 60, countsAttempt: false,
        failureType: .soft, failureReason: .refused, quarantine: .no)
    /// The message was certainly not processed. It is sent immediately on another connection.
    fileprivate static let unprocessed = Verdict(
        scope: .transient, schedule: .now, countsAttempt: false,
        failureType: .undefined, failureReason: .unreachable, quarantine: .no)
    /// The message was sent, but its result is unknown. Sending it again may produce a duplicate.
    fileprivate static let perhapsProcessed = Verdict(
        scope: .transient, schedule: .soon, minimumDelaySeconds: 1, countsAttempt: true,
        failureType: .undefined, failureReason: .unreachable, quarantine: .no)
    fileprivate static func later(_ seconds: Int32) -> Verdict {
        Verdict(
            scope: .transient, schedule: .calendar, minimumDelaySeconds: seconds, countsAttempt: true,
            failureType: .soft, failureReason: .refused, quarantine: .no)
    }
}
