package import PushModel
internal import PushWire

/// Everything that APNs answers, or that happens to its connections, with what it means: one row each.
///
/// Reasons and statuses are Apple's ("Handling notification responses from APNs"), failure types and reasons
/// are Campaign's; where the two disagree about trying again, Apple's text rules. A reason in parentheses is
/// none of the gateway's words. See ``PushModel/Verdict`` for the columns.
package enum APNsReasons {
    /// Which answers a row is about.
    package enum Status: Equatable, Sendable {
        case code(Int)
        case anyServerError
        /// No answer at all.
        case none
    }

    package struct Row: Equatable, Sendable {
        package let wire: String
        package let status: Status
        package let verdict: Verdict
    }

    /// What goes by no reason of Apple's list: kept as the gateway said it, judged by its status.
    package static let unknown = GatewayWords.unknown

    package static let rows: [Row] = [
        row("BadCollapseId", 400, .badMessage),
        // May also be a good token of the other environment; the storm rule finds out.
        row("BadDeviceToken", 400, .deadToken),
        // The token lives, but belongs to another app.
        row("DeviceTokenNotForTopic", 400, .foreignToken),
        row("BadExpirationDate", 400, .badMessage),
        row("BadMessageId", 400, .badMessage),
        row("BadPriority", 400, .badMessage),
        row("InvalidPushType", 400, .badMessage),
        row("PayloadEmpty", 400, .badMessage),
        row("DuplicateHeaders", 400, .badMessage),
        row("MissingDeviceToken", 400, .badMessage),
        // About the bundle id or the push type, not about the credential: the account's other topics work.
        row("BadTopic", 400, .topicStops),
        row("MissingTopic", 400, .topicStops),
        row("TopicDisallowed", 400, .topicStops),
        // How Apple says farewell to a quiet connection.
        row("IdleTimeout", 400, .unprocessed),
        row("BadCertificate", 403, .accountStops),
        row("BadCertificateEnvironment", 403, .accountStops),
        // The JWT is older than an hour: a new one helps.
        row("ExpiredProviderToken", 403, .accountRenews),
        row("InvalidProviderToken", 403, .accountStops),
        row("MissingProviderToken", 403, .accountStops),
        // Apple does not say what is forbidden: it may be this message alone.
        row("Forbidden", 403, .perhapsAccountStops),
        // This key needs a connection of its own.
        row("UnrelatedKeyIdInToken", 403, .accountRenews),
        row("BadEnvironmentKeyIdInToken", 403, .accountStops),
        // An older spelling of the one above.
        row("BadEnvironmentKeyInToken", 403, .accountStops),
        row("BadPath", 404, .badMessage),
        row("MethodNotAllowed", 405, .badMessage),
        row("ExpiredToken", 410, .deadToken),
        // Comes with the moment since when the token is dead: see ``APNsReply/tokenDeadSince``.
        row("Unregistered", 410, .deadToken),
        row("PayloadTooLarge", 413, .badMessage),
        // A new JWT more than once in 20 minutes: go on with the previous one.
        row("TooManyProviderTokenUpdates", 429, .accountSlowsDown),
        // Too many to the same device.
        row("TooManyRequests", 429, .deviceLater),
        row("InternalServerError", 500, .later(900)),
        row("ServiceUnavailable", 503, .later(900)),
        row("Shutdown", 503, .unprocessed),

        row(unknown, 400, .badMessage),
        row(unknown, 403, .perhapsAccountStops),
        row(unknown, 404, .badMessage),
        row(unknown, 405, .badMessage),
        row(unknown, 410, .deadToken),
        row(unknown, 413, .badMessage),
        row(unknown, 429, .later(60)),
        Row(wire: unknown, status: .anyServerError, verdict: .later(900)),

        Row(wire: "(connection lost)", status: .none, verdict: .perhapsProcessed),
        Row(wire: "(connect failed)", status: .none, verdict: .unprocessed),
        Row(wire: "(stream refused by GOAWAY)", status: .none, verdict: .unprocessed),
        Row(wire: "(TLS or credential failure)", status: .none, verdict: .accountStops),
    ]

    /// The row of a reason that Apple lists.
    static func row(of reason: String) -> Row? { rows.first { $0.wire == reason && $0.wire != unknown } }

    /// What an answer means that gives no reason of the list. A status that the table does not know either is
    /// judged as its class: below 500 like 400, as the request was at fault, and everything else like a
    /// server error.
    static func verdict(ofStatus status: Int) -> Verdict {
        if let row = rows.first(where: { $0.wire == unknown && $0.status == .code(status) }) {
            return row.verdict
        }
        return (401..<500).contains(status) ? .badMessage : .later(900)
    }

    private static func row(_ wire: String, _ status: Int, _ verdict: Verdict) -> Row {
        Row(wire: wire, status: .code(status), verdict: verdict)
    }
}

/// The verdicts that occur in the table.
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
    /// The message is tried a few times. If another token gets the same answer, its topic stops; if another topic
    /// does, the account.
    fileprivate static let perhapsAccountStops = Verdict(
        scope: .message, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 5, countsAttempt: true,
        failureType: .soft, failureReason: .refused, quarantine: .no, mayWiden: true)
    /// The device's trouble, which says nothing about whether its token is alive.
    fileprivate static let deviceLater = Verdict(
        scope: .token, schedule: .calendar, minimumDelaySeconds: 60, countsAttempt: true,
        failureType: .soft, failureReason: .refused, quarantine: .no)
    /// Past the second try the account stops.
    fileprivate static let accountRenews = Verdict(
        scope: .account, schedule: .now, maximumTries: 2, countsAttempt: false,
        failureType: .soft, failureReason: .refused, quarantine: .no)
    fileprivate static let accountSlowsDown = Verdict(
        scope: .account, schedule: .soon, minimumDelaySeconds: 60, countsAttempt: false,
        failureType: .soft, failureReason: .refused, quarantine: .no)
    /// Certainly not sent: at once on another connection.
    fileprivate static let unprocessed = Verdict(
        scope: .transient, schedule: .now, countsAttempt: false,
        failureType: .undefined, failureReason: .unreachable, quarantine: .no)
    /// Sent, and nobody knows what became of it: a second time may be a duplicate.
    fileprivate static let perhapsProcessed = Verdict(
        scope: .transient, schedule: .soon, minimumDelaySeconds: 1, countsAttempt: true,
        failureType: .undefined, failureReason: .unreachable, quarantine: .no)
    fileprivate static func later(_ seconds: Int32) -> Verdict {
        Verdict(
            scope: .transient, schedule: .calendar, minimumDelaySeconds: seconds, countsAttempt: true,
            failureType: .soft, failureReason: .refused, quarantine: .no)
    }
}
