package import PushModel
internal import PushWire

/// A table with one row for each answer of a receiver and each event that replaces an answer, with the
/// consequences and the meaning.
///
/// The reason codes without parentheses are defined in Docs/Send/CustomConnector.md. See
/// ``PushModel/Verdict`` for the columns.
package enum CustomReasons {
    package struct Row: Equatable, Sendable {
        package let word: String
        /// The HTTP statuses with which the answer arrives; empty if the row is a verdict on a message or
        /// replaces an answer.
        package var status = ""
        package let verdict: Verdict
        package let note: AnswerNote
    }

    package static let accepted = "accepted"

    package static let tokenDead = Row(
        word: "tokenDead",
        verdict: Verdict(
            scope: .token, schedule: .none, countsAttempt: true, failureType: .hard,
            failureReason: .userUnknown, quarantine: .yes),
        note: .tokenDead)
    package static let refused = Row(
        word: "refused",
        verdict: Verdict(
            scope: .message, schedule: .none, countsAttempt: true, failureType: .soft,
            failureReason: .refused, quarantine: .no),
        note: .refused)
    /// The verdict concerns this message only, so the account's other messages continue.
    package static let later = Row(
        word: "later",
        verdict: Verdict(
            scope: .token, schedule: .soon, minimumDelaySeconds: 60, countsAttempt: true, failureType: .soft,
            failureReason: .unreachable, quarantine: .no),
        note: .later)
    package static let credentialRefused = Row(
        word: "credentialRefused",
        verdict: Verdict(
            scope: .account, schedule: .hold, countsAttempt: false, failureType: .soft,
            failureReason: .refused, quarantine: .no),
        note: .credentialRefused)

    /// The URL is wrong, or the receiver cannot read a message. Each message is then sent alone and tried a
    /// few times. If messages for two tokens get the same answer when sent alone, the account stops.
    package static let batchRefused = Row(
        word: "(batch refused)", status: "3xx, 4xx",
        verdict: Verdict(
            scope: .message, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 5, countsAttempt: true,
            failureType: .soft, failureReason: .refused, quarantine: .no, mayWiden: true),
        note: .batchRefused)
    /// The receiver reports that it has not accepted any message from the batch.
    package static let notTaken = Row(
        word: "(not taken)", status: "408, 429, 5xx",
        verdict: Verdict(
            scope: .transient, schedule: .soon, minimumDelaySeconds: 10, countsAttempt: true,
            failureType: .soft, failureReason: .unreachable, quarantine: .no),
        note: .notTaken)
    /// The answer has no readable verdict. The receiver may have the message, so the message is sent at most
    /// once more.
    package static let unclear = Row(
        word: "(unclear answer)", status: "2xx",
        verdict: Verdict(
            scope: .transient, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 2, countsAttempt: true,
            failureType: .soft, failureReason: .unreachable, quarantine: .no),
        note: .unclear)
    /// The receiver may have the batch. The next batch contains the same ids, so that the receiver can
    /// recognise duplicates.
    package static let noAnswer = Row(
        word: "(no answer)",
        verdict: Verdict(
            scope: .transient, schedule: .soon, minimumDelaySeconds: 1, countsAttempt: true,
            failureType: .soft, failureReason: .unreachable, quarantine: .no),
        note: .noAnswer)
    package static let connectFailed = Row(
        word: "(connect failed)",
        verdict: Verdict(
            scope: .transient, schedule: .now, countsAttempt: false, failureType: .soft,
            failureReason: .unreachable, quarantine: .no),
        note: .connectFailed)

    /// The possible verdicts of an answer in addition to ``accepted``.
    static let verdicts = [tokenDead, refused, later, credentialRefused]

    package static let rows =
        verdicts + [batchRefused, notTaken, unclear, noAnswer, connectFailed]

    package static let table = AnswerTable(
        "Custom",
        introduction:
            "Connector `custom`: your own receiver, as described in "
            + "[CustomConnector.md](../Send/CustomConnector.md). A message with the verdict `accepted` "
            + "counts as sent.",
        rows.map { ($0.word, $0.status, $0.verdict, $0.note) })

    /// Returns the row that applies to each message of a batch whose answer is not 200.
    static func row(ofStatus status: Int) -> Row {
        switch status {
        // The receiver has the batch but does not report on its messages.
        case 201..<300: unclear
        case 401, 403, 407: credentialRefused
        case 408, 429, 500...: notTaken
        default: batchRefused
        }
    }
}

/// The meanings of the table.
extension AnswerNote {
    fileprivate static let tokenDead = AnswerNote(
        .device, "The receiver reports that the token is no longer valid.",
        advice:
            "No action is needed if the receiver is correct: the device receives messages again after it has "
            + "registered.")
    fileprivate static let refused = AnswerNote(
        .message, "The receiver reports that it can never deliver this message.",
        advice: "See the receiver's text, which follows the code, and the receiver's log.")
    fileprivate static let later = AnswerNote(
        .gateway, "The receiver reports that it can deliver this message only later.",
        advice:
            "If the problem persists, see the receiver's text, which follows the code, and the receiver's "
            + "log.")
    fileprivate static let credentialRefused = AnswerNote(
        .account, "The receiver does not accept the secret, or answers with status 401, 403 or 407.",
        advice:
            "Compare the secret in nmac/custom/@secretFile with the receiver's secret. If a proxy is "
            + "configured, check that it permits the host.")
    fileprivate static let batchRefused = AnswerNote(
        .unclear,
        "The receiver refuses the whole request: the URL is wrong, or the receiver cannot read a message in "
            + "the request.",
        advice:
            "Check nmac/custom/@url, and see the log of the receiver. If only individual messages are "
            + "refused, check their content.")
    fileprivate static let notTaken = AnswerNote(
        .gateway,
        "The receiver's status indicates that the receiver did not accept any message in the "
            + "request.",
        advice:
            "If the problem persists, see the log of the receiver. The setting "
            + "nmac/custom/@messagesPerMinute limits the rate.")
    fileprivate static let unclear = AnswerNote(
        .gateway,
        "The receiver's answer contains no readable verdict for the message. The recipient may receive "
            + "the message twice.",
        advice:
            "Correct the receiver: it must answer with one known verdict for each message. "
            + "Docs/Send/CustomConnector.md describes the format.")
    fileprivate static let noAnswer = AnswerNote(
        .network,
        "The connection was lost, or the receiver did not answer in time. The next request contains the "
            + "same message ids.",
        advice:
            "If the problem persists, see the log of the receiver. The setting "
            + "nmac/custom/@requestTimeoutSec sets how long PushMTA waits for an answer.")
    fileprivate static let connectFailed = AnswerNote(
        .network, "No connection to the receiver could be opened.",
        advice:
            "Check that the receiver is running, and check nmac/custom/@url, name resolution, the firewall "
            + "and the proxy settings.")
}
