package import PushModel
internal import PushStore
internal import PushWire

/// What a feedback service tells on its way into the store.
///
/// **Promises.** At once, in transactions of bounded size: the service forgets what it has told, so nothing
/// waits in memory. **Failures.** The first one is kept in ``failure``, and nothing more is applied.
struct FeedbackApplication {
    private let operations: Operations
    private let app: AppID
    private let report: (FeedbackChange) -> Void
    private var throttle: BulkWriteThrottle
    private(set) var counts = FeedbackCounts()
    private(set) var failure: (any Error)?

    init(_ operations: Operations, app: AppID, report: @escaping (FeedbackChange) -> Void) {
        self.operations = operations
        self.app = app
        self.report = report
        throttle = BulkWriteThrottle(operations)
    }

    mutating func take(_ tuples: [FeedbackTuple]) {
        var rest = tuples[...]
        while failure == nil, !rest.isEmpty {
            let chunk = rest.prefix(FeedbackWriter.tuplesPerCall)
            rest = rest.dropFirst(chunk.count)
            do { try apply(chunk) } catch { failure = error }
        }
    }

    private mutating func apply(_ tuples: ArraySlice<FeedbackTuple>) throws {
        let step = try operations.store.feedback.apply(
            tuples.map { (token: $0.token, since: $0.time) }, to: app, at: operations.clock.moment())
        for finding in step.findings {
            counts.count(finding.result)
            if let change = FeedbackChange(finding) { report(change) }
        }
        throttle.pause()
    }
}

/// What became of the devices that a feedback service told of.
package struct FeedbackCounts: Codable, Equatable, Sendable {
    /// All that it told of.
    package var told = 0
    package var disabled = 0
    /// Kept, because they registered after the app was found missing.
    package var registeredAgain = 0
    package var excludedAlready = 0
    /// Tokens that no subscriber has.
    package var unknown = 0

    mutating func count(_ result: FeedbackFinding.Result) {
        told += 1
        switch result {
        case .disabled: disabled += 1
        case .registeredAgain: registeredAgain += 1
        case .excludedAlready: excludedAlready += 1
        case .unknownToken: unknown += 1
        }
    }
}

/// A device that a feedback service disabled, or would have if it had not registered again.
package struct FeedbackChange: Codable, Equatable, Sendable {
    /// Its first digits.
    package var token: String
    package var disabled: Bool
    /// Since when the gateway knows that the app is missing.
    package var goneSince: WallTime
    package var registeredAt: WallTime?

    init?(_ finding: FeedbackFinding) {
        guard finding.result == .disabled || finding.result == .registeredAgain else { return nil }
        token = finding.token
        disabled = finding.result == .disabled
        goneSince = finding.since
        registeredAt = finding.registered
    }
}

extension FeedbackChange: CustomStringConvertible {
    /// One line with its evidence.
    package var description: String {
        FeedbackFinding(
            result: disabled ? .disabled : .registeredAgain, token: token, since: goneSince,
            registered: registeredAt
        ).description
    }
}
