package import PushModel
internal import PushWire

/// A table with one row for each answer of FCM's legacy interface and each event that replaces an answer,
/// with the consequences and the meaning.
///
/// An answer with status 200 contains the errors, at most one per registration id. A reason in parentheses
/// does not come from the gateway. See ``PushModel/Verdict`` for the columns, and ``FCMReasons`` for HTTP v1.
package enum FCMLegacyReasons {
    package typealias Status = FCMReasons.Status
    package typealias Row = FCMReasons.Row

    /// The gateway did not understand the payload as a whole, for example because it is not JSON.
    package static let invalidParameters = row(
        "InvalidParameters", .code(400), .odd(.message, .none), .invalidParameters)
    /// The refusal concerns the key, which every request contains.
    package static let authentication = row(
        "(authentication)", .code(401),
        Verdict(
            scope: .account, schedule: .hold, countsAttempt: false,
            failureType: .soft, failureReason: .refused, quarantine: .no),
        .authentication)
    /// The address is wrong or was discontinued, as Google's was, or a proxy refuses this request. The
    /// messages are tried a few times. If another token gets the same answer, the account stops.
    package static let unknownAddress = row(
        FCMReasons.unknown, .code(403),
        Verdict(
            scope: .message, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 5, countsAttempt: true,
            failureType: .soft, failureReason: .refused, quarantine: .no, mayWiden: true),
        .unknownToFCMTable)
    package static let unknownError = row(
        FCMReasons.unknown, .code(200), .odd(.message, .none), .unknownToFCMTable)
    package static let unknownServerError = row(
        FCMReasons.unknown, .anyServerError, .unavailable, .unknownToFCMTable)
    /// The message was sent, but its result is unknown. Sending it again may produce a duplicate.
    package static let noAnswer = row(
        "(no answer)", .none,
        Verdict(
            scope: .transient, schedule: .soon, minimumDelaySeconds: 1, countsAttempt: true,
            failureType: .soft, failureReason: .unreachable, quarantine: .no),
        .noAnswerOfFCM)

    package static let rows: [Row] = [
        row("NotRegistered", .code(200), .deadToken, .notRegistered),
        row("InvalidRegistration", .code(200), .deadToken, .invalidRegistration),
        // The token is valid but belongs to another sender. The key may be wrong.
        row(
            "MismatchSenderId", .code(200),
            Verdict(
                scope: .token, schedule: .none, countsAttempt: true,
                failureType: .soft, failureReason: .userUnknown, quarantine: .byCounter),
            .mismatchedSender),
        row("MissingRegistration", .code(200), .odd(.message, .none), .missingRegistration),
        row("InvalidPackageName", .code(200), .odd(.message, .none), .invalidPackageName),
        row("InvalidTtl", .code(200), .odd(.message, .none), .invalidTTL),
        row(
            "MessageTooBig", .code(200),
            Verdict(
                scope: .message, schedule: .none, countsAttempt: true,
                failureType: .soft, failureReason: .refused, quarantine: .no),
            .messageTooBig),
        // Campaign does not assign a reason to this error.
        row(
            "InvalidDataKey", .code(200),
            Verdict(
                scope: .message, schedule: .none, countsAttempt: true,
                failureType: .soft, failureReason: .undefined, quarantine: .no),
            .invalidDataKey),
        row("Unavailable", .code(200), .unavailable, .unavailableLegacy),
        row("InternalServerError", .code(200), .odd(.transient, .soon, after: 10), .internalServerError),
        // There were too many messages for the same device, so the message must not be sent again
        // immediately.
        row(
            "DeviceMessageRateExceeded", .code(200),
            Verdict(
                scope: .token, schedule: .calendar, minimumDelaySeconds: 60, countsAttempt: true,
                failureType: .soft, failureReason: .refused, quarantine: .no),
            .deviceRateExceeded),
        row(
            "TopicsMessageRateExceeded", .code(200), .odd(.transient, .calendar, after: 60),
            .topicRateExceeded),
        // Like THIRD_PARTY_AUTH_ERROR in HTTP v1, this error concerns tokens of Apple devices and no other
        // tokens of the project.
        row(
            "InvalidApnsCredential", .code(200), .odd(.token, .calendar, after: 900),
            .invalidAPNsCredential),
        unknownError, invalidParameters, authentication, unknownAddress, unknownServerError, noAnswer,
    ]

    package static let table = AnswerTable(
        "FCM legacy",
        introduction:
            "Connectors `androidPushConnector` and `androidPushConnectorV2` with a project key, for private "
            + "gateways only: Google has shut down this interface. Unclear answers, and requests for which "
            + "no connection could be opened, have the same reasons as [FCM](#fcm).",
        rows.map(\.columns))

    /// Returns the row of an error in a result.
    static func row(ofError error: String) -> Row? {
        rows.first { $0.wire == error && $0.status == .code(200) && $0 != unknownError }
    }

    private static func row(
        _ wire: String, _ status: Status, _ verdict: Verdict, _ note: AnswerNote
    ) -> Row {
        Row(wire: wire, status: status, verdict: verdict, note: note)
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
    /// The verdict for Campaign's "other legacy error", which has no failure type and refuses the message.
    fileprivate static func odd(_ scope: Scope, _ schedule: Schedule, after seconds: Int32 = 0) -> Verdict {
        Verdict(
            scope: scope, schedule: schedule, minimumDelaySeconds: seconds, countsAttempt: scope != .account,
            failureType: .undefined, failureReason: .refused, quarantine: .no)
    }
}

/// The meanings of the table.
extension AnswerNote {
    fileprivate static let invalidParameters = AnswerNote(
        .service, "The gateway could not read the request, or refuses the whole request.",
        advice:
            "Check the gateway in nmac/fcm/@address. If the setting is correct, report this as a bug in "
            + "PushMTA, and include the content of the delivery.")
    fileprivate static let authentication = AnswerNote(
        .account, "The gateway does not accept the project key.",
        advice:
            "Give the app the correct key with 'pushmta app update', or a service account: Google no longer "
            + "accepts project keys.")
    fileprivate static let notRegistered = AnswerNote(
        .device, "The token is no longer valid: the app was removed, or the device has a new token.",
        advice: "No action is needed: the device receives messages again after it has registered.")
    fileprivate static let invalidRegistration = AnswerNote(
        .device, "The token does not have the form of a registration token.",
        advice:
            "If many devices are affected, check that the app registers FCM's token and not another "
            + "identifier. If only a few devices are affected, no action is needed: their apps register a "
            + "new token.")
    fileprivate static let mismatchedSender = AnswerNote(
        .device, "The token is valid, but belongs to a different sender than the project key.",
        advice:
            "Compare the sender of the project key with the sender of the builds that register devices. If "
            + "the key is wrong, replace it with 'pushmta app update'.")
    fileprivate static let missingRegistration = AnswerNote(
        .service, "The request contains no token.",
        advice:
            "Check the gateway in nmac/fcm/@address. If the setting is correct, report this as a bug in "
            + "PushMTA.")
    fileprivate static let invalidPackageName = AnswerNote(
        .message,
        "The token belongs to an app whose package name differs from the one that the message "
            + "requires.",
        advice:
            "Correct or remove android.restrictedPackageName in the content, and submit the delivery again.")
    fileprivate static let invalidTTL = AnswerNote(
        .message, "The time for which the gateway should keep the message is not between 0 and four weeks.",
        advice: "Use a validity of at most 28 days for the delivery.")
    fileprivate static let messageTooBig = AnswerNote(
        .message, "The payload is larger than 4096 bytes.",
        advice: "Shorten the texts and variables of the content, and submit the delivery again.")
    fileprivate static let invalidDataKey = AnswerNote(
        .message,
        "The payload contains a name that the gateway reserves, such as from, gcm or a name that begins "
            + "with google.",
        advice: "Rename the variable or the custom data in the content, and submit the delivery again.")
    fileprivate static let unavailableLegacy = AnswerNote(
        .gateway, "The gateway is temporarily overloaded or unavailable.",
        advice: "If the problem persists, check the gateway in nmac/fcm/@address. Messages wait in the "
            + "meantime.")
    fileprivate static let internalServerError = AnswerNote(
        .gateway, "The gateway has an internal problem.",
        advice: "If the problem persists, check the gateway in nmac/fcm/@address. Messages wait in the "
            + "meantime.")
    fileprivate static let deviceRateExceeded = AnswerNote(
        .service, "Too many messages were sent to the same device within a short time.",
        advice:
            "Send fewer messages to each device. A frequency cap limits how many messages a device receives.")
    fileprivate static let topicRateExceeded = AnswerNote(
        .service, "Too many messages were sent to the subscribers of one topic.",
        advice: "Send more slowly, for example with a rate for the delivery.")
    fileprivate static let invalidAPNsCredential = AnswerNote(
        .account,
        "The Firebase project has no valid APNs credential, and the token belongs to an Apple device. "
            + "Android devices of the project are not affected.",
        advice:
            "Upload an APNs key in the Firebase console, under Cloud Messaging. If this app is meant for "
            + "Android devices only, remove the other subscribers.")
}
