package import PushModel

/// All answers of the binary gateway and all events on its connections, with their meaning, one row each.
///
/// The status codes are Apple's ("Binary Provider API"); the failure types and reasons are Campaign's, unless
/// they contradict the protocol. A reason in parentheses is not one of the gateway's own. See
/// ``PushModel/Verdict`` for the columns.
package enum APNsBinaryReasons {
    package struct Row: Equatable, Sendable {
        /// The status code and Apple's name for it.
        package let wire: String
        /// The status of an error packet; `nil` if there is no packet.
        package let status: UInt8?
        package let verdict: Verdict
    }

    package static let unknown = row(255, "unknown", .laterOn)
    /// The gateway sends this when it closes a connection. The frame that it names was sent, so this row does
    /// not apply to any frame.
    package static let shutdown = row(10, "shutdown", .unprocessed)
    package static let invalidToken = row(8, "invalid token", .deadToken)
    /// It is unknown which frames the gateway accepted; sending them again may produce duplicates.
    package static let closedWithoutPacket = row("(closed without error packet)", .laterOn)
    /// As above, and the gateway did not even close the connection.
    package static let connectionLost = row("(connection lost)", .laterOn)
    package static let certificate = row("(certificate or configuration)", .accountStops)
    /// The feedback service's report about a token.
    package static let feedbackTuple = row(
        "(feedback tuple)",
        Verdict(
            scope: .token, schedule: .none, countsAttempt: false,
            failureType: .hard, failureReason: .userUnknown, quarantine: .yes))

    package static let rows: [Row] = [
        row(1, "processing error", .laterOn),
        row(2, "missing device token", .badMessage),
        row(3, "missing topic", .accountStops),
        row(4, "missing payload", .badMessage),
        row(5, "invalid token size", .deadToken),
        row(6, "invalid topic size", .accountStops),
        row(7, "invalid payload size", .badMessage),
        invalidToken,
        shutdown,
        // The frame could not be parsed.
        row(128, "protocol error", .badMessage),
        unknown, closedWithoutPacket, connectionLost, certificate, feedbackTuple,
    ]

    /// Returns the row of a status code on Apple's list.
    static func row(ofStatus status: UInt8) -> Row? { rows.first { $0.status == status } }

    private static func row(_ status: UInt8, _ words: String, _ verdict: Verdict) -> Row {
        Row(wire: "\(status) \(words)", status: status, verdict: verdict)
    }

    private static func row(_ wire: String, _ verdict: Verdict) -> Row {
        Row(wire: wire, status: nil, verdict: verdict)
    }
}

/// The verdicts that occur more than once in the table or need a name.
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
