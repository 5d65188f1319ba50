internal import GatewayKit
internal import PushModel
package import PushStore
internal import PushWire

/// Applies the reports of a feedback service to the store.
///
/// **Promises.** Reports are applied immediately, in transactions of bounded size. The feedback service
/// forgets reports when it has sent them, so no report is kept waiting in memory. **Failures.** The first
/// failure is kept in ``failure``, and no further report is applied.
struct FeedbackApplication {
    private let operations: Operations
    private let app: AppID
    private let report: (FeedbackFinding) -> Void
    private var throttle: BulkWriteThrottle
    private(set) var counts = FeedbackCounts()
    private(set) var failure: (any Error)?

    init(_ operations: Operations, app: AppID, report: @escaping (FeedbackFinding) -> Void) {
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
            if finding.isChange { report(finding) }
        }
        throttle.pause()
    }
}

/// The numbers of devices that a feedback service reported, by the result of the report: see
/// ``PolledFeedback``.
struct FeedbackCounts {
    private(set) var told = 0
    private(set) var disabled = 0
    private(set) var registeredAgain = 0
    private(set) var excludedAlready = 0
    private(set) var unknown = 0

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

extension FeedbackFinding: Encodable {
    /// Whether the report disabled a device, or would have disabled it if the device had not registered
    /// again.
    var isChange: Bool { result == .disabled || result == .registeredAgain }

    private enum Key: CodingKey { case token, disabled, goneSince, registeredAt }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(token, forKey: .token)
        try container.encode(result == .disabled, forKey: .disabled)
        try container.encode(since, forKey: .goneSince)
        try container.encodeIfPresent(registered, forKey: .registeredAt)
    }
}
