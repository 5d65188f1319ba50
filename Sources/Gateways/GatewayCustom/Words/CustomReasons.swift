package import PushModel
internal import PushWire

/// Everything that a receiver answers, or that happens instead, with what it means: one row each.
///
/// The words without parentheses are those of Docs/CustomConnector.md. See ``PushModel/Verdict`` for the columns.
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
    /// About this message alone, so that others of the account go on.
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

    /// A wrong URL, or a message that the receiver cannot read: tried a few times alone, and if a message for another
    /// token gets the same answer alone, the account stops.
    package static let batchRefused = Row(
        word: "(batch refused)",
        verdict: Verdict(
            scope: .message, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 5, countsAttempt: true,
            failureType: .soft, failureReason: .refused, quarantine: .no, mayWiden: true))
    /// The receiver says that it has taken nothing of the batch.
    package static let notTaken = Row(
        word: "(not taken)",
        verdict: Verdict(
            scope: .transient, schedule: .soon, minimumDelaySeconds: 10, countsAttempt: true,
            failureType: .soft, failureReason: .unreachable, quarantine: .no))
    /// An answer without a verdict that can be read. The recipient may have the message, so it goes once more at most.
    package static let unclear = Row(
        word: "(unclear answer)",
        verdict: Verdict(
            scope: .transient, schedule: .soon, minimumDelaySeconds: 60, maximumTries: 2, countsAttempt: true,
            failureType: .soft, failureReason: .unreachable, quarantine: .no))
    /// The receiver may have the batch: a second one brings the same ids.
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

    /// What a verdict of an answer can say beside ``accepted``.
    static let verdicts = [tokenDead, refused, later, credentialRefused]

    package static let rows =
        verdicts + [batchRefused, notTaken, unclear, noAnswer, connectFailed]

    /// What an answer other than 200 means for each message of its batch.
    static func row(ofStatus status: Int) -> Row {
        switch status {
        // It has the batch, and does not say of what message it is.
        case 201..<300: unclear
        case 401, 403, 407: credentialRefused
        case 408, 429, 500...: notTaken
        default: batchRefused
        }
    }
}
