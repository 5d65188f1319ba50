import PushModel
internal import PushWire

/// All answers of FCM's legacy interface and all events that replace an answer, with their meaning, one row
/// each.
///
/// Errors are inside a 200, one per registration id. A reason in parentheses is not one of the gateway's own.
/// See ``PushModel/Verdict`` for the columns, and ``FCMReasons`` for HTTP v1.
package enum FCMLegacyReasons {
    package typealias Status = FCMReasons.Status
    package typealias Row = FCMReasons.Row

    /// The gateway did not understand the payload as a whole, for example because it is not JSON.
    package static let invalidParameters = row("InvalidParameters", .code(400), .odd(.message, .none))
    /// Concerns the key, which every request sends.
    package static let authentication = row(
        "(authentication)", .code(401),
        Verdict(
            scope: .account, schedule: .hold, countsAttempt: false,
            failureType: .soft, failureReason: .refused, quarantine: .no))
    /// An address that is wrong or was discontinued, as Google's was, or a proxy that refuses this one
    /// request. The messages are tried a few times. If another token gets the same answer, the account stops.
    package static let unknownAddress = row(
        FCMReasons.unknown, .code(403),
        Verdict(
            scope: .message, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 5, countsAttempt: true,
            failureType: .soft, failureReason: .refused, quarantine: .no, mayWiden: true))
    package static let unknownError = row(FCMReasons.unknown, .code(200), .odd(.message, .none))
    package static let unknownServerError = row(FCMReasons.unknown, .anyServerError, .unavailable)
    /// Sent with an unknown result; sending the message again may produce a duplicate.
    package static let noAnswer = row(
        "(no answer)", .none,
        Verdict(
            scope: .transient, schedule: .soon, minimumDelaySeconds: 1, countsAttempt: true,
            failureType: .soft, failureReason: .unreachable, quarantine: .no))

    package static let rows: [Row] = [
        row("NotRegistered", .code(200), .deadToken),
        row("InvalidRegistration", .code(200), .deadToken),
        // The token is alive but belongs to another sender; perhaps the key is wrong.
        row(
            "MismatchSenderId", .code(200),
            Verdict(
                scope: .token, schedule: .none, countsAttempt: true,
                failureType: .soft, failureReason: .userUnknown, quarantine: .byCounter)),
        row("MissingRegistration", .code(200), .odd(.message, .none)),
        row("InvalidPackageName", .code(200), .odd(.message, .none)),
        row("InvalidTtl", .code(200), .odd(.message, .none)),
        row(
            "MessageTooBig", .code(200),
            Verdict(
                scope: .message, schedule: .none, countsAttempt: true,
                failureType: .soft, failureReason: .refused, quarantine: .no)),
        // Campaign assigns no reason to it.
        row(
            "InvalidDataKey", .code(200),
            Verdict(
                scope: .message, schedule: .none, countsAttempt: true,
                failureType: .soft, failureReason: .undefined, quarantine: .no)),
        row("Unavailable", .code(200), .unavailable),
        row("InternalServerError", .code(200), .odd(.transient, .soon, after: 10)),
        // Too many messages to the same device, so not immediately.
        row(
            "DeviceMessageRateExceeded", .code(200),
            Verdict(
                scope: .token, schedule: .calendar, minimumDelaySeconds: 60, countsAttempt: true,
                failureType: .soft, failureReason: .refused, quarantine: .no)),
        row("TopicsMessageRateExceeded", .code(200), .odd(.transient, .calendar, after: 60)),
        // Like THIRD_PARTY_AUTH_ERROR of HTTP v1: concerns tokens of Apple devices and no other tokens of the
        // project.
        row("InvalidApnsCredential", .code(200), .odd(.token, .calendar, after: 900)),
        unknownError, invalidParameters, authentication, unknownAddress, unknownServerError, noAnswer,
    ]

    /// Returns the row of an error in a result.
    static func row(ofError error: String) -> Row? {
        rows.first { $0.wire == error && $0.status == .code(200) && $0 != unknownError }
    }

    private static func row(_ wire: String, _ status: Status, _ verdict: Verdict) -> Row {
        Row(wire: wire, status: status, verdict: verdict)
    }
}

/// The verdicts that occur more than once in the table.
extension Verdict {
    fileprivate static let deadToken = Verdict(
        scope: .token, schedule: .none, countsAttempt: true,
        failureType: .hard, failureReason: .userUnknown, quarantine: .yes)
    fileprivate static let unavailable = Verdict(
        scope: .transient, schedule: .soon, minimumDelaySeconds: 10, countsAttempt: true,
        failureType: .soft, failureReason: .unreachable, quarantine: .no)
    /// Campaign's "other legacy error": no type, refused.
    fileprivate static func odd(_ scope: Scope, _ schedule: Schedule, after seconds: Int32 = 0) -> Verdict {
        Verdict(
            scope: scope, schedule: schedule, minimumDelaySeconds: seconds, countsAttempt: scope != .account,
            failureType: .undefined, failureReason: .refused, quarantine: .no)
    }
}
