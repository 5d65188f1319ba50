/// The result of one attempt at a message.
///
/// A send has three possible results (`accepted`, `rejected` and `undecided`), and a missing answer is not a
/// rejection. The other cases are not the result of a send: the gateway never received the message.
package enum Outcome: Equatable, Sendable {
    /// The gateway accepted the message. `providerID` is the message's id in the gateway's delivery log, if
    /// the gateway returns such an id.
    case accepted(providerID: String?)
    /// The gateway rejected the message. The verdict states what the rejection is about and whether the
    /// message may be sent again.
    case rejected(Verdict, reason: String)
    /// There was no answer. The message is tried again and may arrive twice.
    case undecided(Verdict, reason: String)
    /// The message was certainly not delivered. It is treated as if it had never been granted.
    case neverSent(Verdict, reason: String)
    /// The rendered message is too large to be sent.
    case tooLarge(bytes: Int, limit: Int)
    /// The subscriber lacks a parameter that the content requires.
    case missing(parameter: String)
}

/// The change that the store records for one message.
package struct MessageRecord: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        case sent(providerID: String?)
        case failed(FailureType, FailureReason, providerReason: String)
        /// The message is due again at this time. The last answer is kept in case the validity ends first.
        case retrying(due: WallTime, FailureType, FailureReason, providerReason: String)
        /// The message was never tried and will not be tried.
        case cancelled(FailureReason, why: String)
        case excluded(FailureReason, why: String)
    }
    package var message: MessageID
    package var change: Change
    /// Whether this attempt counts toward the message's number of attempts.
    package var countsAttempt: Bool
    /// The answer's verdict about the token. It is held back until the account's answers are believed.
    package var tokenVerdict: TokenVerdict?

    package init(message: MessageID, change: Change, countsAttempt: Bool, tokenVerdict: TokenVerdict? = nil) {
        self.message = message
        self.change = change
        self.countsAttempt = countsAttempt
        self.tokenVerdict = tokenVerdict
    }
}

/// Outcomes of one delivery that are recorded together.
package struct OutcomeBatch: Sendable {
    package var delivery: DeliveryID
    /// Messages that were accepted without further details. These are nearly all messages, so only their
    /// numbers are transferred.
    package var accepted: [MessageID] = []
    package var others: [MessageRecord] = []
    /// For each account, the answers to the messages of the spans that these outcomes settled. They are the
    /// evidence for believing the account's verdicts.
    package var answers: [AccountAnswers] = []

    package init(delivery: DeliveryID) { self.delivery = delivery }
    package var count: Int { accepted.count + others.count }

    /// Adds answers to those of the same account.
    package mutating func count(_ more: AccountAnswers) {
        if let index = answers.firstIndex(where: { $0.account == more.account }) {
            answers[index] += more
        } else {
            answers.append(more)
        }
    }
}
