internal import GatewayKit
internal import PushConnectors
package import PushModel
internal import PushStore

/// Explains why a person or a device did or did not get a push: a certain delivery, or the newest messages.
package struct ExplainPush: ShortOperation, UseCase {
    package static let name = "subscribers.explain"
    package static let commandPath = "explain"
    package static let operation = Operation(
        .get, "\(ShowSubscribers.path)/explanation", .read,
        """
        Explains why a person or a device did or did not get a push: whether devices are registered and \
        included, whether the delivery selected them, what the gateway answered, and what the devices \
        reported.
        """,
        asksMaster: true, reach: .services)
    package static let example = #"{"userKey": "anna"}"#
    package static let members: [Member<Self>] = [
        .query(\.who.token, "token", SubscriberName.tokenHelp).secret,
        .query(\.who.userKey, "userKey", SubscriberName.userKeyHelp).secret,
        .query(\.app, "app", "Consider only devices of this app."),
        .query(
            \.delivery, "delivery",
            "The delivery to explain. If it is absent, the newest messages are explained.",
            in: 1...Int.max),
    ]
    package static let alternatives = SubscriberName.alternatives

    private var who = SubscriberName.token("")
    private var app: String?
    private var delivery: DeliveryID?

    package init() {}

    package init(_ who: SubscriberName, app: String? = nil, delivery: DeliveryID? = nil) {
        (self.who, self.app, self.delivery) = (who, app, delivery)
    }

    /// The maximum number of devices, and of messages, that an explanation contains.
    private static let maxShown = 20
    /// The maximum number of pages of messages that are searched for the newest messages.
    private static let maxPages = 5

    package func perform(in operations: Operations) throws -> PushExplanation {
        let apps = try operations.apps(named: app)
        let summary = try delivery.map { try operations.requireDelivery($0) }
        let known = try who.known(of: apps.map(Catalogue.AppName.init), named: app, in: operations)
        let order = try summary.flatMap { try DeliveryOrderView(of: $0, in: operations) }
        let found = try messages(to: known.all, of: summary, operations)
        let byName = Dictionary(apps.map { ($0.name, $0) }) { first, _ in first }
        let byID = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
        var explanation = PushExplanation(
            registered: !known.present.isEmpty, deviceCount: known.present.count,
            removedDevices: known.removed.count,
            delivery: summary.map { PushExplanation.Delivery($0, order) },
            targeted: summary == nil || summary?.removed != nil ? nil : !found.messages.isEmpty,
            devices: known.present.prefix(Self.maxShown).compactMap { facts in
                byID[facts.app].map { PushExplanation.Device(facts, of: $0) }
            },
            messages: found.messages.map { PushExplanation.Message($0, of: byName[$0.app]) }, findings: [])
        var findings = PushFindings(operations, apps: byID)
        findings.add(messages: explanation.messages, of: byName)
        if let summary { try findings.add(summary, explanation, known.present, found.reached) }
        findings.add(devices: known.present)
        findings.conclude(explanation, who, isSearched: found.isWhole)
        explanation.findings = findings.all
        return explanation
    }

    /// Messages, newest first.
    private struct Found {
        var messages: [MessageView] = []
        /// The apps and tokens of the devices to which the delivery has messages.
        var reached: Set<String> = []
        /// Whether all messages that are kept were searched.
        var isWhole = true
    }

    private func messages(
        to devices: Set<SubscriptionID>, of summary: DeliverySummary?, _ operations: Operations
    ) throws -> Found {
        guard !devices.isEmpty, summary?.removed == nil else { return Found() }
        let (reader, cipher) = (
            operations.store.messageStatus, MessageIDCipher(key: try operations.key())
        )
        var found = Found()
        if let summary {
            let entries = try operations.store.deliveries.log(of: summary.id, to: devices)
            found.reached = Set(entries.map { "\($0.app) \($0.token)" })
            found.messages = try entries.suffix(Self.maxShown).reversed().compactMap { entry in
                try reader.status(of: entry.message, in: summary.id).map { MessageView($0, by: cipher) }
            }
            return found
        }
        var next: MessageID?
        for _ in 0..<Self.maxPages {
            let page = try reader.page(
                before: next, limit: Self.maxShown - found.messages.count,
                only: MessageFilter(devices: devices))
            found.messages += page.messages.map { MessageView($0, by: cipher) }
            next = page.next
            if next == nil || found.messages.count == Self.maxShown { return found }
        }
        found.isWhole = false
        return found
    }
}

extension SubscriberName {
    /// What the store knows about a person or a device.
    struct Known {
        var present: [SubscriberFacts]
        /// Devices that were removed and to which logs still refer.
        var removed: [SubscriptionID]

        var all: Set<SubscriptionID> { Set(present.map(\.subscription) + removed) }
    }

    /// The maximum number of one person's devices that are considered together.
    static let maxDevices = 10_000

    /// Returns the devices of these apps. Nothing may be known.
    /// - Parameter name: The name of the only app; `nil` if any app counts.
    /// - Throws: If there are too many devices, or if the name is empty.
    func known(of apps: [Catalogue.AppName], named name: String?, in operations: Operations) throws -> Known {
        guard !text.isEmpty else {
            throw OperationError(.usage, "a user key or a token must not be empty")
        }
        let present = try all(of: apps, in: operations, atMost: Self.maxDevices)
        let chosen = name == nil && !operations.bounds.areSet ? nil : Set(apps.map(\.id))
        let removed = try userKey.map { try operations.store.personTraces.remembered($0) } ?? []
        let known = Known(present: present, removed: removed.filter { chosen?.contains($0.app) ?? true })
        guard known.present.count + known.removed.count <= Self.maxDevices else {
            throw OperationError.refused(
                """
                more than \(Numerals.grouped(Self.maxDevices)) devices have \(described); give the token of \
                one device
                """)
        }
        return known
    }
}

extension PushExplanation.Delivery {
    init(_ summary: DeliverySummary, _ order: DeliveryOrderView?) {
        self.init(
            id: summary.id, label: summary.label, state: summary.state, service: order?.service ?? "",
            apps: order?.apps ?? [], target: order?.target ?? "", startedAt: summary.started,
            messagesRemovedAt: summary.removed?.time)
    }
}

extension PushExplanation.Device {
    init(_ facts: SubscriberFacts, of app: App) {
        self.init(
            app: app.name, state: SubscriberState(facts).word, createdAt: facts.created,
            registeredAt: facts.registered,
            quarantine: facts.quarantine.map { SubscriberQuarantine($0, of: app) })
    }
}

extension PushExplanation.Message {
    init(_ message: MessageView, of app: App?) {
        self.init(message: message)
        guard let reason = message.providerReason else { return }
        if let own = OwnReason.explanation(of: reason) {
            (meaning, advice) = (own.meaning, own.advice)
        } else if let answer = app?.answer(to: reason) {
            (meaning, advice) = (answer.note.shortMeaning, answer.note.shortAdvice)
            section = answer.link
        }
    }
}
