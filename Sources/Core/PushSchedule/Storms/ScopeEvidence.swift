package import PushModel

/// Answers of one account that may be about more than their own messages, since it last accepted one.
///
/// A single answer never stops an account: a proxy's error page, a filter that dislikes one text, or a token of
/// another platform gets the same words. Only the same answer about a second, different token shows that its topic
/// is meant, and about a second topic, that the account is. Other words are another answer, and no evidence for this
/// one. An acceptance clears what was noted.
package struct ScopeEvidence: Equatable, Sendable {
    package enum Scope: Equatable, Sendable { case message, topic, account }

    private struct Answer: Equatable, Sendable {
        let token: Int
        let topic: String?
        let word: String
        var at: MonotonicTime
    }

    /// Older answers say nothing about now.
    private static let secondsKept: Int64 = 600
    /// So many tell as much as more would.
    private static let mostKept = 8
    private var answers: [Answer] = []

    package init() {}

    package var isEmpty: Bool { answers.isEmpty }

    /// - Parameters:
    ///   - token: a hash of the device's token.
    ///   - topic: nil if the gateway has no topics; then a second token means the account.
    ///   - word: what the gateway answered; the same for the same answer.
    /// - Returns: what the answer is about, as far as is known now.
    package mutating func note(token: Int, topic: String?, word: String, at now: MonotonicTime) -> Scope {
        answers.removeAll { now >= $0.at.advanced(bySeconds: Self.secondsKept) }
        let others = answers.filter { $0.token != token && $0.word == word }
        let same = answers.firstIndex { $0.token == token && $0.topic == topic && $0.word == word }
        if let same {
            answers[same].at = now
        } else {
            if answers.count >= Self.mostKept { answers.removeFirst() }
            answers.append(Answer(token: token, topic: topic, word: word, at: now))
        }
        guard !others.isEmpty else { return .message }
        if topic == nil || others.contains(where: { $0.topic != topic }) { return .account }
        return .topic
    }

    /// The account accepted a message.
    package mutating func clear() { answers.removeAll() }
}
