internal import PushConfig
internal import PushConnectors
package import PushModel
package import PushStore
internal import PushWire

/// Stops what is not sent yet of a delivery, and sends those who were sent it another content in its place.
///
/// Nobody can take back what a gateway has taken. A device replaces what it shows by what comes later under the
/// same name (``ReplacedContent``): so the second delivery goes to exactly those to whom the first one's messages
/// were sent, under the names that its content has. An app whose devices would show both is left out; where
/// that is every app it is refused, and so is a content that cannot be sent, before anything is stopped.
package struct RecallDelivery: ChangingOperation, WaitingOperation, KeyedUseCase {
    package static let name = "delivery.recall"
    package static let operation = Operation(
        .post, "/deliveries/{id}/recall", .send,
        "Stops a delivery, and sends another content, which takes its place on devices, to those who were sent it.",
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
    /// A JSON object with what takes its place: `{"content": {…}}`.
    package private(set) var document: [UInt8] = []
    /// What errors call it.
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

    package func perform(in operations: Operations) throws -> RecalledDelivery {
        _ = try operations.requireDelivery(id)
        let given = try given()
        guard let first = try operations.store.deliveries.delivery(id) else {
            throw OperationError.absent("there is no delivery \(id)")
        }
        let apps = try first.order.apps.compactMap { try operations.store.catalogue.app($0) }
        let replaced = try ReplacedContent(of: first, apps)
        guard !replaced.apps.isEmpty else { throw OperationError.refused(replaced.refusal) }
        let submission = SubmitDelivery(
            document: try bytes(of: first, given, replaced, in: operations), documentName: documentName,
            caller: caller, idempotencyKey: idempotencyKey)
        var recalled = RecalledDelivery(delivery: id, warnings: replaced.warnings)
        do {
            let submitted = try submission.perform(in: operations) { second in
                try replaced.check(second.content) { .refused(documentName.naming($0)) }
                try refuseLostVariables(of: first.order, in: second.content, for: replaced.apps)
                second.label = NameRule.cut("\(Self.labelPrefix)\(id): \(first.order.label)")
                _ = try submission.checked(second, in: operations)
                recalled.stopped = try stop(in: operations)
                let earlier = try replacements(in: operations)
                second.schedule.start = try start(
                    of: recalled.stopped, hasEarlier: !earlier.isEmpty, in: operations)
                recalled.replacementStartAt = second.schedule.start
            }
            recalled.replacement = submitted.id
            recalled.isRepeated = submitted.isRepeated
            // Those whose answers are yet to come will be.
            recalled.warnings += submitted.warnings.filter {
                recalled.replacementStartAt == nil || $0 != SubmitDelivery.nobody
            }
            // When its own is there: whoever was interrupted says it again, and of two at a time the later stays.
            for earlier in try replacements(in: operations) where earlier < submitted.id {
                if let line = stopEarlier(earlier, in: operations) { recalled.warnings.append(line) }
            }
        } catch is NobodyHasIt {
            // It is stopped, and that is all there is to do.
        }
        return recalled
    }

    /// The document's content; nil: it has none.
    private func given() throws(OperationError) -> JSONValue? {
        let value: JSONValue
        do throws(WireError) { value = try DeliveryDocument.value(of: document) } catch {
            throw OperationError(error, of: documentName)
        }
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

    /// The delivery document of what takes the first one's place.
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
            // Whoever has the wrong one is to have the right one, and those that are not known yet, too.
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

    /// What the first one's target said of each recipient is not known of the second one's.
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
                "content: {{\(lost.printable(atMost: 64))}} was said of each recipient of delivery \(id), "
                    + "and a recall has what subscribers have registered: leave it out or give it a default"))
    }

    private func replacements(in operations: Operations) throws -> [DeliveryID] {
        try operations.store.deliveries.replacements(of: id, labelled: Self.labelPrefix)
    }

    /// Another delivery that was to take the first one's place: the last one does.
    /// - Returns: what is to be said of it; nil: nothing, it had ended.
    private func stopEarlier(_ earlier: DeliveryID, in operations: Operations) -> String? {
        do {
            let stopped = try operations.carryOutHere(StopDelivery(id: earlier))
            guard stopped.changed else { return nil }
            return "delivery \(earlier), which was to take its place, is stopped: this one does"
        } catch {
            if (try? operations.requireDelivery(earlier))?.state.isFinal == true { return nil }
            return "delivery \(earlier), which was to take its place, may do so after this one: \(error)"
        }
    }

    /// - Returns: nil where it had ended.
    private func stop(in operations: Operations) throws -> StoppedDelivery? {
        guard try !operations.requireDelivery(id).state.isFinal else { return nil }
        do {
            return try operations.carryOutHere(StopDelivery(id: id))
        } catch {
            // It came to its end meanwhile.
            guard try operations.requireDelivery(id).state.isFinal else { throw error }
            return nil
        }
    }

    /// Not before the last answers are recorded: who was sent the first is asked when the second begins.
    /// - Parameter hasEarlier: another one was to take its place, and may be on the wire.
    /// - Returns: nil: at once. - Throws: ``NobodyHasIt``
    private func start(
        of stopped: StoppedDelivery?, hasEarlier: Bool, in operations: Operations
    ) throws -> WallTime? {
        let isStopping = stopped?.state == .stopping
        if !isStopping {
            guard try operations.requireDelivery(id).counts.sent > 0 else { throw NobodyHasIt() }
            guard hasEarlier else { return nil }
        }
        var seconds = Self.recordingSeconds
        let isOnTheWire = isStopping && (stopped?.onTheWire ?? 0) > 0
        let othersSend = try OtherHosts(operations).areThere
        // Until they obey, they begin requests of the earlier one.
        if hasEarlier, othersSend { seconds += OtherHosts.patienceSeconds }
        if hasEarlier || isOnTheWire || othersSend {
            seconds += Int64(ConnectorCatalogue.slowestAnswerSeconds(operations.settings))
        }
        return operations.clock.moment().time.advanced(bySeconds: seconds)
    }

    /// From an answer to its place in the store, at the longest that is usual.
    private static let recordingSeconds: Int64 = 10

    private struct NobodyHasIt: Error {}
}

/// What came of recalling a delivery.
package struct RecalledDelivery: View, Equatable {
    package static let about = [
        "stopped": "null: it had ended",
        "replacement":
            "the delivery that replaces it; null: no message of it was sent, and nothing was submitted",
        "replacementStartAt": "later if answers to the first delivery are outstanding; null: at once",
        "warnings": "what is not replaced, and what is probably a mistake",
        "isRepeated": "whether this is the answer to an earlier request with the same key",
    ]

    package var delivery: DeliveryID
    package var stopped: StoppedDelivery?
    package var replacement: DeliveryID?
    package var replacementStartAt: WallTime?
    package var warnings: [String] = []
    package var isRepeated = false
}
