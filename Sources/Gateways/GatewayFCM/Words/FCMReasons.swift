package import PushModel
internal import PushWire

/// A table with one row for each answer of FCM over HTTP v1 and each event that replaces an answer, with the
/// consequences and the meaning.
///
/// The codes and statuses are Google's (Firebase, `ErrorCode`); the failure types and reasons are Campaign's.
/// In `X:detail`, the detail distinguishes a case of the code X from its other cases. A reason in parentheses
/// does not come from the gateway. See ``PushModel/Verdict`` for the columns.
package enum FCMReasons {
    /// The answers that a row applies to.
    package enum Status: Equatable, Sendable {
        case code(Int)
        case anyClientError
        case anyServerError
        /// No answer, or an answer of any status.
        case none

        /// `400`, `4xx`; empty for ``none``.
        package var text: String {
            switch self {
            case .code(let code): "\(code)"
            case .anyClientError: "4xx"
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

        /// The row's columns, in the order that ``PushModel/AnswerTable`` expects.
        var columns: AnswerTable.Row { (wire, status.text, verdict, note) }
    }

    package static let unknown = ReasonText.unknown
    /// The minimum delay before a retry, which also applies if `Retry-After` states less (Firebase, "Scale
    /// your FCM integration": "Never retry sooner").
    package static let minimumRetrySeconds: Int32 = 10

    package static let unregistered = row("UNREGISTERED", .code(404), .deadToken, .unregistered)
    package static let invalidArgument = row(
        "INVALID_ARGUMENT", .code(400), .badArgument, .invalidArgument)
    /// The invalid argument is the token.
    package static let invalidToken = row(
        "INVALID_ARGUMENT:message.token", .code(400), .deadToken, .invalidToken)
    /// FCM was observed to send this answer for a payload over the limit.
    package static let invalidWithoutDetails = row(
        "INVALID_ARGUMENT:no-details", .code(400), .badArgument, .invalidWithoutDetails)
    /// The token is valid but belongs to another sender. The project may be wrong.
    package static let foreignToken = row("SENDER_ID_MISMATCH", .code(403), .foreignToken, .foreignToken)
    /// The quota of the project, the device or a topic: see ``FCMReply/quota``.
    package static let quota = row("QUOTA_EXCEEDED", .code(429), .quota, .quota)
    package static let unavailable = row("UNAVAILABLE", .code(503), .later, .unavailable)
    package static let `internal` = row("INTERNAL", .code(500), .later, .internal)
    /// The project has no valid APNs or web push credential for the platform of this token. Android tokens of
    /// the same project work, and any client can register a token of another platform, so this answer
    /// concerns the token only. The credential may be added in the Firebase console at any time, so the
    /// message is retried according to the calendar.
    package static let thirdParty = row(
        "THIRD_PARTY_AUTH_ERROR", .code(401), .platformLater, .thirdParty)
    /// Google does not document this error, so the message is tried only once more.
    package static let unspecified = row("UNSPECIFIED_ERROR", .none, .onceMore, .unspecified)
    /// Our OAuth token expired, and a new one helps. If the second try gets the same answer, the account
    /// stops: every request sends the same token, so no other message has to confirm the problem.
    package static let unauthenticated = row(
        "UNAUTHENTICATED:no-FcmError", .code(401), .accountRenews, .unauthenticated)
    /// Without an FcmError, the answer does not concern a token: the API is disabled, the project belongs to
    /// another owner, or a proxy refuses this request.
    package static let permissionDenied = row(
        "PERMISSION_DENIED:no-FcmError", .code(403), .perhapsAccountStops, .permissionDenied)
    /// Without an FcmError, the answer does not concern a token: the project does not exist, or a relay is
    /// misconfigured.
    package static let notFound = row(
        "NOT_FOUND:no-FcmError", .code(404), .perhapsAccountStops, .notFound)
    package static let unknownClientError = row(unknown, .anyClientError, .refused, .unknownToFCMTable)
    /// This row also applies to a 502 with an HTML page.
    package static let unknownServerError = row(unknown, .anyServerError, .later, .unknownToFCMTable)
    /// The message was sent, but its result is unknown. Sending it again may produce a duplicate.
    package static let noAnswer = row("(no answer)", .none, .perhapsProcessed, .noAnswerOfFCM)
    /// The answer is a 200 that does not come from FCM but, for example, from a proxy. The device may have
    /// the message, so the message is sent at most once more.
    package static let unclearYes = row(
        "(unclear answer)", .code(200), .perhapsAccepted, .unclearYes)
    package static let connectFailed = row("(connect failed)", .none, .unprocessed, .noConnectionToFCM)

    package static let rows: [Row] = [
        unregistered, invalidArgument, invalidToken, invalidWithoutDetails, foreignToken, quota, unavailable,
        `internal`, thirdParty, unspecified, unauthenticated, permissionDenied, notFound, unknownClientError,
        unknownServerError, noAnswer, unclearYes, connectFailed,
    ]

    package static let table = AnswerTable(
        "FCM",
        introduction:
            "Connectors `androidPushConnector` and `androidPushConnectorV2` with a service account: HTTP v1. "
            + "A suffix after a colon without a space distinguishes cases of the same code: `no-FcmError` "
            + "means that Google's server refused the request before FCM examined the message.",
        rows.map(\.columns))

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

    /// Returns the row for an answer that has neither an FcmError nor a google.rpc status, by its HTTP
    /// status. A status that is neither a success nor the request's fault counts as a server error.
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

    private static func row(
        _ wire: String, _ status: Status, _ verdict: Verdict, _ note: AnswerNote
    ) -> Row {
        Row(wire: wire, status: status, verdict: verdict, note: note)
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

/// The meanings of the table. The legacy table also uses the last two meanings.
extension AnswerNote {
    fileprivate static let unregistered = AnswerNote(
        .device,
        "The token is no longer valid: the app was removed, its data was deleted, the device has a new "
            + "token, or the device has not connected for 270 days. A mistyped installation id (FID) "
            + "receives the same answer.",
        advice: "No action is needed: the device receives messages again after it has registered.")
    fileprivate static let invalidArgument = AnswerNote(
        .message, "FCM refuses a field of the message. The field's name follows the code in the reason.",
        advice:
            "Correct this field in the content, and submit the delivery again. 'pushmta delivery "
            + "retry-failed' with --reason sends the failed messages again without changing their content.")
    fileprivate static let invalidToken = AnswerNote(
        .device, "The token does not have the form of a registration token.",
        advice:
            "If many devices are affected, check that the app registers FCM's token and not another "
            + "identifier. If only a few devices are affected, no action is needed: their apps register a "
            + "new token.")
    fileprivate static let invalidWithoutDetails = AnswerNote(
        .message,
        "FCM refuses the message without naming a field. A frequent cause is a payload of more than 4096 "
            + "bytes.",
        advice:
            "Shorten the texts and variables of the content, and submit the delivery again. The reason "
            + "contains FCM's own text if there is one.")
    fileprivate static let foreignToken = AnswerNote(
        .device,
        "The token is valid, but belongs to a different Firebase project (sender) than the "
            + "credential.",
        advice:
            "Compare the project of the app's credential with the project in google-services.json of the "
            + "builds that register devices. 'pushmta app show' shows the project. If the credential is "
            + "wrong, replace it with 'pushmta app update'.")
    fileprivate static let quota = AnswerNote(
        .service,
        "A quota is exhausted: the project's, a device's (240 messages a minute or 5 000 an hour) or a "
            + "topic's.",
        advice:
            "Compare nmac/fcm/@messagesPerMinute with the quota in Google Cloud Console, and reduce the "
            + "setting or request a higher quota. Other senders of the same project use the same quota. If "
            + "individual devices are affected, send them fewer messages.")
    fileprivate static let unavailable = AnswerNote(
        .gateway, "FCM is temporarily overloaded or unavailable.",
        advice:
            "If the problem persists, see the Firebase status page. PushMTA waits for the time that FCM "
            + "requests, and messages wait in the meantime.")
    fileprivate static let `internal` = AnswerNote(
        .gateway, "FCM has an internal problem.",
        advice: "If the problem persists, see the Firebase status page. Messages wait in the meantime.")
    fileprivate static let thirdParty = AnswerNote(
        .account,
        "The Firebase project has no valid APNs or web push credential, and the token belongs to an Apple "
            + "device or a browser. Android devices of the project are not affected.",
        advice:
            "Upload an APNs key or a web push certificate in the Firebase console, under Cloud Messaging. "
            + "If this app is meant for Android devices only, remove the other subscribers.")
    fileprivate static let unspecified = AnswerNote(
        .gateway, "FCM reports an error without a cause.",
        advice: "If the problem persists, see the Firebase status page.")
    fileprivate static let unauthenticated = AnswerNote(
        .account,
        "Google does not accept the access token: it has expired, or the service account no longer exists.",
        advice:
            "Run 'pushmta app test'. If it fails, create a new key for the service account in Google Cloud "
            + "Console and give it to the app with 'pushmta app update'. PushMTA renews an expired "
            + "token by itself.")
    fileprivate static let permissionDenied = AnswerNote(
        .account,
        "The service account may not send messages for this project, or the Firebase Cloud Messaging API is "
            + "disabled. A proxy that refuses the request gives the same answer.",
        advice:
            "Enable the Firebase Cloud Messaging API (V1) of the project, and give the service account the "
            + "role Firebase Cloud Messaging API Admin. If a proxy is configured, check that it permits "
            + "the host.")
    fileprivate static let notFound = AnswerNote(
        .account,
        "The project of the service account does not exist, or nmac/fcm/@address is not an address "
            + "of FCM.",
        advice:
            "Check project_id in the JSON file of the service account and nmac/fcm/@address in "
            + "serverConf.xml. Then give the app the correct file with 'pushmta app update'.")
    fileprivate static let unclearYes = AnswerNote(
        .network,
        "The answer has status 200 but not the form of an FCM answer; it may be a page from a proxy. The "
            + "device may already have received the message. If so, it may receive the message twice.",
        advice:
            "Check the proxy and the host in nmac/fcm/@address. 'pushmta app test' shows which host is used.")
    fileprivate static let noConnectionToFCM = AnswerNote(
        .network,
        "No connection to FCM or to the token server could be opened, or FCM refused the request without "
            + "processing it.",
        advice:
            "Check name resolution, the firewall (port 443) and the proxy settings. 'pushmta explain' shows "
            + "the hosts and ports that the app's account uses.")
    static let noAnswerOfFCM = AnswerNote(
        .network,
        "The connection was lost, or FCM did not answer in time. The device may already have received the "
            + "message. If so, it may receive the message twice.",
        advice:
            "If the problem persists, check the network, the firewall and the proxy between this machine and "
            + "FCM. The setting nmac/fcm/@requestTimeoutSec sets how long PushMTA waits for an answer.")
    static let unknownToFCMTable = AnswerNote(
        .unclear,
        "FCM or a proxy returned an error with an unknown code or without a code. The status alone "
            + "determines how PushMTA reacts. PushMTA treats every code that is not on this page in this "
            + "way.",
        advice:
            "Look up the code in Google's documentation. If there is no code, check the proxy and the host "
            + "in nmac/fcm/@address.")
}
