internal import PushConfig
internal import PushConnectors
package import PushModel
internal import PushSchedule
package import PushStore
internal import PushWire

/// Accepts a delivery. The delivery is on disk when the caller receives the answer. A document that cannot be
/// sent as it is (unknown keys, an unknown app, a payload over the gateway's limit) is refused. A target that
/// matches no subscriber is also refused, unless the document contains `"allowEmpty": true`. With an
/// idempotency key, a repetition of the same request within a day gets the first answer, whatever has changed
/// since; a different request with the same key is refused.
package struct SubmitDelivery: Change, KeyedUseCase {
    package static let name = "delivery.submit"
    package static let path = "/deliveries"
    package static let operation = Operation(
        .post, path, .send,
        "Submits a delivery document. The delivery is on disk before the response is sent.", status: 201,
        maxBodyBytes: DeliveryDocument.maximumBytes, reach: .services)
    package static let example = """
        {
          "label": "Spring sale", "service": "neotrips", "target": {"all": true},
          "content": {
            "title": "20% off", "body": "Until Sunday", "ios": {"sound": "default", "collapseId": "sale"}
          },
          "schedule": {"validity": "12h", "ratePerSecond": 500}
        }
        """
    package static let members: [Member<Self>] = [
        .document(\.document, schema: DeliveryDocument.schema(ConnectorCatalogue.contents)),
        .inner(\.documentName, "documentName", default: ""), .inner(\.userKeys, "userKeys").secret,
        .inner(\.caller, "caller", default: ""),
    ]
    package var followUpCommand: String { "delivery list" }
    package var auditText: AuditText? { .making() }

    /// A delivery document, in JSON.
    package var document: [UInt8] = []
    /// The name of the document in error texts.
    package var documentName = ""
    /// The recipients that replace the document's target; `nil` if the document's target is used.
    package var userKeys: [String]?
    package var caller = ""
    package var idempotencyKey: String?

    package init() {}

    package init(
        document: [UInt8], documentName: String, userKeys: [String]? = nil, caller: String = "",
        idempotencyKey: String? = nil
    ) {
        self.document = document
        self.documentName = documentName
        self.userKeys = userKeys
        self.caller = caller
        self.idempotencyKey = idempotencyKey
    }

    package func location(of answer: SubmittedDelivery) -> String? { "\(Self.path)/\(answer.id)" }

    /// The result of reading a document.
    enum Reading {
        /// The same request was made before.
        case answered(SubmittedDelivery)
        case new(DeliveryDocument, IdempotencyKey?)
    }

    func read(in operations: Operations) throws -> Reading {
        let value = try value()
        let key = try key(of: value)
        let earlier = try earlier(key, in: operations)
        // The answer to a repeated request does not depend on the present state of apps and templates.
        if case .repeated? = earlier, let earlier {
            return .answered(try Self.answer(to: earlier, in: operations.store))
        }
        let document = try parsed(value, target: source, in: operations)
        if let earlier { return .answered(try Self.answer(to: earlier, in: operations.store)) }
        return .new(document, key)
    }

    package func prepare(in operations: Operations) throws -> Step<SubmittedDelivery> {
        switch try read(in: operations) {
        case .answered(let answer): Step { _ in answer }
        case .new(let document, let key): try step(document, once: key, in: operations)
        }
    }

    package func perform(in operations: Operations) throws -> SubmittedDelivery {
        try perform(in: operations) { _ in }
    }

    /// - Parameter ready: Changes the parsed document before it is submitted. It is not called if the same
    ///   request was made before.
    func perform(
        in operations: Operations, making ready: (inout DeliveryDocument) throws -> Void
    ) throws -> SubmittedDelivery {
        switch try read(in: operations) {
        case .answered(let answer): return answer
        case .new(var document, let key):
            try ready(&document)
            return try submitted(document, once: key, in: operations)
        }
    }

    private func earlier(_ key: IdempotencyKey?, in operations: Operations) throws -> KeyedSubmission? {
        try key.flatMap {
            try operations.store.deliveries.submission(of: $0, at: operations.clock.moment())
        }
    }

    /// Returns the answer to an earlier request with this key; `nil` if there was none.
    func answer(to key: IdempotencyKey?, in operations: Operations) throws -> SubmittedDelivery? {
        try earlier(key, in: operations).map { try Self.answer(to: $0, in: operations.store) }
    }

    /// - Parameters:
    ///   - document: The parsed document, or a modified copy of it.
    ///   - recipients: The recipients that replace the document's target; `nil` if there are none.
    ///   - warnings: Warnings in addition to those about the document.
    func submitted(
        _ document: DeliveryDocument, to recipients: ChosenRecipients? = nil, once key: IdempotencyKey? = nil,
        saying warnings: [String] = [], in operations: Operations
    ) throws -> SubmittedDelivery {
        try Step.performed(maxAttempts: 5, in: operations) {
            try step(document, to: recipients, once: key, saying: warnings, in: operations)
        }
    }

    /// Returns the order that would be submitted, with all its warnings. Nothing is written.
    func checked(
        _ document: DeliveryDocument, to recipients: ChosenRecipients? = nil, in operations: Operations
    ) throws -> DeliveryIntake.CheckedOrder {
        let given = recipients?.target ?? userKeys.map { target($0, of: document) }
        var checked = try DeliveryIntake(operations, documentName: documentName)
            .order(document, target: given?.refined(by: document.refinement))
        if let fault = try operations.store.targets.fault(
            of: checked.order.target, service: checked.order.service)
        {
            throw OperationError.refused(documentName.naming(fault))
        }
        let check = TargetCheck(checked.order.target, for: checked.apps, operations.store.targets)
        let now = operations.clock.moment().time
        let emptiness = try check.emptiness(
            listing: recipients?.draft, at: checked.order.schedule.window(at: now).begin)
        if let emptiness, !document.allowsEmptyTarget {
            throw OperationError.refused(
                documentName.naming("target: \(emptiness); to accept this, set \"allowEmpty\": true"))
        }
        let own = [
            try emptiness ?? check.unknownNames(),
            Self.isPast(checked.order.schedule.start, at: now),
            Self.hasNoRetry(checked.order, operations.settings),
        ].compactMap { $0 }
        checked.warnings = own + checked.warnings
        return checked
    }

    /// Returns a target of these user keys with the variables that the document states for its recipients.
    private func target(_ userKeys: [String], of document: DeliveryDocument) -> Target {
        var target = Target.userKeys(userKeys)
        target.variables = document.target?.variables
        return target
    }

    func step(
        _ document: DeliveryDocument, to recipients: ChosenRecipients? = nil, once key: IdempotencyKey? = nil,
        from draft: DraftVersion? = nil, saying more: [String] = [], in operations: Operations
    ) throws -> Step<SubmittedDelivery> {
        let checked = try checked(document, to: recipients, in: operations)
        let (order, warnings) = (checked.order, checked.warnings + more)
        // The first use case that needs the instance key creates it. A delivery could not be sent without the
        // key, so it is not accepted if the key is not available.
        _ = try operations.key()
        let now = operations.clock.moment()
        return Step(effects: { [engine = operations.engine] _ in engine.wakeUp() }) { store in
            let submitter = store.deliverySubmitter
            let end: KeyedSubmission =
                if let key {
                    try submitter.submit(
                        order, checkedAgainst: checked.revisions, once: key, from: draft, warnings: warnings,
                        at: now)
                } else {
                    .accepted(
                        try submitter.submit(order, checkedAgainst: checked.revisions, from: draft, at: now))
                }
            return try Self.answer(to: end, of: checked.apps, warnings: warnings, in: store)
        }
    }

    /// - Parameters:
    ///   - apps: The apps of the delivery, if it has just been accepted.
    ///   - warnings: The warnings about this delivery.
    private static func answer(
        to end: KeyedSubmission, of apps: [App] = [], warnings: [String] = [], in store: Store
    ) throws -> SubmittedDelivery {
        switch end {
        case .accepted(let id):
            return SubmittedDelivery(
                id: id, environments: PushEnvironment.all(of: apps), warnings: warnings)
        case .repeated(let id, let warnings):
            let environments = try store.deliveries.environments(of: [id])[id] ?? []
            return SubmittedDelivery(
                id: id, environments: PushEnvironment.allCases.filter(environments.contains),
                warnings: warnings, isRepeated: true)
        case .keyReused:
            throw OperationError.conflict(
                "Idempotency-Key: the key was used for another delivery within a day; use another key")
        }
    }

    /// Returns the idempotency key of a document. White space and the order of members do not affect it.
    /// - Parameter recipients: The representation of recipients that are not in the document; `nil` means
    ///   ``userKeys``.
    func key(of document: JSONValue, and recipients: JSONValue? = nil) throws -> IdempotencyKey? {
        guard let idempotencyKey else { return nil }
        try checkKey()
        let keys = recipients ?? userKeys.map { JSONValue.array($0.map { .string($0) }) } ?? .null
        var (body, sorted): ([UInt8], [UInt8]) = ([], [])
        JSONValue.array([document.canonical, keys]).append(to: &body)
        // The form that earlier versions stored, in which the spelling of numbers mattered.
        JSONValue.array([document.sorted, keys]).append(to: &sorted)
        // The scope differs from that of the caller's messages, because the same key may identify a message
        // and a delivery.
        return IdempotencyKey(
            scope: "delivery \(caller)", key: idempotencyKey, body: body, earlierForm: sorted)
    }

    /// The warning about a target without subscribers. The target may have subscribers later.
    static let emptyTarget = "the target contains no subscriber"

    /// Returns a warning about a start in the past. A start up to a minute ago causes no warning, because a
    /// caller that states the present time as the start is always slightly late.
    private static func isPast(_ start: WallTime?, at now: WallTime) -> String? {
        guard let start, start.advanced(bySeconds: 60) < now else { return nil }
        return
            "schedule.startAt: \(start.utcText) is in the past; the delivery and its validity begin at once"
    }

    /// Returns a warning if the validity ends before the first retry. If the gateway asked for a message to
    /// be tried again later, the delivery would be over before that attempt.
    private static func hasNoRetry(_ order: DeliveryOrder, _ settings: ServerConfiguration) -> String? {
        let retry = settings.nmac.retry
        let first = RetryCalendar(
            retriesOnFirstDay: retry.count, periodSeconds: Int64(retry.periodSec),
            keepsMinimumDelays: retry.minimumDelays
        ).overridden(by: order.retry).delaySeconds(afterAttempt: 1, gatewayMinimum: 0)
        let validity = order.schedule.validitySeconds
        guard validity < first, !order.schedule.isNowOrNever else { return nil }
        return
            "the validity of \(DurationText.text(seconds: validity)) ends before the first retry on the "
            + "calendar, \(DurationText.text(seconds: first)) after the first attempt; give a shorter "
            + "retry.period or a longer validity"
    }

    /// Returns the parsed document, completed with the members of its template if it names one.
    func parsed(in operations: Operations) throws -> DeliveryDocument {
        try parsed(try value(), target: source, in: operations)
    }

    private var source: DeliveryDocument.TargetSource { userKeys == nil ? .document : .elsewhere }

    /// Returns the document for a use case that has its own recipients. The document may have a target,
    /// exclusions only, or neither.
    func parsedForOthers(in operations: Operations) throws -> DeliveryDocument {
        let value = try filled(try value(), target: .document, in: operations)
        // A value that is not an object is parsed as a document that must have a target, and is therefore
        // refused.
        let lacksTarget =
            if case .object = value { !DeliveryDocument.choosesRecipients(value) } else { false }
        return try read(value, target: lacksTarget ? .elsewhere : .document)
    }

    /// Returns the apps of a document whose recipients are stated elsewhere.
    func apps(in operations: Operations) throws -> [App] {
        let document = try parsed(try value(), target: .elsewhere, in: operations)
        return try DeliveryIntake(operations, documentName: documentName).apps(of: document)
    }

    /// Returns the document as a JSON value, which need not be an object.
    func value() throws(OperationError) -> JSONValue {
        do throws(WireError) { return try DeliveryDocument.value(of: document) } catch { throw told(error) }
    }

    func parsed(
        _ value: JSONValue, target: DeliveryDocument.TargetSource, in operations: Operations
    ) throws -> DeliveryDocument {
        try read(try filled(value, target: target, in: operations), target: target)
    }

    private func filled(
        _ value: JSONValue, target: DeliveryDocument.TargetSource, in operations: Operations
    ) throws -> JSONValue {
        try DeliveryIntake(operations, documentName: documentName)
            .filled(value, target: target, in: operations)
    }

    private func read(
        _ filled: JSONValue, target: DeliveryDocument.TargetSource
    ) throws -> DeliveryDocument {
        do throws(WireError) {
            return try DeliveryDocument.read(
                filled, contents: ConnectorCatalogue.contents, target: target)
        } catch {
            throw told(error)
        }
    }

    private func told(_ error: WireError) -> OperationError {
        OperationError(error, of: documentName)
    }
}

extension PushEnvironment {
    /// Returns each environment that contains at least one of these apps.
    static func all(of apps: [App]) -> [PushEnvironment] {
        allCases.filter { environment in apps.contains { $0.settings.environment == environment } }
    }
}

package struct SubmittedDelivery: View, Equatable {
    package static let about = [
        "warnings": "probable mistakes",
        "isRepeated": "whether this is the response to an earlier request with the same key",
    ]

    package var id: DeliveryID
    /// The environments of the delivery's apps.
    package var environments: [PushEnvironment]
    package var warnings: [String]
    package var isRepeated = false
}
