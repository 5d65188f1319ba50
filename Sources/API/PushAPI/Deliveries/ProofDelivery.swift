internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushPayload
package import PushStore
internal import PushWire

/// Immediately sends a delivery to a few people, who review it before it is submitted. The proof is a
/// separate delivery, so that it does not affect the counts of the real delivery. The proof's label begins
/// with ``labelPrefix``. Priority, start, calendar and rate are not taken from the document.
package struct ProofDelivery: Change, KeyedUseCase {
    package static let name = "delivery.proof"
    package static let operation = Operation(
        .post, "\(SubmitDelivery.path)/proof", .send,
        "Immediately sends this document to a few user keys, as a separate delivery.", status: 201,
        maxBodyBytes: PreviewDelivery.maxBodyBytes, reach: .services)
    package static let example =
        #"""
        {"document": {"label": "Spring sale", "service": "neotrips", "content": {"title": "20% off"}},
        "userKeys": ["anna"]}
        """#
    package static let members: [Member<Self>] = [
        .field(
            \.document, "document", "A delivery document, with or without a target.",
            schema: DeliveryDocument.schemaWithoutTarget(ConnectorCatalogue.contents)),
        .field(\.userKeys, "userKeys", "The user keys of the recipients, at most \(maxUserKeys).").secret,
        .inner(\.documentName, "documentName", default: "document"),
        .inner(\.caller, "caller", default: ""),
    ]
    package static let labelPrefix = "proof: "
    /// Returns the label of the proof of a delivery with this label.
    package static func label(ofProofOf label: String) -> String { NameRule.cut(labelPrefix + label) }
    package static let maxUserKeys = 100
    package var followUpCommand: String { "delivery list" }
    package var auditText: AuditText? { .making() }

    private var document = JSONDocument()
    /// The name of the document in error texts.
    private var documentName = "document"
    /// The recipients.
    private var userKeys: [String] = []
    package var caller = ""
    package var idempotencyKey: String?

    package init() {}

    package init(document: [UInt8], documentName: String, userKeys: [String]) {
        self.document.bytes = document
        self.documentName = documentName
        self.userKeys = userKeys
    }

    package func location(of answer: SubmittedDelivery) -> String? { "\(SubmitDelivery.path)/\(answer.id)" }

    package func prepare(in operations: Operations) throws -> Step<SubmittedDelivery> {
        guard (1...Self.maxUserKeys).contains(userKeys.count) else {
            throw OperationError.refused(
                "user keys: found \(userKeys.count); a proof needs 1 to \(Self.maxUserKeys)")
        }
        // All subscribers without a user key have the empty user key.
        guard !userKeys.contains("") else { throw OperationError.refused("user keys: one is empty") }
        let submission = SubmitDelivery(
            document: document.bytes, documentName: documentName, userKeys: userKeys, caller: caller,
            idempotencyKey: idempotencyKey)
        let recipients = ["proof"] + userKeys
        let key = try submission.key(
            of: try submission.value(), and: .array(recipients.map { .string($0) }))
        if let earlier = try submission.answer(to: key, in: operations) { return Step { _ in earlier } }
        var proof = try submission.parsedForOthers(in: operations)
        proof.label = Self.label(ofProofOf: proof.label)
        proof.schedule.start = nil
        proof.schedule.calendar = nil
        proof.schedule.ratePerSecond = 0
        proof.schedule.priority = .high
        // The check for missing recipients follows below, with error texts for proofs.
        proof.allowsEmptyTarget = true
        // People who review proofs receive many of them.
        proof.ignoresFrequencyCap = true
        proof.target?.fillVariables(to: userKeys)
        proof.refinement = TargetRefinement()
        let checked = try submission.checked(proof, in: operations)
        let apps = checked.order.apps
        let unknown = try userKeys.filter {
            try !operations.store.targets.matchesAnybody(.userKeys([$0]), of: apps)
        }
        guard unknown.count < userKeys.count else {
            throw OperationError.refused("user keys: no subscriber of the delivery's apps has any of them")
        }
        let warnings = unknown.map {
            "user key \"\($0.printable(atMost: 64))\": no subscriber of the delivery's apps has it"
        }
        let known = userKeys.filter { !unknown.contains($0) }
        return try submission.step(
            proof, once: key, saying: warnings + (try unreached(known, proof, checked, in: operations)),
            in: operations)
    }

    /// Returns a warning for each user key that has no device to which anything is sent.
    private func unreached(
        _ userKeys: [String], _ proof: DeliveryDocument, _ checked: DeliveryIntake.CheckedOrder,
        in operations: Operations
    ) throws -> [String] {
        let (begin, end) = checked.order.schedule.window(at: operations.clock.moment().time)
        let apps = Dictionary(checked.apps.map { ($0.id, $0) }) { first, _ in first }
        let names = checked.apps.map(Catalogue.AppName.init)
        var previews: [AppID: PayloadPreview] = [:]
        return try userKeys.compactMap { userKey -> String? in
            var reason: String?
            for facts in try SubscriberName.userKey(userKey).found(of: names, in: operations) {
                guard let app = apps[facts.app] else { continue }
                let preview =
                    try previews[app.id]
                    ?? PayloadPreview(
                        of: proof.content, tracking: proof.tracking, for: app, from: begin, expiresAt: end,
                        operations.settings.nmac)
                previews[app.id] = preview
                let variables = checked.order.target.variables(shownTo: facts.userKey, token: facts.token)
                let device = DeliveryPreviewView.Device(facts, saying: variables, of: app, preview)
                let obstacle = device.fault ?? Self.exclusion(of: facts)
                guard let obstacle else { return nil }
                reason = reason ?? obstacle
            }
            return reason.map { "user key \"\(userKey.printable(atMost: 64))\": nothing is sent: \($0)" }
        }
    }

    /// Returns why deliveries leave out a device; `nil` if they do not.
    private static func exclusion(of facts: SubscriberFacts) -> String? {
        switch SubscriberState(facts) {
        case .valid, .counting: nil
        case .quarantined: "the device is in quarantine"
        case .disabled: "the device is disabled"
        case .optedOut: "the person has opted out"
        }
    }
}

extension Target {
    /// Fills the variables of a target for these user keys. A user key that the target does not list gets the
    /// variables of the first recipient.
    fileprivate mutating func fillVariables(to userKeys: [String]) {
        variables = variables?.filled(for: userKeys, asIn: listed)
    }
}
