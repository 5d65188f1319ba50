package import PushModel

/// The answers to messages that were submitted in a span and are all settled.
///
/// A grant's messages are a span: they were submitted together. Its answers count only when each of its messages is
/// settled and those of all earlier grants of the account are, too. Answers in order of arrival would be a biased
/// sample: some gateways report a bad token at once, but a good one only after seconds of silence.
///
/// **Guarantees.** Each message counts at most once. What the accounts of other apps do delays nothing. It keeps at
/// most ``mostSpans`` spans of an account.
/// **Failures.** None: a grant that it does not know changes nothing.
package struct AnswerSpans: Sendable {
    private struct Span {
        var answers: AccountAnswers
        /// Messages without an outcome.
        var open: Int
        let acceptancesArriveLate: Bool
    }

    private var spans: [GrantID: Span] = [:]
    /// In the order of submission.
    private var order: [AccountKey: FIFOQueue<GrantID>] = [:]
    /// Accounts whose first span is settled.
    private var settled: Set<AccountKey> = []

    /// A single message may be a grant of its own, and the first of many may be with a child that hangs.
    static let mostSpans = 20_000

    package init() {}

    /// Messages were submitted.
    package mutating func submitted(
        _ grant: GrantID, messages: Int, through account: AccountKey, acceptancesArriveLate: Bool
    ) {
        guard messages > 0, spans[grant] == nil else { return }
        spans[grant] = Span(
            answers: AccountAnswers(account: account), open: messages,
            acceptancesArriveLate: acceptancesArriveLate)
        order[account, default: FIFOQueue()].append(grant)
        if let queue = order[account], queue.count > Self.mostSpans, let first = queue.first { settle(first) }
    }

    /// What one message's outcome is evidence of.
    package enum Answer: Sendable { case accepted, aboutToken, unanswered, nothing }

    /// So many messages of the grant have an outcome.
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

    /// Nothing more is heard of the grant: its child was lost, or has given back the rest.
    package mutating func settle(_ grant: GrantID) {
        guard let open = spans[grant]?.open else { return }
        answered(grant, .unanswered, open)
    }

    private mutating func note(_ account: AccountKey, _ grant: GrantID) {
        if order[account]?.first == grant { settled.insert(account) }
    }

    /// The answers that count from now on.
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
