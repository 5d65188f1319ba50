/// The purposes of units, in the order in which they are served.
package enum WriteClass: Int, CaseIterable, Comparable, Sendable {
    /// Results of messages. Never refused, because no other component knows them.
    case outcomes
    /// Submissions and operators' commands.
    case control
    case registrations
    case hits
    /// Ending messages whose validity is over, and processing the information about tokens in answers.
    case verdicts
    case preparation
    case bulk

    /// The name, which is read at every commit.
    var name: String { Self.names[rawValue] }
    private static let names = allCases.map { "\($0)" }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Whether units of this class wait for further units whenever outcomes do. Callers do not notice a delay
    /// of a few milliseconds.
    var goesWithOutcomes: Bool {
        switch self {
        case .registrations, .hits: true
        case .outcomes, .control, .verdicts, .preparation, .bulk: false
        }
    }

    /// The maximum number of units that may wait at once; further ones are refused. `nil` if none is refused,
    /// because the engine itself limits their number.
    var maximumWaiting: Int? {
        switch self {
        case .control: 1_000
        case .registrations, .hits: 20_000
        case .outcomes, .verdicts, .preparation, .bulk: nil
        }
    }

    /// Whether each unit of this class has a caller that waits for the answer and that can do something more
    /// useful than wait. Such units are refused while the store cannot be written.
    var isAnsweredDuringFailure: Bool {
        switch self {
        case .control, .registrations, .hits: true
        case .outcomes, .verdicts, .preparation, .bulk: false
        }
    }

    /// The maximum age of the oldest waiting unit. If it is older, further units are refused.
    static let maximumAgeMilliseconds: Int64 = 10_000
}
