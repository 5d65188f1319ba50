package import PushModel

/// A table with one row for each answer of the binary gateway and each event on its connections, with the
/// consequences and the meaning.
///
/// The status codes are Apple's ("Binary Provider API"); the failure types and reasons are Campaign's, unless
/// they contradict the protocol. A reason in parentheses does not come from the gateway. See
/// ``PushModel/Verdict`` for the columns.
package enum APNsBinaryReasons {
    package struct Row: Equatable, Sendable {
        /// The status code and Apple's name for it.
        package let wire: String
        /// The status of an error packet; `nil` if there is no packet.
        package let status: UInt8?
        package let verdict: Verdict
        package let note: AnswerNote
    }

    package static let unknown = row(255, "unknown", .laterOn, .unknown)
    /// The gateway sends this status when it closes a connection. The error packet names the last frame that
    /// the gateway accepted, so no frame ends with this row.
    package static let shutdown = row(10, "shutdown", .unprocessed, .shutdown)
    package static let invalidToken = row(8, "invalid token", .deadToken, .invalidToken)
    /// It is unknown which frames the gateway accepted; sending them again may produce duplicates.
    package static let closedWithoutPacket = row(
        "(closed without error packet)", .laterOn, .closedWithoutPacket)
    /// The connection failed or was lost, but the gateway did not close it. It is unknown which frames the
    /// gateway accepted; sending them again may produce duplicates.
    package static let connectionLost = row("(connection lost)", .laterOn, .connectionLost)
    package static let certificate = row(
        "(certificate or configuration)", .accountStops, .certificate)
    /// The feedback service's report about a token.
    package static let feedbackTuple = row(
        "(feedback tuple)",
        Verdict(
            scope: .token, schedule: .none, countsAttempt: false,
            failureType: .hard, failureReason: .userUnknown, quarantine: .yes),
        .feedbackTuple)

    package static let rows: [Row] = [
        row(1, "processing error", .laterOn, .processingError),
        row(2, "missing device token", .badMessage, .missingDeviceToken),
        row(3, "missing topic", .accountStops, .missingTopic),
        row(4, "missing payload", .badMessage, .missingPayload),
        row(5, "invalid token size", .deadToken, .invalidTokenSize),
        row(6, "invalid topic size", .accountStops, .invalidTopicSize),
        row(7, "invalid payload size", .badMessage, .invalidPayloadSize),
        invalidToken,
        shutdown,
        // The frame could not be parsed.
        row(128, "protocol error", .badMessage, .protocolError),
        unknown, closedWithoutPacket, connectionLost, certificate, feedbackTuple,
    ]

    package static let table = AnswerTable(
        "APNs binary",
        introduction:
            "Connector `ios`, for private gateways only: Apple has shut down its own binary gateway. The "
            + "gateway does not confirm messages. After an error it sends a packet with one of these "
            + "statuses and closes the connection.",
        rows.map { ($0.wire, $0.status.map { "\($0)" } ?? "", $0.verdict, $0.note) })

    /// Returns the row of a status code on Apple's list.
    static func row(ofStatus status: UInt8) -> Row? { rows.first { $0.status == status } }

    private static func row(_ status: UInt8, _ words: String, _ verdict: Verdict, _ note: AnswerNote) -> Row {
        Row(wire: "\(status) \(words)", status: status, verdict: verdict, note: note)
    }

    private static func row(_ wire: String, _ verdict: Verdict, _ note: AnswerNote) -> Row {
        Row(wire: wire, status: nil, verdict: verdict, note: note)
    }
}

/// The verdicts that occur more than once in the table, or that need a name.
extension Verdict {
    fileprivate static let deadToken = Verdict(
        scope: .token, schedule: .none, countsAttempt: true,
        failureType: .hard, failureReason: .userUnknown, quarantine: .yes)
    fileprivate static let badMessage = Verdict(
        scope: .message, schedule: .none, countsAttempt: true,
        failureType: .soft, failureReason: .unreachable, quarantine: .no)
    fileprivate static let accountStops = Verdict(
        scope: .account, schedule: .hold, countsAttempt: false,
        failureType: .soft, failureReason: .unreachable, quarantine: .no)
    fileprivate static let laterOn = Verdict(
        scope: .transient, schedule: .soon, minimumDelaySeconds: 1, countsAttempt: true,
        failureType: .soft, failureReason: .unreachable, quarantine: .no)
    fileprivate static let unprocessed = Verdict(
        scope: .transient, schedule: .now, countsAttempt: false,
        failureType: .soft, failureReason: .unreachable, quarantine: .no)
}

/// The meanings of the table. The facts are Apple's ("Binary Provider API").
extension AnswerNote {
    private static let checkGateway =
        "Check the gateway in nmac/iosBinary/@gateway. If the setting is correct, report this as a bug in "
        + "PushMTA, and include the content of the delivery."

    fileprivate static let processingError = AnswerNote(
        .gateway, "The gateway could not process the message.",
        advice: "If the problem persists, check the gateway in nmac/iosBinary/@gateway.")
    fileprivate static let missingDeviceToken = AnswerNote(
        .service, "The frame contains no device token.", advice: checkGateway)
    fileprivate static let missingTopic = AnswerNote(
        .account, "The gateway cannot derive the topic from the certificate.",
        advice: "Give the app a certificate for pushes of its bundle id with 'pushmta app update'.")
    fileprivate static let missingPayload = AnswerNote(
        .service, "The frame contains no payload.", advice: checkGateway)
    fileprivate static let invalidTokenSize = AnswerNote(
        .device, "The device token does not have the length that the gateway expects.",
        advice:
            "If many devices are affected, check that the app registers its device token and not another "
            + "identifier. If only a few devices are affected, no action is needed: their apps register a "
            + "new token.")
    fileprivate static let invalidTopicSize = AnswerNote(
        .account, "The topic in the certificate does not have a valid length.",
        advice: "Give the app a certificate for pushes of its bundle id with 'pushmta app update'.")
    fileprivate static let invalidPayloadSize = AnswerNote(
        .message, "The payload is larger than the gateway permits; Apple's limit was 2048 bytes.",
        advice:
            "Shorten the texts, variables or custom data of the content, and submit the delivery again. "
            + "PushMTA checks the limit in nmac/iosBinary/@maxPayloadBytes itself, so a smaller limit of the "
            + "gateway may be the cause.")
    fileprivate static let invalidToken = AnswerNote(
        .device,
        "The device token is invalid, or it belongs to the other environment (sandbox or production). If the "
            + "reason contains 'not sent', PushMTA did not send the message because the token is not "
            + "hexadecimal or is too long; this has no effect on quarantine.",
        advice:
            "If many devices are affected, compare the app's environment and certificate in PushMTA with "
            + "those of the builds that register devices. If only a few devices are affected, no action is "
            + "needed: their apps register a new token.")
    fileprivate static let shutdown = AnswerNote(
        .gateway,
        "The gateway is shutting down. The frame that its error packet names was accepted; later frames are "
            + "sent again.",
        advice: "No action is needed.")
    fileprivate static let protocolError = AnswerNote(
        .service, "The gateway could not parse the frame.", advice: checkGateway)
    fileprivate static let unknown = AnswerNote(
        .unclear,
        "The gateway reports an error without a known cause. PushMTA treats every status that is not in "
            + "Apple's list, such as '200 unknown', in the same way.",
        advice: "If the problem persists, check the log of the gateway in nmac/iosBinary/@gateway.")
    fileprivate static let closedWithoutPacket = AnswerNote(
        .unclear,
        "The gateway closed the connection without a valid error packet, so it is unknown which messages the "
            + "gateway accepted. Messages without a known result are sent again and may arrive twice.",
        advice:
            "If the problem persists, check the log of the gateway in nmac/iosBinary/@gateway, and whether a "
            + "proxy or firewall closes idle connections.")
    fileprivate static let connectionLost = AnswerNote(
        .network,
        "The connection to the gateway failed or was lost. If messages were already sent on the connection, "
            + "they are sent again and may arrive twice.",
        advice:
            "Check name resolution, the firewall and the proxy settings between this machine and the "
            + "gateway in nmac/iosBinary/@gateway. 'pushmta explain' shows the host and port that the "
            + "app's account uses.")
    fileprivate static let certificate = AnswerNote(
        .account,
        "The TLS handshake failed: the gateway refuses the app's certificate, PushMTA does not trust the "
            + "gateway's certificate, or the host is wrong.",
        advice:
            "Check that the app's certificate has not expired, and that nmac/iosBinary/@trustedCertsChain "
            + "contains the authority of the gateway. 'pushmta app update' gives the app another "
            + "certificate.")
    fileprivate static let feedbackTuple = AnswerNote(
        .device, "The feedback service reports that the app was removed from the device at a certain time.",
        advice: "No action is needed: a device that registered after that time stays valid.")
}
