package import PushModel
internal import PushSchedule
package import PushStore
internal import PushWebhooks
internal import PushWire

/// The settings of a webhook. The use cases that create and change webhooks share them.
package struct WebhookFields: Members, Equatable {
    package var url = ""
    package var events: [WebhookEventKind] = []
    package var service: String?
    package var authorities: String?
    package var enabled = true

    package init() {}

    init(_ webhook: Webhook) {
        let order = webhook.order
        (url, events, service) = (order.url, order.kinds.all, order.service)
        (authorities, enabled) = (order.authorities, webhook.disabled == nil)
    }

    package static let members: [Member<Self>] = [
        .field(\.url, "url", "The address of the receiver: https://, or http:// on the same machine."),
        .field(
            \.events, "events", "The kinds of events that are sent to the receiver.",
            initially: WebhookEventKind.allCases,
            absent: "all"),
        .field(
            \.service, "service", "Send only events of this service's apps.", absent: "events of all services"
        ),
        .field(
            \.authorities, "authorities",
            "PEM certificates of the authorities that may sign the receiver's certificate.",
            absent: "those of the system"),
        .field(\.enabled, "enabled", "Whether events are sent to the receiver.", default: true),
    ]

    /// The help text of the `name` member of every use case for one webhook.
    static let nameHelp = "The webhook's name."
    /// The maximum body size of a request with authorities.
    static let maxBodyBytes = 512 << 10
    private static let maxAuthorityBytes = 256 << 10

    /// - Throws: An error that lists all faults, each with the name of its member.
    func check() throws(OperationError) {
        var faults: [String] = []
        do { _ = try HTTPAddress(url) } catch { faults.append("url: \(error)") }
        if events.isEmpty {
            faults.append("events: give one or more of \(WebhookEventKind.words.joined(separator: ", "))")
        }
        if let authorities, !Self.areCertificates(authorities) {
            faults.append(
                """
                authorities: must be certificates in PEM format with at most \
                \(Self.maxAuthorityBytes >> 10) KiB
                """
            )
        }
        if !faults.isEmpty { throw OperationError(.refused, lines: faults) }
    }

    private static func areCertificates(_ pem: String) -> Bool {
        pem.utf8.count <= maxAuthorityBytes && pem.contains("-----BEGIN CERTIFICATE-----")
            && pem.contains("-----END CERTIFICATE-----") && !pem.contains("PRIVATE KEY")
    }
}

extension WebhookEventKind: Codable, Word {
    package var word: String { name }
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}

extension Operations {
    func requireWebhook(_ name: String) throws -> Webhook {
        if let webhook = try store.webhooks.webhook(named: name) { return webhook }
        throw try webhookAbsence(name)
    }

    /// Returns the error for a name that no webhook has.
    /// Checks the service whose events a webhook is to receive; `nil` means all services.
    fileprivate func check(receiverOf service: String?) throws {
        if let service {
            _ = try requireService(named: service)
        } else if bounds.areSet {
            throw refusal(
                of: "service: missing: a webhook without a service receives the events of all services")
        }
    }

    fileprivate func webhookAbsence(_ name: String) throws -> OperationError {
        Self.absence(
            "webhook", name, existing: try store.webhooks.list().map(\.order.name), CreateWebhook.self)
    }
}

/// A webhook as it is shown, without its secret.
package struct WebhookView: View, Equatable {
    package static let about = [
        "service": "null means all services",
        "ownAuthorities": "whether the webhook has its own certificate authorities",
        "disabledReason": "why no events are sent to the receiver; null if events are sent",
        "oldSecretUntil":
            "until when events are also signed with the previous secret; null if they are not",
        "behind": "events after the webhook's cursor, including events that are not for its receiver",
        "behindSeconds": "the time for which the first event after the cursor has waited",
        "failures": "failed attempts since the last success",
        "nextAttemptAt": "null means immediately",
        "told": "events that the receiver accepted",
        "dropped": "events that were dropped before the receiver accepted them",
    ]

    package var name: String
    package var url: String
    package var events: [WebhookEventKind]
    package var service: String?
    package var ownAuthorities: Bool
    package var enabled: Bool
    package var disabledReason: String?
    package var createdAt: WallMoment
    package var oldSecretUntil: WallMoment?
    package var behind: Int64
    package var behindSeconds: Int64
    package var failures: Int
    package var nextAttemptAt: WallMoment?
    package var lastAnswer: String?
    package var lastAnswerAt: WallMoment?
    package var batchesTaken: Int64
    package var attemptsFailed: Int64
    package var told: Int64
    package var dropped: Int64

    init(_ webhook: Webhook, at now: WallMoment) {
        let (order, progress) = (webhook.order, webhook.progress)
        (name, url, service) = (order.name, order.url, order.service)
        events = order.kinds.all
        ownAuthorities = order.authorities != nil
        enabled = webhook.disabled == nil
        disabledReason = webhook.disabled
        createdAt = webhook.created
        oldSecretUntil = webhook.oldSecretUntil.flatMap { $0 > now ? $0 : nil }
        behind = progress.behind
        behindSeconds = max(progress.oldest.map { now.time.seconds(since: $0.time) } ?? 0, 0)
        failures = progress.failures
        nextAttemptAt = progress.next.flatMap { $0 > now ? $0 : nil }
        lastAnswer = progress.answer
        lastAnswerAt = progress.answered
        (batchesTaken, attemptsFailed) = (progress.taken, progress.refused)
        (told, dropped) = (progress.told, progress.dropped)
    }

    /// The delay, in seconds, from which a webhook counts as lagging. It is longer than the time that a
    /// restart of the receiver takes.
    package static let lagSeconds: Int64 = 60

    /// Whether an operator should examine the webhook.
    package var needsAttention: Bool {
        !enabled || failures > 0 || behindSeconds >= Self.lagSeconds
    }
}

/// A webhook with its new secret, which no later answer contains.
package struct NewWebhookSecret: View {
    package var webhook: WebhookView
    /// The secret, in the form `whsec_…`.
    package var secret: String
}

/// Lists all webhooks, ordered by name.
package struct ListWebhooks: ShortOperation, UseCase {
    package static let name = "webhook.list"
    package static let operation = Operation(
        .get, "/webhooks", .admin, "Lists all webhooks and their progress.", reach: .services)
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [WebhookView] {
        let now = operations.clock.moment()
        return try operations.store.webhooks.list().map { WebhookView($0, at: now) }
    }
}

/// Shows one webhook.
package struct ShowWebhook: ShortOperation, UseCase {
    package static let name = "webhook.show"
    package static let operation = Operation(
        .get, "/webhooks/{name}", .admin, "Returns a webhook.", reach: .services)
    package static let members: [Member<Self>] = [.path(\.name, "name", WebhookFields.nameHelp)]

    package var name = ""

    package init() {}

    package func perform(in operations: Operations) throws -> WebhookView {
        WebhookView(try operations.requireWebhook(name), at: operations.clock.moment())
    }
}

/// Creates a webhook, which receives the events that occur from now on. Only the answer to this request
/// contains the webhook's secret.
package struct CreateWebhook: Change, UseCase {
    package static let name = "webhook.create"
    package static let operation = Operation(
        .post, "/webhooks", .admin, "Creates a webhook. Only this response contains its secret.", status: 201,
        maxBodyBytes: WebhookFields.maxBodyBytes, reach: .services)
    package static let example =
        #"""
        {"name": "crm", "url": "https://crm.example.com/push", "events": ["failed", "clicked"],
        "service": "neotrips"}
        """#
    package static let members: [Member<Self>] =
        [.field(\.name, "name", "The webhook's name, which must be unique in the instance.")]
        + Member.all(of: \.fields, except: \.enabled)
    package var followUpCommand: String { "webhook list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""
    package var fields = WebhookFields()

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<NewWebhookSecret> {
        try NameRule.check(addressed: name, "the webhook's name")
        try fields.check()
        try operations.check(receiverOf: fields.service)
        let order = WebhookOrder(
            name: name, url: fields.url, authorities: fields.authorities,
            kinds: WebhookEventKinds(fields.events), service: fields.service)
        let secret = WebhookSecrets.make()
        let (now, key) = (operations.clock.moment(), try operations.key())
        return Step { store in
            let webhook = try store.webhookWriter(key: key).create(order, secret: secret, at: now)
            return NewWebhookSecret(
                webhook: WebhookView(webhook, at: now), secret: WebhookSignature.text(of: secret))
        }
    }
}

/// Changes a webhook. A webhook that is enabled again receives the events that occurred while it was
/// disabled, if they were kept.
package struct UpdateWebhook: Change, UseCase {
    package static let name = "webhook.update"
    package static let operation = Operation(
        .patch, "/webhooks/{name}", .admin, "Changes a webhook.", maxBodyBytes: WebhookFields.maxBodyBytes,
        reach: .services)
    package static let example = #"{"events": ["failed", "received", "clicked"], "enabled": true}"#
    package static let members: [Member<Self>] =
        [.path(\.name, "name", WebhookFields.nameHelp)] + Member.all(of: \.changes)
    package var followUpCommand: String { "webhook show \(name)" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""
    package var changes = Changes<WebhookFields>()

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<WebhookView> {
        var fields = WebhookFields(try operations.requireWebhook(name))
        try changes.apply(to: &fields)
        fields.authorities = fields.authorities.nonEmpty
        try fields.check()
        var change = WebhookWriter.Change()
        change.url = changes[\.url]
        change.kinds = changes[\.events].map { WebhookEventKinds($0) }
        if let given = changes[\.service] { try operations.check(receiverOf: given.nonEmpty) }
        change.service = changes[\.service].map { $0.nonEmpty.map { .named($0) } ?? .any }
        change.authorities = changes[\.authorities].map { $0.nonEmpty.map { .given(pem: $0) } ?? .system }
        change.isEnabled = changes[\.enabled]
        let (now, key) = (operations.clock.moment(), try operations.key())
        return Step { [change, caller = operations.caller] store in
            let writer = store.webhookWriter(key: key)
            return WebhookView(try writer.update(name, change, by: caller, at: now), at: now)
        }
    }
}

extension String? {
    /// Returns `nil` for an empty text, which clients of earlier versions send to remove a value.
    fileprivate var nonEmpty: String? { self == "" ? nil : self }
}

/// Creates a new secret for a webhook. For one more day, events are also signed with the previous secret.
package struct RotateWebhookSecret: Change, UseCase {
    package static let name = "webhook.rotate-secret"
    package static let operation = Operation(
        .post, "/webhooks/{name}/rotate-secret", .admin,
        """
        Creates a new secret, which only this response contains. For one more day, events are also signed \
        with the previous secret.
        """, reach: .services)
    package static let members: [Member<Self>] = [.path(\.name, "name", WebhookFields.nameHelp)]
    package var followUpCommand: String { "webhook show \(name)" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<NewWebhookSecret> {
        _ = try operations.requireWebhook(name)
        let secret = WebhookSecrets.make()
        let (now, key) = (operations.clock.moment(), try operations.key())
        return Step { store in
            let webhook = try store.webhookWriter(key: key).rotate(name, secret: secret, at: now)
            return NewWebhookSecret(
                webhook: WebhookView(webhook, at: now), secret: WebhookSignature.text(of: secret))
        }
    }
}

/// Immediately sends one `ping` event to a webhook, whether or not the webhook is enabled, and reports the
/// receiver's answer. Nothing else changes.
package struct TestWebhook: WaitingOperation, UseCase {
    package static let name = "webhook.test"
    package static let operation = Operation(
        .post, "/webhooks/{name}/test", .admin,
        "Immediately sends the event `ping` to a webhook and reports the receiver's answer. The test takes "
            + "up to 15 seconds.", reach: .services)
    package static let members: [Member<Self>] = [.path(\.name, "name", WebhookFields.nameHelp)]

    package var name = ""

    package init() {}

    package func perform(in operations: Operations) throws -> TestedWebhook {
        let now = operations.clock.moment()
        let webhook = try operations.requireWebhook(name)
        let secrets = try operations.store.webhooks.secrets(of: name, key: try operations.key(), at: now)
        guard let secrets else { throw try operations.webhookAbsence(name) }
        // A receiver may hang and block a thread. At most one of the shared threads can be blocked in this
        // way.
        let answer = try operations.waits.alone("a webhook's test") {
            try WebhookPing().send(to: webhook, secrets: secrets, at: now)
        }
        return TestedWebhook(name: name, taken: answer.meaning == .taken, answer: answer.text)
    }
}

package struct TestedWebhook: View, Equatable {
    package static let about = [
        "taken": "whether the receiver accepted the event",
        "answer": "the receiver's answer, or the reason why there was no answer",
    ]

    package var name: String
    package var taken: Bool
    package var answer: String
}

/// Deletes a webhook. Events that its receiver has not yet accepted are not sent.
package struct DeleteWebhook: Change, UseCase {
    package static let name = "webhook.delete"
    package static let operation = Operation(
        .delete, "/webhooks/{name}", .admin, "Deletes a webhook.", reach: .services)
    package static let members: [Member<Self>] = [.path(\.name, "name", WebhookFields.nameHelp)]
    package var followUpCommand: String { "webhook list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<DeletedWebhook> {
        _ = try operations.requireWebhook(name)
        let key = try operations.key()
        return Step { store in
            let webhook = try store.webhookWriter(key: key).delete(name)
            return DeletedWebhook(name: name, behind: webhook.progress.behind)
        }
    }
}

package struct DeletedWebhook: View, Equatable {
    package static let about = [
        "behind": "events after the webhook's cursor, including events not for its receiver"
    ]

    package var name: String
    package var behind: Int64
}
