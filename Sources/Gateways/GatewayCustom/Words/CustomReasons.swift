package import PushModel
internal import PushWire

/// All answers of a receiver and all events that replace an answer, with their meaning, one row each.
///
/// The reason codes without parentheses are those of Docs/Send/CustomConnector.md. See ``PushModel/Verdict`` for
/// the columns.
package enum CustomReasons {
    package struct Row: Equatable, Sendable {
        package let word: String
        package let verdict: Verdict
    }

    package static let accepted = "accepted"

    package static let tokenDead = Row(
        word: "tokenDead",
        verdict: Verdict(
            scope: .token, schedule: .none, countsAttempt: true, failureType: .hard,
            failureReason: .userUnknown, quarantine: .yes))
    package static let refused = Row(
        word: "refused",
        verdict: Verdict(
            scope: .message, schedule: .none, countsAttempt: true, failureType: .soft,
            failureReason: .refused, quarantine: .no))
    /// Concerns this message only, so other messages of the account continue.
    package static let later = Row(
        word: "later",
        verdict: Verdict(
            scope: .token, schedule: .soon, minimumDelaySeconds: 60, countsAttempt: true, failureType: .soft,
            failureReason: .unreachable, quarantine: .no))
    package static let credentialRefused = Row(
        word: "credentialRefused",
        verdict: Verdict(
            scope: .account, schedule: .hold, countsAttempt: false, failureType: .soft,
            failureReason: .refused, quarantine: .no))

    /// A wrong URL, or a message that the receiver cannot read. The message is tried a few times alone. If a
    /// message for another token gets the same answer alone, the account stops.
    package static let batchRefused = Row(
        word: "(batch refused)",
        verdict: Verdict(
            scope: .message, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 5, countsAttempt: true,
            failureType: .soft, failureReason: .refused, quarantine: .no, mayWiden: true))
    /// The receiver reports that it has accepted no message of the batch.
    package static let notTaken = Row(
        word: "(not taken)",
        verdict: Verdict(
            scope: .transient, schedule: .soon, minimumDelaySeconds: 10, countsAttempt: true,
            failureType: .soft, failureReason: .unreachable, quarantine: .no))
    /// An answer without a readable verdict. The recipient may have the message, so it is sent at most once
    /// more.
    package static let unclear = Row(
        word: "(unclear answer)",
        verdict: Verdict(
            scope: .transient, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 2, countsAttempt: true,
            failureType: .soft, failureReason: .unreachable, quarantine: .no))
    /// The receiver may have the batch; the next one contains the same ids.
    package static let noAnswer = Row(
        word: "(no answer)",
        verdict: Verdict(
            scope: .transient, schedule: .soon, minimumDelaySeconds: 1, countsAttempt: true,
            failureType: .soft, failureReason: .unreachable, quarantine: .no))
    package static let connectFailed = Row(
        word: "(connect failed)",
        verdict: Verdict(
            scope: .transient, schedule: .now, countsAttempt: false, failureType: .soft,
            failureReason: .unreachable, quarantine: .no))

    /// The possible verdicts of an answer in addition to ``accepted``.
    static let verdicts = [tokenDead, refused, later, credentialRefused]

    package static let rows =
        verdicts + [batchRefused, notTaken, unclear, noAnswer, connectFailed]

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
