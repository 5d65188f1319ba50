internal import PushModel
package import PushStore
internal import PushWire

/// Tests the whole chain with a test device: waits until the device registers with the app, sends it a
/// message, and waits for the gateway's answer, the receipt and the click.
///
/// **Promises.** If it is cancelled, a message that was not sent yet is cancelled as well.
package struct RehearseApp: Job {
    package static let name = "app.rehearse"
    package static let operation = Operation(
        .post, "/apps/{name}/rehearse", .send,
        "Waits until a test device registers with the app, sends it a message, waits for the receipt and the "
            + "click, and reports which link of this chain is missing.",
        status: 202)
    package static let example = #"{"userKey": "anna"}"#
    package static let members: [Member<Self>] = [
        .path(\.name, "name", AppFields.nameHelp),
        .field(
            \.userKey, "userKey",
            "The user key with which the test device registers. Required if the app has more than "
                + "\(maxStrangers) subscribers, so that no user's device receives the message.",
            absent: "the first device that registers"
        )
        .secret,
        .field(
            \.registrationSeconds, "registrationSeconds",
            "How long to wait for the registration, in seconds.", in: waits, default: 300),
        .field(
            \.sendingSeconds, "sendingSeconds",
            "How long to wait until the gateway accepts the message, in seconds.", in: waits, default: 60),
        .field(
            \.receiptSeconds, "receiptSeconds",
            "How long to wait for the receipt after the gateway's answer, in seconds.", in: waits,
            default: 60),
        .field(
            \.clickSeconds, "clickSeconds",
            "How long to wait for the click after the gateway's answer, in seconds.", in: waits,
            default: 120),
    ]
    package var auditText: AuditText? { .of(name) }

    private static let waits = 1...3_600
    /// The maximum number of subscribers of an app whose test device need not be identified.
    static let maxStrangers = 100

    package private(set) var name = ""
    package private(set) var userKey: String?
    package private(set) var registrationSeconds = 300
    package private(set) var sendingSeconds = 60
    package private(set) var receiptSeconds = 60
    package private(set) var clickSeconds = 120

    package init() {}
    package init(
        name: String, userKey: String? = nil, registrationSeconds: Int = 300, sendingSeconds: Int = 60
    ) {
        (self.name, self.userKey) = (name, userKey)
        (self.registrationSeconds, self.sendingSeconds) = (registrationSeconds, sendingSeconds)
    }

    package func check(in operations: Operations) throws { _ = try rehearsedApp(in: operations) }

    private func rehearsedApp(in operations: Operations) throws -> App {
        let app = try operations.requireApp(named: name)
        guard RegistrationPage.path(for: app.settings.platform) != nil else {
            throw OperationError.refused(
                "devices of the platform \(app.settings.platform.rawValue) do not register by themselves, so "
                    + "app \(name) cannot be rehearsed")
        }
        let some = try operations.store.subscribers.page(of: app.id, limit: Self.maxStrangers + 1).records
        guard userKey?.nonEmpty != nil || some.count <= Self.maxStrangers else {
            throw OperationError.refused(
                "app \(name) has more than \(Self.maxStrangers) subscribers, so a user's device may register "
                    + "before the test device; name the test device's user key: "
                    + "\(command: "--user-key", api: "userKey")")
        }
        guard operations.engine.isRunning else { throw OperationError.noMaster }
        return app
    }

    package func perform(
        in operations: Operations, watchedBy watch: Watch<JobProgress<Rehearsal>>
    ) throws -> Rehearsal {
        let app = try rehearsedApp(in: operations)
        var run = try RehearsalRun(of: app, self, in: operations, watch)
        return try run.perform()
    }
}
