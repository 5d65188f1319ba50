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
        do {
            _ = try visit.carryOut(
                ProofDelivery(document: step.document, documentName: "", userKeys: keys))
        } catch let error as OperationError where [.refused, .noMatch, .absent].contains(error.kind) {
            return .refused(422, try step.page(FormErrors(error), keys: text))
        }
        return .redirect(
            step.composer.path.with("keys", text.utf8.count > 1_000 ? nil : text), notice: .proofSent)
    }

    /// The part of the page that the script requests again.
    static func sent(_ visit: Visit) throws -> Reply {
        .fragment(try ProofStep(visit).list)
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
        let fault = composer.measured()?.fault
        let notice: HTML? = fault.map { error in
            """
            <div class="notice notice-warn"><b>\(Phrase.notReady)</b><ul lang="en">\
            \(error.lines.prefix(20).map { "<li>\($0)</li>" as HTML })</ul></div>
            """
        }
        let form = visit.form(action: composer.path, id: Composer.formID) {
            """
            \(fields.others(besides: [Self.keys]))\
            \(fields.area(.userKeys, Self.keys, value: keys, hint: .userKeysHint))\
            <div class="row"><button class="button button-primary">\(Phrase.send)</button></div>
            """
        }
        let next: ConsolePath = ComposerStep.review.path(composer.draft.id)
        let body: HTML = """
            <div class="stack">\(notice)\
            \(HTML.card(.proof, id: "proof", note: "\(Phrase.proofNote)", body: form))\
            \(HTML.live("/drafts/\(composer.draft.id)/proof/sent", try list))\
            <div class="form-foot"><div class="row">\
            \(HTML.link(.back, ComposerStep.timing.path(composer.draft.id), classes: "button-plain"))</div>\
            <div class="row">\(HTML.link(.toReview, next))</div></div></div>
            """
        return composer.page(body)
    }

    /// The newest proofs of deliveries with the draft's label since the draft was created.
    private var list: HTML {
        get throws {
            let label = composer.document.text("label").trimmed
            let shown = label.isEmpty ? "#\(composer.draft.id)" : label
            let wanted = ProofDelivery.label(ofProofOf: shown)
            let list = try ListDeliveries.request(label: wanted, state: nil, cursor: nil, limit: 20)
            let proofs = try visit.recently(list, of: wanted).items.filter { delivery in
                delivery.label == wanted && delivery.createdAt >= composer.draft.createdAt
            }
            guard !proofs.isEmpty else { return HTML.emptyState(.noProof, .noProofText) }
            let rows = proofs.map { proof -> [HTML] in
                let counts = proof.counts
                return [
                    proof.link, HTML.announced("proof-\(proof.id.rawValue)", proof.state.badge),
                    "\(moment: proof.createdAt)", "\(count: counts.sent)", "\(count: counts.failed)",
                    "\(count: counts.received)",
                ]
            }
            let columns: [HTML.Column] = [
                .init(.proof), .init(.state), .init(.sentAt), .init(.sent, .number),
                .init(.failed, .number), .init(.received, .number),
            ]
            return HTML.card(.proofs, id: "proofs", table: HTML.table(columns, rows))
        }
    }
}

extension Notice {
    static let proofSent = Notice(
        "proof.sent", Phrase("The proof is being sent.", "Die Probe wird gesendet."))
}

extension Phrase {
    fileprivate static let proof = Phrase("Proof", "Probe")
    fileprivate static let proofNote = Phrase(
        "A proof is sent at once, as a delivery of its own. It counts for nothing else.",
        "Eine Probe wird sofort als eigene Zustellung gesendet. Sie zählt sonst nirgends.")
    fileprivate static let userKeys = Phrase("User keys", "Nutzerschlüssel")
    fileprivate static let userKeysHint = Phrase(
        "The people who check the proof: one user key per line, or separated by commas.",
        "Die Personen, die die Probe prüfen: ein Nutzerschlüssel pro Zeile oder durch Kommas getrennt.")
    fileprivate static let send = Phrase("Send the proof", "Probe senden")
    fileprivate static let toReview = Phrase("Continue to review", "Weiter zur Prüfung")
    fileprivate static let back = Phrase("Back", "Zurück")
    fileprivate static let noKeys = Phrase(
        "Enter the user key of at least one person.",
        "Geben Sie den Nutzerschlüssel mindestens einer Person ein.")
    fileprivate static let notReady = Phrase(
        "You can send a proof as soon as this is fixed:",
        "Sie können eine Probe senden, sobald dies behoben ist:")
    fileprivate static let noProof = Phrase("There is no proof yet", "Es gibt noch keine Probe")
    fileprivate static let noProofText = Phrase(
        "Send it to yourself first, and look at it on your phone.",
        "Senden Sie sie zuerst an sich selbst und sehen Sie sie auf Ihrem Telefon an.")
    fileprivate static let proofs = Phrase("Sent proofs", "Gesendete Proben")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let sentAt = Phrase("At", "Zeit")
    fileprivate static let sent = Phrase("Sent", "Gesendet")
    fileprivate static let failed = Phrase("Failed", "Fehlgeschlagen")
    fileprivate static let received = Phrase("Received", "Empfangen")
}
