package import PushModel

/// What a master has counted since it began, for metrics: sums that only grow. Only its own process asks.
package struct MasterFigures: Equatable, Sendable {
    /// What became of a message when it was with a child, in kinds.
    package enum Answer: String, CaseIterable, Sendable {
        case accepted, rejected, undecided
        case neverSent = "never_sent"
        case tooLarge = "too_large"
        case missingParameter = "missing_parameter"
    }

    package struct Account: Equatable, Sendable {
        package var name: String
        /// By the place of the kind in ``Answer/allCases``.
        package var answers = [UInt64](repeating: 0, count: Answer.allCases.count)
        /// From commit to the first hand-over to the gateway.
        package var waits = LatencyCounts()
        /// From hand-over to answer.
        package var gateway = LatencyCounts()

        package init(name: String) { self.name = name }

        package var isEmpty: Bool { answers.allSatisfy { $0 == 0 } }
    }

    package struct Reason: Hashable, Sendable {
        package var answer: Answer
        /// The gateway's word, or ours in parentheses.
        package var word: String

        package init(answer: Answer, word: String) {
            self.answer = answer
            self.word = word
        }
    }

    /// Accounts that had a message in this life, at most ``mostAccounts`` and one ``others`` for the rest.
    package var accounts: [Account] = []
    /// Of answers that were no plain acceptances, at most ``mostReasons``, and ``others`` for the rest.
    package var reasons: [Reason: UInt64] = [:]
    /// From the gateway's answer to the commit of what it means.
    package var recorded = LatencyCounts()
    /// Messages that the working children may have, all together.
    package var capacity = 0
    package var childrenStarted: UInt64 = 0
    /// `orderly`, `crashed`, `killed`, or `not_started`.
    package var childrenEnded: [String: UInt64] = [:]
    /// Guarantees of the program that were found broken, by ``EngineFault/Boundary``.
    package var engineFaults: [String: UInt64] = [:]
    package var writes = WriteFigures()

    package static let mostAccounts = 1_000
    package static let mostReasons = 200
    /// Stands for all names beyond the bound.
    package static let others = "other"

    package init() {}
}
