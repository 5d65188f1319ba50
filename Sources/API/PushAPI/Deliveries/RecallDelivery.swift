internal import PushConfig
internal import PushConnectors
package import PushModel
package import PushStore
internal import PushWire

/// Stops the unsent part of a delivery, and sends different content to the recipients of the part that was
/// sent.
///
/// A notification that a gateway has accepted cannot be taken back. However, a device replaces a notification
/// that it shows with a later notification that has the same name (``ReplacedContent``). The second delivery
/// therefore uses the names in the first delivery's content, and goes to exactly those devices to which
/// messages of the first delivery were sent. An app whose devices would show both notifications is left out.
/// The recall is refused before anything is stopped if all apps would be left out, or if the content cannot
/// be sent.
package struct RecallDelivery: ChangingOperation, WaitingOperation, KeyedUseCase {
    package static let name = "delivery.recall"
    package static let operation = Operation(
        .post, "/deliveries/{id}/recall", .send,
        "Stops a delivery and sends its recipients new content, which replaces the delivery on their "
            + "devices.",
        maxBodyBytes: DeliveryDocument.maximumBytes)
    package static let example =
        #"{"content": {"title": "20% off", "body": "Until Sunday, not until Saturday"}}"#
    package static let members: [Member<Self>] = [
        .delivery(\.id),
        .document(
            \.document,
            schema: .component("\(schemaName)Request") {
                .object([.init("content", ConnectorCatalogue.contents.schema)])
            }
        ),
        .inner(\.documentName, "documentName", default: ""),
        .inner(\.caller, "caller", default: ""),
    ]
    package static let labelPrefix = "recall of "
    package var followUpCommand: String { "delivery list" }
    package var auditText: AuditText? { .making("\(id) replaced by") }

    package private(set) var id = DeliveryID(rawValue: 0)
    /// A JSON object with the replacement: `{"content": {…}}`.
    package private(set) var document: [UInt8] = []
    /// The name of the document in error texts.
    package private(set) var documentName = ""
    package var caller = ""
    package var idempotencyKey: String?

    package init() {}

    package init(
        id: DeliveryID, document: [UInt8], documentName: String, caller: String = "",
        idempotencyKey: String? = nil
    ) {
        self.id = id
        self.document = document
        self.documentName = documentName
        self.caller = caller
        self.idempotencyKey = idempotencyKey
    }

    /// The recalled delivery, and what replaces it.
    private struct Plan {
        var first: DeliveryOrder
        var replaced: ReplacedContent
        var submission: SubmitDelivery
    }

    private func plan(in operations: Operations) throws -> Plan {
        _ = try operations.requireDelivery(id)
        let given = try given()
        guard let first = try operations.store.deliveries.delivery(id) else {
            throw Operations.absence(of: id)
        }
        let apps = try first.order.apps.compactMap { try operations.store.catalogue.app($0) }
        let replaced = try ReplacedContent(of: first, apps)
        guard !replaced.apps.isEmpty else { throw OperationError.refused(replaced.refusal) }
        let submission = SubmitDelivery(
            document: try bytes(of: first, given, replaced, in: operations), documentName: documentName,
            caller: caller, idempotencyKey: idempotencyKey)
        return Plan(first: first.order, replaced: replaced, submission: submission)
    }

    /// Refuses what the recall itself would refuse before it stops the delivery. Nothing is changed.
    package func check(in operations: Operations) throws(OperationError) {
        do {
            let plan = try plan(in: operations)
            guard case .new(var second, _) = try plan.submission.read(in: operations) else { return }
            try complete(&second, by: plan, in: operations)
        } catch {
            throw OperationError(error)
        }
    }

    /// Gives the replacement its label, and checks it.
    private func complete(
        _ second: inout DeliveryDocument, by plan: Plan, in operations: Operations
    ) throws {
        try plan.replaced.check(second.content) { .refused(documentName.naming($0)) }
        try refuseLostVariables(of: plan.first, in: second.content, for: plan.replaced.apps)
        second.label = NameRule.cut("\(Self.labelPrefix)\(id): \(plan.first.label)")
        _ = try plan.submission.checked(second, in: operations)
    }

    package func perform(in operations: Operations) throws -> RecalledDelivery {
        let plan = try plan(in: operations)
        var recalled = RecalledDelivery(delivery: id, warnings: plan.replaced.warnings)
        do {
            let submitted = try plan.submission.perform(in: operations) { second in
                try complete(&second, by: plan, in: operations)
                recalled.stopped = try stop(in: operations)
                let earlier = try replacements(in: operations)
                second.schedule.start = try start(
                    of: recalled.stopped, hasEarlier: !earlier.isEmpty, in: operations)
                recalled.replacementStartAt = second.schedule.start
            }
            recalled.replacement = submitted.id
            recalled.isRepeated = submitted.isRepeated
            // If answers are outstanding, the recipients of the unanswered messages will be found later, so
            // the warning about a lack of recipients is dropped.
            recalled.warnings += submitted.warnings.filter {
                recalled.replacementStartAt == nil || $0 != SubmitDelivery.emptyTarget
            }
            // Earlier replacements are stopped only after this one exists. If a caller is interrupted before
            // they are stopped, it repeats the request. If two requests are made at the same time, the
            // replacement that the later one creates remains.
            for earlier in try replacements(in: operations) where earlier < submitted.id {
                if let line = stopEarlier(earlier, in: operations) { recalled.warnings.append(line) }
            }
        } catch is PartNotFound {
            // The delivery is stopped, and nothing else needs to be done.
        }
        return recalled
    }

    /// The document's content; `nil` if it has none.
    private func given() throws(OperationError) -> JSONValue? {
        let value = try SubmitDelivery(document: document, documentName: documentName).value()
        guard case .object(let members) = value else {
            throw OperationError.refused(
                documentName.naming("the document must be an object with content, not \(value.kind)"))
        }
        if let strange = members.first(where: { $0.key != "content" }) {
            var faults = Faults()
            faults.refuseUnknown(Faults.path("", strange.key), known: ["content"])
            throw OperationError(.refused, faults.listed, of: documentName)
        }
        return value["content"]
    }

    /// Returns the delivery document of the replacement.
    private func bytes(
        of first: Delivery, _ given: JSONValue?, _ replaced: ReplacedContent, in operations: Operations
    ) throws -> [UInt8] {
        let content = try given.map { content in
            try replaced.named(content) { .refused(documentName.naming($0)) }
        }
        let (order, schedule) = (first.order, first.order.schedule)
        let service = try operations.store.catalogue.service(order.service)?.name ?? ""
        let document: JSONValue = [
            "label": .string("\(id)"), "service": .string(service),
            "apps": .array(replaced.apps.map { .string($0.name) }),
            "target": ["recipientsOf": .integer(id.rawValue)],
            // All recipients of the wrong content must receive the right content, including recipients that
            // are not known yet.
            "ignoreFrequencyCap": .boolean(true), "allowEmpty": .boolean(true),
            "tracking": .boolean(order.tracking),
            "schedule": [
                "validity": .integer(schedule.validitySeconds),
                "priority": .string(schedule.priority.rawValue),
                "ratePerSecond": .integer(Int64(schedule.ratePerSecond)),
                "retentionDays": schedule.retentionDays.map { .integer(Int64($0)) },
            ],
            "retry": [
                "count": order.retry.count.map { .integer(Int64($0)) },
                "period": order.retry.periodSeconds.map { .integer($0) },
            ],
            "content": content,
        ]
        var bytes: [UInt8] = []
        document.append(to: &bytes)
        return bytes
    }

    /// Refuses a content that needs values which the first delivery's target stated for each recipient. These
    /// values are not available to the second delivery.
    private func refuseLostVariables(
        of first: DeliveryOrder, in content: Content, for apps: [App]
    ) throws(OperationError) {
        let said = first.target.variables?.names ?? []
        let declared = apps.flatMap { $0.settings.parameters.map(\.name) }
        let needed = content.versions.flatMap(\.personalTexts).reduce(into: Set<String>()) {
            $0.formUnion($1.text.neededNames)
        }
        guard let lost = said.first(where: { needed.contains($0) && !declared.contains($0) }) else { return }
        throw .refused(
            documentName.naming(
                "content: {{\(lost.printable(atMost: 64))}} was given for each recipient of delivery \(id), "
                    + "but a recall uses only the parameters that subscribers registered; remove it or give "
                    + "it a default"
            ))
    }

    private func replacements(in operations: Operations) throws -> [DeliveryID] {
        try operations.store.deliveries.replacements(of: id, labelled: Self.labelPrefix)
    }

    /// Stops an earlier replacement of the first delivery, because only the last replacement is to remain.
    /// - Returns: A warning for the caller; `nil` if none is needed because the delivery had ended.
    private func stopEarlier(_ earlier: DeliveryID, in operations: Operations) -> String? {
        do {
            let stopped = try operations.carryOutHere(StopDelivery(id: earlier))
            guard stopped.changed else { return nil }
            return "delivery \(earlier), the previous replacement, was stopped; this delivery takes its place"
        } catch {
            if (try? operations.requireDelivery(earlier))?.state.isFinal == true { return nil }
            return "delivery \(earlier), the previous replacement, may still be sent after this one: \(error)"
        }
    }

    /// - Returns: `nil` if the delivery had already ended.
    private func stop(in operations: Operations) throws -> StoppedDelivery? {
        guard try !operations.requireDelivery(id).state.isFinal else { return nil }
        do {
            return try operations.carryOutHere(StopDelivery(id: id))
        } catch {
            // The delivery ended in the meantime.
            guard try operations.requireDelivery(id).state.isFinal else { throw error }
            return nil
        }
    }

    /// Returns the time at which the replacement starts. The replacement must not start before the last
    /// answers are recorded, because the recipients of the first delivery are determined when the replacement
    /// begins.
    /// - Parameter hasEarlier: Whether there is an earlier replacement, whose messages may be on the wire.
    /// - Returns: `nil` if the replacement starts immediately.
    /// - Throws: ``PartNotFound``
    private func start(
        of stopped: StoppedDelivery?, hasEarlier: Bool, in operations: Operations
    ) throws -> WallTime? {
        let isStopping = stopped?.state == .stopping
        if !isStopping {
            guard try operations.requireDelivery(id).counts.sent > 0 else { throw PartNotFound() }
            guard hasEarlier else { return nil }
        }
        var seconds = Self.recordingSeconds
        let isOnTheWire = isStopping && (stopped?.onTheWire ?? 0) > 0
        let othersSend = try OtherHosts(operations).exist
        // Until the other hosts learn that the earlier replacement was stopped, they may begin requests for
        // it.
        if hasEarlier, othersSend { seconds += OtherHosts.patienceSeconds }
        if hasEarlier || isOnTheWire || othersSend {
            seconds += Int64(ConnectorCatalogue.slowestAnswerSeconds(operations.settings))
        }
        return operations.clock.moment().time.advanced(bySeconds: seconds)
    }

    /// The usual maximum time, in seconds, from an answer until the store has recorded it.
    private static let recordingSeconds: Int64 = 10

    private struct PartNotFound: Error {}
}

/// The result of recalling a delivery.
package struct RecalledDelivery: View, Equatable {
    package static let about = [
        "stopped": "null if the delivery had already ended",
        "replacement":
            """
        the delivery that replaces the recalled delivery; null if no replacement was submitted because none \
        of the recalled delivery's messages was sent
        """,
        "replacementStartAt":
            "the replacement's start if it waits for outstanding results; null if it starts immediately",
        "warnings": "parts that are not replaced, and probable mistakes",
        "isRepeated": "whether this is the response to an earlier request with the same key",
    ]

    package var delivery: DeliveryID
    package var stopped: StoppedDelivery?
    package var replacement: DeliveryID?
    package var replacementStartAt: WallTime?
    package var warnings: [String] = []
    package var isRepeated = false
}
