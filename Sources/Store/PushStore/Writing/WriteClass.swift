/// What a unit of writing is for, in the order of service.
package enum WriteClass: Int, CaseIterable, Comparable, Sendable {
    /// What became of messages. Never refused: nobody else knows it.
    case outcomes
    /// Submissions, and what an operator orders.
    case control
    case registrations
    case hits
    /// The end of validities, and what answers say of tokens.
    case verdicts
    case preparation
    case bulk

    /// Asked for at every commit.
    var name: String { Self.names[rawValue] }
    private static let names = allCases.map { "\($0)" }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Whether its units wait for company where outcomes do: nobody notices some milliseconds.
    var goesWithOutcomes: Bool {
        switch self {
        case .registrations, .hits: true
        case .outcomes, .control, .verdicts, .preparation, .bulk: false
        }
    }

    /// Units that may wait at once where more are refused; nil: none is refused, the engine bounds them
    /// itself.
    var maximumWaiting: Int? {
        switch self {
        case .control: 1_000
        case .registrations, .hits: 20_000
        case .outcomes, .verdicts, .preparation, .bulk: nil
        }
    }

    /// Whether somebody waits for the answer who may do better than wait: while the store cannot be written,
    /// these are refused.
    var isAnsweredInTrouble: Bool {
        switch self {
        case .control, .registrations, .hits: true
        case .outcomes, .verdicts, .preparation, .bulk: false
        }
    }

    /// Where the oldest that waits is older than this, more are refused.
    static let maximumAgeMilliseconds: Int64 = 10_000
}
