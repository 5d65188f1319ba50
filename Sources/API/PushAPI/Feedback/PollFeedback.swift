internal import GatewayKit
internal import PushConfig
internal import PushConnectors
internal import PushModel
package import PushStore

/// Immediately reads an application's feedback service, from beginning to end, and applies its reports.
///
/// The service reports devices from which the app was removed, and the time of the removal. A subscriber is
/// disabled only if it did not register after that time. An app whose gateway has no such service is refused.
/// If the connection is interrupted, the reports that were received before the interruption are applied, and
/// the answer contains them together with the problem.
package struct PollFeedback: LongOperation, UseCase, Audited {
    package static let name = "feedback.poll"
    package static let operation = Operation(
        .post, "/apps/{name}/feedback", .admin,
        "Immediately reads the feedback service of the old binary gateway and applies its reports.")
    package static let members: [Member<Self>] = [.path(\.app, "name", AppFields.nameHelp)]
    package var auditText: AuditText? { .of(app) }

    package typealias Progress = FeedbackFinding

    package private(set) var app = ""

    package init() {}
    package init(app: String) { self.app = app }

    /// - Parameter watch: Receives each change with its evidence. Cancelling has no effect, because the
    ///   service has forgotten the reports that it has sent.
    package func perform(
        in operations: Operations, watchedBy watch: Watch<FeedbackFinding>
    ) throws -> PolledFeedback {
        let store = operations.store
        let app = try operations.requireApp(named: app)
        let poll = try poll(app, in: operations)
        let credential = try store.credentials(key: try operations.key()).credential(of: app.id)
        let gateway = try operations.engine.gateway(of: app.settings.connector)
        var application = FeedbackApplication(operations, app: app.id, report: watch.report)
        // A gateway may hang and block a thread. At most one of the shared threads can be blocked in this
        // way.
        let end = try operations.waits.alone("a reading of a feedback service") {
            poll(app.settings, credential, gateway) { application.take($0) }
        }
        if end.failure == nil, application.failure == nil {
            try store.feedback.notePoll(of: app.id, at: operations.clock.moment())
        }
        return PolledFeedback(
            app: app.name, counts: application.counts, trouble: end.failure,
            failure: application.failure.map { OperationError($0).description })
    }

    private func poll(
        _ app: App, in operations: Operations
    ) throws(OperationError) -> ConnectorEntry.Poll {
        let connector = app.settings.connector
        guard let poll = ConnectorCatalogue.entry(connector)?.pollFeedback else {
            throw .refused(
                "app \(app.name) uses connector \(connector), which has no feedback service: its gateway "
                    + "reports missing devices in its answers to messages; \(see: ListQuarantine.self) shows "
                    + "the affected subscribers"
            )
        }
        if operations.settings.mta.verifyMode {
            throw .refused(
                """
                mta/@verifyMode is true, so the service does not connect to gateways; set it to false to \
                read the feedback service
                """
            )
        }
        return poll
    }
}

package struct PolledFeedback: View, Equatable {
    package static let about = [
        "complete": "whether the feedback service was read completely",
        "told": "devices that the feedback service reported",
        "disabled": "subscribers that deliveries exclude from now on",
        "registeredAgain":
            "devices that were kept because they registered after the gateway found the app missing",
        "excludedAlready": "devices that were already in quarantine or disabled",
        "unknown": "tokens that do not belong to any subscriber of the app",
        "trouble": "why the feedback service was not read completely",
        "failure": "why some reports were not applied",
    ]

    package var app: String
    package var complete: Bool
    package var told: Int
    package var disabled: Int
    package var registeredAgain: Int
    package var excludedAlready: Int
    package var unknown: Int
    package var trouble: String?
    package var failure: String?

    init(app: String, counts: FeedbackCounts, trouble: String?, failure: String?) {
        (self.app, complete, self.trouble, self.failure) = (app, trouble == nil, trouble, failure)
        (told, disabled, registeredAgain) = (counts.told, counts.disabled, counts.registeredAgain)
        (excludedAlready, unknown) = (counts.excludedAlready, counts.unknown)
    }
}

/// The result of a poll together with each change, as a command shows it.
package struct ShownFeedback: Encodable, Sendable {
    package var polled: PolledFeedback
    package var changes: [FeedbackFinding]

    private enum Key: CodingKey { case changes }

    package init(polled: PolledFeedback, changes: [FeedbackFinding]) {
        self.polled = polled
        self.changes = changes
    }

    package func encode(to encoder: any Encoder) throws {
        try polled.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(changes, forKey: .changes)
    }
}
