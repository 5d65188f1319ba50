package import PushModel

/// The answers to one account's messages, since the gateway last accepted one of these messages, that may
/// concern more than the message that they answer.
///
/// A single answer never stops an account: a proxy's error page, a filter that rejects one text, or a token
/// of another platform produces the same answer. If the same answer is also given for a second token, the
/// answer concerns the topic. If it is also given for a second topic, the answer concerns the account. An
/// answer with a different text is a different answer and not evidence for this one. An acceptance clears the
/// record.
package struct ScopeEvidence: Equatable, Sendable {
    package enum Scope: Equatable, Sendable { case message, topic, account }

    private struct Answer: Equatable, Sendable {
        let token: Int
        let topic: String?
        let word: String
        var at: MonotonicTime
    }

    /// Older answers are not evidence for the present state.
    private static let secondsKept: Int64 = 600
    /// More answers than this would provide no further evidence.
    private static let maxKept = 8
    private var answers: [Answer] = []

    package init() {}

    package var isEmpty: Bool { answers.isEmpty }

    /// - Parameters:
    ///   - token: A hash of the device's token.
    ///   - topic: The topic; `nil` if the gateway has no topics. In that case, the same answer for a second
    ///     token concerns the account.
    ///   - word: The gateway's answer. Equal answers have equal texts.
    /// - Returns: The scope of the answer, as far as it is known now.
    package mutating func note(token: Int, topic: String?, word: String, at now: MonotonicTime) -> Scope {
        answers.removeAll { now >= $0.at.advanced(bySeconds: Self.secondsKept) }
        let others = answers.filter { $0.token != token && $0.word == word }
        let same = answers.firstIndex { $0.token == token && $0.topic == topic && $0.word == word }
        if let same {
            answers[same].at = now
        } else {
            if answers.count >= Self.maxKept { answers.removeFirst() }
            answers.append(Answer(token: token, topic: topic, word: word, at: now))
        }
        guard !others.isEmpty else { return .message }
        if topic == nil || others.contains(where: { $0.topic != topic }) { return .account }
        return .topic
    }

    /// Discards the answers, for example because the gateway has accepted a message of the account.
    package mutating func clear() { answers.removeAll() }
}
