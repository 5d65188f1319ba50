/// The meaning of a gateway's reason code for an operator.
///
/// The meaning and the advice consist of sentences. The first sentence of each is complete without the
/// sentences after it, because commands and alarms print only first sentences.
package struct AnswerNote: Equatable, Sendable {
    /// What must change so that the gateway no longer gives this answer.
    package enum Fault: String, Sendable, CaseIterable {
        case device = "device or app build"
        case account = "account or credential"
        case message = "message"
        case service = "PushMTA, its rate or settings"
        case gateway = "gateway"
        case network = "network"
        case unclear = "unclear"
    }

    package let fault: Fault
    package let meaning: String
    /// What the operator can do.
    package let advice: String

    package init(_ fault: Fault, _ meaning: String, advice: String) {
        (self.fault, self.meaning, self.advice) = (fault, meaning, advice)
    }

    /// The first sentence of the meaning, without its period.
    package var shortMeaning: String { meaning.firstSentence }
    /// The first sentence of the advice, without its period.
    package var shortAdvice: String { advice.firstSentence }
}

/// One row of a gateway's table of answers. It contains everything that an operator may want to know about a
/// reason code of the gateway, or about an event that takes the place of an answer. For such an event, `word`
/// is PushMTA's own reason code, in parentheses.
package struct GatewayAnswer: Equatable, Sendable {
    /// The page that describes all answers, relative to the documentation's folder.
    package static let page = "Reference/GatewayAnswers.md"

    /// The name of the gateway, as in ``AnswerTable/gateway``.
    package let gateway: String
    package let word: String
    /// The status that accompanies the reason code, such as `400` or `5xx`; empty if the reason code has no
    /// particular status.
    package let status: String
    /// What the engine does.
    package let verdict: Verdict
    package let note: AnswerNote

    /// The heading of the answer's section on the page.
    package var heading: String { "\(gateway) \(word)" }

    /// The anchor that Markdown viewers derive from the heading: its letters, digits, hyphens and underscores
    /// in lower case, with a hyphen for each space.
    package var anchor: String {
        let characters = heading.lowercased().compactMap { character -> Character? in
            if character == " " { return "-" }
            let isKept =
                character.isLetter || character.isNumber || character == "-" || character == "_"
            return isKept ? character : nil
        }
        return String(characters)
    }

    /// Reports whether a reason begins with the answer's word. Details may follow the word.
    func begins(_ reason: String) -> Bool {
        guard reason.hasPrefix(word) else { return false }
        let rest = reason.dropFirst(word.count)
        return rest.isEmpty || rest.hasPrefix(": ") || rest.hasPrefix(", ") || rest.hasPrefix(" for topic ")
            || word.hasPrefix("(") && rest.hasPrefix(" ")
    }
}

/// All reason codes of a gateway and all events that take the place of an answer.
package struct AnswerTable: Sendable {
    package typealias Row = (word: String, status: String, verdict: Verdict, note: AnswerNote)

    /// The gateway's name. The anchors begin with it.
    package let gateway: String
    /// The sentences at the beginning of the gateway's section, in Markdown.
    package let introduction: String
    /// The same word may occur in several rows, one for each status. These rows have the same note.
    package let answers: [GatewayAnswer]

    package init(_ gateway: String, introduction: String, _ rows: [Row]) {
        (self.gateway, self.introduction) = (gateway, introduction)
        answers = rows.map { row in
            GatewayAnswer(
                gateway: gateway, word: row.word, status: row.status, verdict: row.verdict, note: row.note)
        }
    }

    /// Returns the answer whose word a reason begins with; `nil` if the reason is not in the table.
    package func answer(to reason: String) -> GatewayAnswer? { answers.first { $0.begins(reason) } }
}

extension String {
    /// The first sentence, without its period.
    package var firstSentence: String {
        if let end = firstRange(of: ". ") { return String(self[..<end.lowerBound]) }
        return hasSuffix(".") ? String(dropLast()) : self
    }

    /// Returns the text, followed by the sentences of an explanation. If the explanation is `nil`, the text
    /// is unchanged.
    package func followed(by explanation: String?) -> String {
        guard let explanation else { return self }
        return hasSuffix(".") ? "\(self) \(explanation)" : "\(self). \(explanation)"
    }
}
