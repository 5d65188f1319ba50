internal import PushConfig
internal import PushConnectors
internal import PushModel
package import PushStore

/// Reads an application's feedback service now, from beginning to end, and applies what it tells.
///
/// The service names devices from which the app is gone, and since when; a subscriber is disabled only where
/// it did not register after that. Refused is an app whose gateway has no such service. What the service told
/// before it was cut off is applied, and is in the answer with the trouble.
package struct PollFeedback: LongOperation, Audited {
    package static let name = "feedback.poll"
    package var auditText: AuditText? { .of(app) }

    package typealias Progress = FeedbackFinding

    package var app: String

    package init(app: String) { self.app = app }

    /// - Parameter watch: is given each change with its evidence; cancelling has no effect, as the service
    ///   has forgotten what it told.
    package func perform(
        in operations: Operations, watchedBy watch: Watch<FeedbackFinding>
    ) throws -> PolledFeedback {
        let store = operations.store
        let app = try operations.requireApp(named: app)
        try check(app, in: operations)
        let credential = try store.credentials(key: try operations.key()).credential(of: app.id)
        let gateway = try operations.engine.gateway(of: app.settings.connector)
        var application = FeedbackApplication(operations, app: app.id, report: watch.report)
        let end = FeedbackPoll.run(settings: app.settings, credential: credential, gateway: gateway) {
            tuples in
            application.take(tuples)
        }
        if end.trouble == nil, application.failure == nil {
            try store.feedback.notePoll(of: app.id, at: operations.clock.moment())
        }
        return PolledFeedback(
            app: app.name, counts: application.counts, trouble: end.trouble,
            failure: application.failure.map(OperationError.init))
    }

    private func check(_ app: App, in operations: Operations) throws(OperationError) {
        let connector = app.settings.connector
        guard connector == .ios else {
            throw .refused(
                "app \(app.name) has connector \(connector) and so no feedback service: its gateway tells at once, "
                    + "with its answer, that a device is gone; \(see: ListQuarantine.self) shows which are"
            )
        }
        if operations.settings.mta.verifyMode {
            throw .refused(
                "mta/@verifyMode is true, so no gateway is spoken to; set it to false to ask the service")
        }
    }
}

package struct PolledFeedback: Equatable, Sendable {
    package var app: String
    package var counts: FeedbackCounts
    /// Why the service was not read to its end, in a line; nil: it was.
    package var trouble: String?
    /// Why not all that it told was applied.
    package var failure: OperationError?
}

/// A poll as it is shown: with each change.
package struct ShownFeedback: Encodable, Sendable {
    package var polled: PolledFeedback
    package var changes: [FeedbackFinding]

    private enum Key: CodingKey { case app, complete, changes }

    package init(polled: PolledFeedback, changes: [FeedbackFinding]) {
        self.polled = polled
        self.changes = changes
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(polled.app, forKey: .app)
        try container.encode(polled.trouble == nil, forKey: .complete)
        try polled.counts.encode(to: encoder)
        try container.encode(changes, forKey: .changes)
    }
}
