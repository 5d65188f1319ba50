/// How one attempt at a message ended.
///
/// A send has three endings, and "nobody answered" is not "no". The fourth case is not an ending of a send:
/// the gateway never saw the message.
package enum Outcome: Equatable, Sendable {
    /// The gateway took it. `providerID` is what its delivery log calls it, where it says so.
    case accepted(providerID: String?)
    /// The gateway answered no; the verdict says to whom and whether the message may go again.
    case rejected(Verdict, reason: String)
    /// No answer: try again, and it may arrive twice.
    case undecided(Verdict, reason: String)
    /// Certainly not delivered; as if never granted.
    case neverSent(Verdict, reason: String)
    /// Found too large to send after rendering.
    case tooLarge(bytes: Int, limit: Int)
    /// Its subscriber lacks a parameter that the content wants.
    case missing(parameter: String)
}

/// What the store is told of one message.
package struct MessageRecord: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        case sent(providerID: String?)
        case failed(FailureType, FailureReason, providerReason: String)
        /// Due again at this time; the last answer is kept in case validity ends first.
        case retrying(due: WallTime, FailureType, FailureReason, providerReason: String)
        /// Never tried and will not be.
        case cancelled(FailureReason, why: String)
        case excluded(FailureReason, why: String)
    }
    package var message: MessageID
    package var change: Change
    /// Whether this was an attempt that counts.
    package var countsAttempt: Bool
    /// What the answer says of the token; held until its account is believed.
    package var tokenVerdict: TokenVerdict?

    package init(message: MessageID, change: Change, countsAttempt: Bool, tokenVerdict: TokenVerdict? = nil) {
        self.message = message
        self.change = change
        self.countsAttempt = countsAttempt
        self.tokenVerdict = tokenVerdict
    }
}

/// Outcomes of one delivery that are to be recorded together.
package struct OutcomeBatch: Sendable {
    package var delivery: DeliveryID
    /// Accepted without anything to note: nearly all, so they travel as bare numbers.
    package var accepted: [MessageID] = []
    package var others: [MessageRecord] = []
    /// The answers of accounts whose spans these outcomes settled: the evidence by which verdicts are believed.
    package var answers: [AccountAnswers] = []

    package init(delivery: DeliveryID) { self.delivery = delivery }
    package var count: Int { accepted.count + others.count }

    /// Adds to what is said of an account.
    package mutating func count(_ more: AccountAnswers) {
        if let index = answers.firstIndex(where: { $0.account == more.account }) {
            answers[index] += more
        } else {
            answers.append(more)
        }
    }
}
