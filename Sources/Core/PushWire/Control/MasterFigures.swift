package import PushModel

/// A master's figures for metrics: its current capacity, and counts since it started, which only grow. They
/// are available only in the master's own process.
package struct MasterFigures: Equatable, Sendable {
    /// The kind of result of a message that was granted to a child.
    package enum Answer: String, CaseIterable, Sendable {
        case accepted, rejected, undecided
        case neverSent = "never_sent"
        case tooLarge = "too_large"
        case missingParameter = "missing_parameter"
    }

    package struct Account: Equatable, Sendable {
        package var name: String
        /// The number of messages with each result, indexed by the result's place in ``Answer/allCases``.
        package var answers = [UInt64](repeating: 0, count: Answer.allCases.count)
        /// The times from commit to the first submission to the gateway.
        package var waits = LatencyCounts()
        /// The times from submission to answer.
        package var gateway = LatencyCounts()

        package init(name: String) { self.name = name }

        package var isEmpty: Bool { answers.allSatisfy { $0 == 0 } }
    }

    package struct Reason: Hashable, Sendable {
        package var answer: Answer
        /// The gateway's reason code, or one of the engine's own reason codes, which are in parentheses.
        package var word: String

        package init(answer: Answer, word: String) {
            self.answer = answer
            self.word = word
        }
    }

    /// The accounts that have had a message since the master started: at most ``maxAccounts``, plus one entry
    /// named ``others`` for the rest.
    package var accounts: [Account] = []
    /// The number of answers for each reason, without plain acceptances: at most ``maxReasons`` reasons, plus
    /// ``others`` for the rest.
    package var reasons: [Reason: UInt64] = [:]
    /// The times from the gateway's answer to the commit of the result.
    package var recorded = LatencyCounts()
    /// The total number of messages that the working children may have at a time.
    package var capacity = 0
    package var childrenStarted: UInt64 = 0
    /// The number of children that have ended, for each way of ending: `orderly`, `crashed`, `killed` or
    /// `not_started`.
    package var childrenEnded: [String: UInt64] = [:]
    /// How often each guarantee of the program was found broken, keyed by ``EngineFault/Boundary``.
    package var engineFaults: [String: UInt64] = [:]
    package var writes = WriteFigures()

    package static let maxAccounts = 1_000
    package static let maxReasons = 200
    /// The name of the entry for everything beyond the limit.
    package static let others = "other"

    package init() {}
}
