package import PushModel

/// Collects the answers to messages, and releases them span by span when all messages of a span are settled.
///
/// A grant's messages are a span, because they were submitted together. The span's answers count only when
/// each of its messages is settled and all earlier grants of the account are settled too. Answers in order of
/// arrival would be a biased sample: some gateways report a bad token immediately, but confirm a good one
/// only by seconds of silence.
///
/// **Guarantees.** Each message counts at most once. Activity on accounts of other apps delays nothing. At
/// most ``maxSpans`` spans are kept per account.
/// **Failures.** None: an unknown grant changes nothing.
package struct AnswerSpans: Sendable {
    private struct Span {
        var answers: AccountAnswers
        /// The number of messages without an outcome.
        var open: Int
        let acceptancesArriveLate: Bool
    }

    private var spans: [GrantID: Span] = [:]
    /// The grants of each account, in order of submission.
    private var order: [AccountKey: FIFOQueue<GrantID>] = [:]
    /// Accounts whose first span is settled.
    private var settled: Set<AccountKey> = []

    /// The maximum number of spans per account. Without it, the number could grow without limit, because
    /// single messages may be separate grants, and the first of many grants may be with a child that hangs.
    static let maxSpans = 20_000

    package init() {}

    /// Records submitted messages.
    package mutating func submitted(
        _ grant: GrantID, messages: Int, through account: AccountKey, acceptancesArriveLate: Bool
    ) {
        guard messages > 0, spans[grant] == nil else { return }
        spans[grant] = Span(
            answers: AccountAnswers(account: account), open: messages,
            acceptancesArriveLate: acceptancesArriveLate)
        order[account, default: FIFOQueue()].append(grant)
        if let queue = order[account], queue.count > Self.maxSpans, let first = queue.first { settle(first) }
    }

    /// The evidence that one message's outcome provides.
    package enum Answer: Sendable { case accepted, aboutToken, unanswered, nothing }

    /// Records an outcome for the given number of messages of the grant.
    package mutating func answered(_ grant: GrantID, _ answer: Answer, _ messages: Int = 1) {
        guard let place = spans.index(forKey: grant) else { return }
        let count = min(messages, spans.values[place].open)
        spans.values[place].open -= count
        switch answer {
        case .accepted: spans.values[place].answers.accepted += count
        case .aboutToken: spans.values[place].answers.aboutTokens += count
        case .unanswered where spans.values[place].acceptancesArriveLate:
            spans.values[place].answers.unanswered += count
        case .unanswered, .nothing: break
        }
        if spans.values[place].open == 0 { note(spans.values[place].answers.account, grant) }
    }

    /// Records that no further outcomes of the grant follow: its child was lost or has given back the rest.
    package mutating func settle(_ grant: GrantID) {
        guard let open = spans[grant]?.open else { return }
        answered(grant, .unanswered, open)
    }

    private mutating func note(_ account: AccountKey, _ grant: GrantID) {
        if order[account]?.first == grant { settled.insert(account) }
    }

    /// Returns the answers that have been settled since the last call. These answers count from now on.
    package mutating func takeSettled() -> [AccountAnswers] {
        guard !settled.isEmpty else { return [] }
        var taken: [AccountAnswers] = []
        for account in settled {
            guard var queue = order.removeValue(forKey: account) else { continue }
            var answers = AccountAnswers(account: account)
            while let grant = queue.first, let span = spans[grant], span.open == 0 {
                answers += span.answers
                spans[grant] = nil
                _ = queue.popFirst()
            }
            if !queue.isEmpty { order[account] = queue }
            if !answers.isEmpty { taken.append(answers) }
        }
        settled = []
        return taken
    }
}
