internal import PushAPI
internal import PushModel
internal import PushWire

/// The fourth step: the delivery is sent to a few people who look at it.
struct ProofStep {
    private static let keys = "proof.keys"

    let composer: Composer

    init(_ visit: Visit) throws { composer = try Composer(visit, .proof) }

    private var visit: Visit { composer.visit }

    static func show(_ visit: Visit) throws -> Reply {
        let step = try ProofStep(visit)
        return .page(try step.page(FormErrors(), keys: step.suggested))
    }

    static func submit(_ visit: Visit) throws -> Reply {
        let step = try ProofStep(visit)
        // This form changes nothing in the draft.
        if let followed = step.composer.followed { return .redirect(followed) }
        let text = visit.form.exact(keys) ?? ""
        let keys = AudienceForm.lines(text.replacing(",", with: "\n"))
        guard !keys.isEmpty else {
            return .refused(422, try step.page(FormErrors(Self.keys, .noKeys), keys: text))
        }
        guard keys.count <= ProofDelivery.maxUserKeys else {
            return .refused(422, try step.page(FormErrors(Self.keys, .tooManyKeys(keys.count)), keys: text))
        }
        // A person who mistypes one of several user keys must not learn it from a proof that did not arrive.
        var errors = FormErrors()
        for key in try step.unknown(keys) { errors.add(Self.keys, .unknownPerson(key)) }
        guard errors.isEmpty else { return .refused(422, try step.page(errors, keys: text)) }
        do {
            _ = try visit.carryOut(
                ProofDelivery(document: step.document, documentName: "", userKeys: keys))
        } catch let error as OperationError where [.refused, .noMatch, .absent].contains(error.kind) {
            let errors = FormErrors(DraftFaultReader(composer: step.composer).faults(error), fields: [])
            return .refused(422, try step.page(errors, keys: text))
        }
        return .redirect(step.composer.path.with("keys", text.utf8.count > 1_000 ? nil : text))
    }

    /// Returns the user keys that no device of the delivery's apps has.
    private func unknown(_ keys: [String]) throws -> [String] {
        let apps = Set(composer.apps.map(\.name))
        return try keys.filter { key in
            try !visit.carryOut(ShowSubscribers(.userKey(key))).items.contains { apps.contains($0.app) }
        }
    }

    /// The part of the page that the script requests again.
    static func sent(_ visit: Visit) throws -> Reply {
        .fragment(try Proofs(ProofStep(visit).composer).html)
    }

    /// The document with a label, which a delivery must have.
    private var document: [UInt8] {
        var document = composer.document
        if document.text("label").trimmed.isEmpty { document["label"] = .string("#\(composer.draft.id)") }
        return document.bytes
    }

    /// The user keys of the last proof.
    private var suggested: String { String((visit.query.exact("keys") ?? "").prefix(2_000)) }

    private func page(_ errors: FormErrors, keys: String) throws -> Page {
        let fields = Fields(errors)
        let proofs = try Proofs(composer)
        let faults = composer.faults(in: .content) + composer.faults(in: .timing)
        let notice: HTML? =
            faults.isEmpty
            ? nil
            : "<div class=\"notice notice-warn\"><b>\(Phrase.notReady)</b>\(DraftFault.list(faults))</div>"
        let isFirst = proofs.all.isEmpty
        let form = visit.form(action: composer.path, id: Composer.formID) {
            """
            \(fields.others(besides: [Self.keys]))\
            \(fields.area(.userKeys, Self.keys, value: keys, hint: .userKeysHint))\
            <div class="row"><button class="button\(isFirst ? " button-primary" as HTML : "")">\
            \(isFirst ? Phrase.send : .sendAgain)</button></div>
            """
        }
        let next: ConsolePath = ComposerStep.review.path(composer.draft.id)
        let body: HTML = """
            <div class="stack">\(notice)\
            \(HTML.card(.proof, id: "proof", note: "\(Phrase.proofNote)", body: form))\
            \(HTML.live("/drafts/\(composer.draft.id)/proof/sent", proofs.html))\
            <div class="form-foot"><div class="row">\
            \(HTML.link(.back, ComposerStep.timing.path(composer.draft.id), classes: "button-plain"))</div>\
            <div class="row">\(isFirst
                ? HTML.link(.toReview, next) : HTML.link(.toReview, next, classes: "button-primary"))\
            </div></div></div>
            """
        return composer.page(body)
    }
}

extension Phrase {
    fileprivate static let proof = Phrase("Proof", "Probe")
    fileprivate static let proofNote = Phrase(
        "A proof is sent at once, as a delivery of its own. The results of this delivery do not include it.",
        "Eine Probe wird sofort als eigene Zustellung gesendet. Die Ergebnisse dieser Zustellung enthalten "
            + "sie nicht.")
    fileprivate static let userKeys = Phrase("User keys", "Nutzerschlüssel")
    fileprivate static let userKeysHint = Phrase(
        "The people who check the proof: one user key per line, or separated by commas.",
        "Die Personen, die die Probe prüfen: ein Nutzerschlüssel pro Zeile oder durch Kommas getrennt.")
    fileprivate static let send = Phrase("Send the proof", "Probe senden")
    fileprivate static let sendAgain = Phrase("Send another proof", "Weitere Probe senden")
    fileprivate static func tooManyKeys(_ count: Int) -> Phrase {
        Phrase(
            "A proof goes to at most \(ProofDelivery.maxUserKeys) people, not \(count).",
            "Eine Probe geht an höchstens \(ProofDelivery.maxUserKeys) Personen, nicht an \(count).")
    }
    fileprivate static let back = Phrase("Back", "Zurück")
    fileprivate static let noKeys = Phrase(
        "Enter the user key of at least one person.",
        "Geben Sie den Nutzerschlüssel mindestens einer Person ein.")
    fileprivate static let notReady = Phrase(
        "You can send a proof as soon as this is fixed:",
        "Sie können eine Probe senden, sobald dies behoben ist:")
}
