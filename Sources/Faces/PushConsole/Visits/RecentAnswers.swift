internal import PushAPI
internal import PushModel
internal import Synchronization

/// The answers that live parts of pages have received within the last second.
///
/// Each open page requests its live part every two seconds. However many pages show the same object, its data
/// is read at most about once a second, so that open pages do not slow sending down.
final class RecentAnswers: Sendable {
    fileprivate static let milliseconds: Int64 = 1_000
    /// If there are more within a second, all are forgotten.
    private static let maxAnswers = 100

    private struct Entry: Sendable {
        let at: MonotonicTime
        let answer: any Sendable

        func isRecent(at now: MonotonicTime) -> Bool {
            now.milliseconds(since: at) < RecentAnswers.milliseconds
        }
    }
    private let entries = Mutex<[String: Entry]>([:])

    /// - Returns: `nil` if there is no recent answer.
    func answer<Answer: Sendable>(to question: String, at now: MonotonicTime) -> Answer? {
        entries.withLock { entries in
            entries[question].flatMap { $0.isRecent(at: now) ? $0.answer as? Answer : nil }
        }
    }

    func keep(_ answer: some Sendable, to question: String, at now: MonotonicTime) {
        entries.withLock { entries in
            entries = entries.filter { $0.value.isRecent(at: now) }
            if entries.count >= Self.maxAnswers { entries.removeAll() }
            entries[question] = Entry(at: now, answer: answer)
        }
    }
}

extension Visit {
    /// Carries out a use case for a live part of a page. A request for the part alone can receive the answer
    /// of another request within the last second. A whole page always receives a new answer, because it may
    /// follow a change.
    /// - Parameter subject: The values of the use case's members, such as an id.
    func recently<Use: UseCase>(_ use: Use, of subject: String = "") throws -> Use.Answer {
        try check(use)
        return try recently(Use.name, of: subject) { try use.carryOut(by: operations) }
    }

    /// As ``recently(_:of:)``, for an operation that is not a use case. Its route must need the scope.
    func recently<Answer: Sendable>(
        _ name: String, of subject: String, _ ask: () throws -> Answer
    ) throws -> Answer {
        // People who are bound to the same services see the same.
        let bounds = operations.bounds.services.map { "\($0.map(\.rawValue).sorted())" } ?? "all"
        let question = "\(name) \(bounds) \(subject)"
        let now = operations.clock.monotonic()
        if request.isFragment, let answer: Answer = recent.answer(to: question, at: now) { return answer }
        let answer = try ask()
        recent.keep(answer, to: question, at: now)
        return answer
    }
}
