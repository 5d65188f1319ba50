internal import PushAPI
internal import PushModel
internal import PushWire

/// The proofs of a draft, and what their recipients got.
struct Proofs {
    private static let maxShown = 10

    let composer: Composer
    /// Those of the draft's present name since the draft was created, the newest first.
    let all: [DeliveryView]

    private var visit: Visit { composer.visit }

    init(_ composer: Composer) throws {
        self.composer = composer
        let label = composer.document.text("label").trimmed
        let wanted = ProofDelivery.label(ofProofOf: label.isEmpty ? "#\(composer.draft.id)" : label)
        let list = try ListDeliveries.request(label: wanted, state: nil, cursor: nil, limit: 20)
        all = try composer.visit.recently(list, of: wanted).items.filter { delivery in
            delivery.label == wanted && delivery.createdAt >= composer.draft.createdAt
        }
    }

    // MARK: The state

    /// What happened to the newest proof, as a sentence.
    var state: HTML {
        guard let newest = all.first else { return "\(Phrase.noProof)" }
        let people = Set(rows(of: newest).map(\.userKey)).count
        let clock = Moments.text(newest.createdAt)
        let sentence: HTML = "\(people == 0 ? Phrase.sentAt(clock) : .sent(at: clock, to: people)): "
        let link: HTML = "<a href=\"\(path(newest))\">\(Phrase.delivery(newest.id.rawValue))</a>"
        let late: HTML? = composer.draft.updatedAt > newest.createdAt ? " \(Phrase.changedSince)" : nil
        return "\(sentence)\(link), \(HTML.announced("proof", newest.state.badge))\(late)"
    }

    private func path(_ proof: DeliveryView) -> ConsolePath {
        "/drafts/\(composer.draft.id)/proof/\(proof.id.rawValue)"
    }

    // MARK: The list

    /// The proofs, and the recipients of the newest one.
    var html: HTML {
        guard let newest = all.first else { return HTML.emptyState(.noProofYet, .noProofText) }
        let rows = all.map { proof -> [HTML] in
            let counts = proof.counts
            return [
                "<a href=\"\(path(proof))\">\(Phrase.delivery(proof.id.rawValue))</a>",
                HTML.announced("proof-\(proof.id.rawValue)", proof.state.badge),
                "\(moment: proof.createdAt)", "\(count: counts.sent)", "\(count: counts.failed)",
                "\(count: counts.received)",
            ]
        }
        let columns: [HTML.Column] = [
            .init(.proof), .init(.state), .init(.at), .init(.sent, .number), .init(.failed, .number),
            .init(.received, .number),
        ]
        let result = result(of: newest, limit: Self.maxShown)
        return """
            \(HTML.card(.result, id: "result", note: HTML.announced("proof", "\(progress(newest))"),
                body: uncovered(result), table: recipients(result)))\
            \(HTML.card(.proofs, id: "proofs", table: HTML.table(columns, rows)))
            """
    }

    private func progress(_ proof: DeliveryView) -> Phrase {
        switch proof.state {
        case .startPending, .preparing, .inProgress: .isSending
        case .finished where proof.counts.sent > 0: .wasSent(proof.counts.sent)
        case .finished: .reachedNobody
        case .paused, .stopping, .stopped, .failed: proof.state.title
        }
    }

    /// The recipients of a proof, and the messages to their devices.
    struct Result {
        var rows: [MessageLogRow]
        var devices: [DeliveryPreviewView.Device]
    }

    /// - Parameter limit: The maximum number of recipients.
    func result(of proof: DeliveryView, limit: Int) -> Result {
        let rows = Array(rows(of: proof).prefix(limit))
        return Result(rows: rows, devices: devices(of: proof, Set(rows.map(\.userKey))))
    }

    /// Each recipient with the language and the texts that the person's device got.
    func recipients(_ result: Result) -> HTML {
        guard !result.rows.isEmpty else { return "<p class=\"card-body muted\">\(.noRecipients)</p>" }
        let cells = result.rows.map { row -> [HTML] in
            let device = result.devices.first { $0.app == row.app && $0.token == row.token }
            let texts = device?.message.flatMap { MessageTexts(payload: $0.payload) }
            let language = device?.language.map(LanguageNames.title) ?? .mainContent
            let state = MessageState(named: row.state)
            let reason: HTML? = row.providerReason.map { "<small lang=\"en\">\($0)</small>" }
            return [
                "\(name: String(row.userKey.prefix(200)))", device == nil ? "–" : "\(language)",
                texts.map { "<bdi>\($0.title)</bdi>" } ?? "–", texts.map { "<bdi>\($0.body)</bdi>" } ?? "–",
                "\(state?.badge ?? HTML(row.state))\(reason)",
            ]
        }
        let columns: [HTML.Column] = [
            .init(.person), .init(.language), .init(.title), .init(.text), .init(.state),
        ]
        return HTML.table(columns, cells)
    }

    /// Which languages of the content no recipient of the proof has.
    private func uncovered(_ result: Result) -> HTML? {
        guard !result.devices.isEmpty else { return nil }
        let seen = Set(result.devices.map { $0.language ?? "" })
        let missing = ([""] + composer.document.languages).filter { language in
            !seen.contains { $0.lowercased() == language.lowercased() }
        }
        guard !missing.isEmpty else { return nil }
        let names = missing.prefix(20).map { $0.isEmpty ? Phrase.mainContent : LanguageNames.title($0) }
        return "<div class=\"notice notice-warn\">\(Phrase.uncovered(names))</div>"
    }

    private func rows(of proof: DeliveryView) -> [MessageLogRow] {
        let request = try? ReadDeliveryLogPage.request(
            names: ["id": "\(proof.id.rawValue)"], query: ["limit": "100"], body: [])
        return request.flatMap { try? visit.recently($0, of: "\(proof.id.rawValue)").items } ?? []
    }

    /// The messages to these people, as the proof's document renders them.
    private func devices(of proof: DeliveryView, _ keys: Set<String>) -> [DeliveryPreviewView.Device] {
        let found = try? visit.recently("proof.devices", of: "\(proof.id.rawValue) \(keys.count)") {
            let document = try visit.carryOut(ShowDeliveryDocument(id: proof.id)).document.documentBytes
            return keys.sorted().filter { !$0.isEmpty }.flatMap { key -> [DeliveryPreviewView.Device] in
                let preview = PreviewDelivery(document: document, documentName: "", who: .userKey(key))
                return (try? visit.carryOut(preview).devices) ?? []
            }
        }
        return found ?? []
    }
}

/// What the recipients of one proof got.
enum ProofPage {
    static func show(_ visit: Visit) throws -> Reply {
        let composer = try Composer(visit, .proof)
        let proofs = try Proofs(composer)
        let id = try visit.number("delivery")
        guard let proof = proofs.all.first(where: { $0.id.rawValue == id }) else { throw Refusal.notFound }
        let body: HTML = """
            <div class="stack">\
            \(HTML.card(.result, id: "result", note: proof.state.badge,
                table: proofs.recipients(proofs.result(of: proof, limit: 100))))\
            <div class="form-foot"><div class="row">\
            \(HTML.link(.backToDraft, ComposerStep.proof.path(composer.draft.id)))\
            \(HTML.link(.openDelivery, proof.path, classes: "button-plain"))</div><div class="row">\
            \(HTML.link(.toReview, ComposerStep.review.path(composer.draft.id), classes: "button-primary"))\
            </div></div></div>
            """
        return .page(composer.page(body))
    }
}

extension Phrase {
    static let noProof = Phrase("No proof was sent.", "Es wurde keine Probe gesendet.")
    static let toReview = Phrase("Continue to review", "Weiter zur Prüfung")
    fileprivate static func sentAt(_ clock: String) -> Phrase {
        Phrase("Proof sent (\(clock))", "Probe gesendet (\(clock))")
    }
    fileprivate static func sent(at clock: String, to people: Int) -> Phrase {
        .counted(
            people,
            one: Phrase("Proof sent to 1 person (\(clock))", "Probe an 1 Person gesendet (\(clock))")
        ) {
            Phrase("Proof sent to \($0) people (\(clock))", "Probe an \($0) Personen gesendet (\(clock))")
        }
    }
    fileprivate static func delivery(_ id: Int64) -> Phrase {
        Phrase("delivery #\(id)", "Zustellung #\(id)")
    }
    fileprivate static let changedSince = Phrase(
        "The draft was changed after that.", "Der Entwurf wurde danach geändert.")
    fileprivate static let noProofYet = Phrase("There is no proof yet", "Es gibt noch keine Probe")
    fileprivate static let noProofText = Phrase(
        "Send it to yourself first, and look at it on your phone.",
        "Senden Sie sie zuerst an sich selbst und sehen Sie sie auf Ihrem Telefon an.")
    fileprivate static let result = Phrase("Result of the proof", "Ergebnis der Probe")
    fileprivate static let isSending = Phrase("The proof is being sent.", "Die Probe wird gesendet.")
    fileprivate static func wasSent(_ count: Int) -> Phrase {
        .counted(
            count,
            one: Phrase("The proof was sent to 1 device.", "Die Probe wurde an 1 Gerät gesendet.")
        ) {
            Phrase("The proof was sent to \($0) devices.", "Die Probe wurde an \($0) Geräte gesendet.")
        }
    }
    fileprivate static let reachedNobody = Phrase(
        "The proof was sent to no device.", "Die Probe wurde an kein Gerät gesendet.")
    fileprivate static func uncovered(_ languages: [Phrase]) -> Phrase {
        Phrase(
            "No recipient of the proof has: \(languages.map(\.english).joined(separator: ", ")).",
            "Kein Empfänger der Probe hat: \(languages.map(\.german).joined(separator: ", ")).")
    }
    fileprivate static let noRecipients = Phrase(
        "The recipients appear here as soon as the proof is prepared.",
        "Die Empfänger erscheinen hier, sobald die Probe vorbereitet ist.")
    fileprivate static let backToDraft = Phrase("Back to the draft", "Zurück zum Entwurf")
    fileprivate static let openDelivery = Phrase("Open as a delivery", "Als Zustellung öffnen")
    fileprivate static let proofs = Phrase("Sent proofs", "Gesendete Proben")
    fileprivate static let proof = Phrase("Proof", "Probe")
    fileprivate static let person = Phrase("Person", "Person")
    fileprivate static let language = Phrase("Language", "Sprache")
    fileprivate static let title = Phrase("Title", "Titel")
    fileprivate static let text = Phrase("Text", "Text")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let at = Phrase("At", "Zeit")
    fileprivate static let sent = Phrase("Sent", "Gesendet")
    fileprivate static let failed = Phrase("Failed", "Fehlgeschlagen")
    fileprivate static let received = Phrase("Received", "Empfangen")
}
