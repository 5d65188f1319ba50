internal import PushAPI
internal import PushModel
internal import PushStore
internal import PushWire

/// The steps in which a person writes a delivery.
enum ComposerStep: Int, CaseIterable, Sendable {
    case content, audience, timing, proof, review

    var title: Phrase {
        switch self {
        case .content: Phrase("Content", "Inhalt")
        case .audience: Phrase("Audience", "Zielgruppe")
        case .timing: Phrase("Timing", "Zeitpunkt")
        case .proof: Phrase("Proof", "Probe")
        case .review: Phrase("Review", "Prüfung")
        }
    }

    /// The name in the query of a page that also counts the devices.
    static let count = "count"

    var word: String { "\(self)" }
    /// The pattern of the step's route.
    var pattern: StaticString {
        switch self {
        case .content: "/drafts/{id}/content"
        case .audience: "/drafts/{id}/audience"
        case .timing: "/drafts/{id}/timing"
        case .proof: "/drafts/{id}/proof"
        case .review: "/drafts/{id}/review"
        }
    }
    func path(_ id: Int64) -> ConsolePath { "/drafts/\(id)/\(word)" }
    var next: ComposerStep? { ComposerStep(rawValue: rawValue + 1) }
    var previous: ComposerStep? { ComposerStep(rawValue: rawValue - 1) }
}

/// A draft on one of its pages, with everything that the steps need.
struct Composer {
    /// The id of the form that the links to other steps submit.
    static let formID = "composer"
    /// The name of the field with the version that the form was made from.
    static let version = "_version"
    /// The name of the buttons of a form.
    static let action = "_action"
    /// The name of the field that the script adds when a person follows a link.
    static let go = "_go"
    static let ownFields: Set<String> = [version, action, go]

    let visit: Visit
    let draft: DraftView
    let step: ComposerStep
    /// The document: that of the draft, or as the form changes it.
    var document: DraftDocument
    /// The apps of the draft's service.
    let serviceApps: [AppView]
    private let answers = ComposerAnswers()

    init(_ visit: Visit, _ step: ComposerStep) throws {
        self.visit = visit
        self.step = step
        draft = try visit.draft()
        document = DraftDocument(draft.document)
        var list = ListApps()
        list.service = draft.service
        serviceApps = try visit.carryOut(list)
    }

    /// The apps to which the delivery is sent.
    var apps: [AppView] {
        let named = document["apps"]?.strings ?? []
        let environments = document["environments"]?.strings ?? [PushEnvironment.production.rawValue]
        let choice = named.isEmpty ? environments : ["apps"] + named
        if let chosen = answers.chosen, chosen.choice == choice { return chosen.apps }
        let apps = serviceApps.filter {
            named.isEmpty ? environments.contains($0.environment.rawValue) : named.contains($0.name)
        }
        answers.chosen = (choice, apps)
        return apps
    }

    func has(_ platform: Platform) -> Bool { apps.contains { $0.platform == platform } }

    var path: ConsolePath { step.path(draft.id) }

    /// Returns messages in these languages and what is wrong with them.
    /// - Parameter person: The user key of the person whose values fill the texts; `nil` for sample values.
    func measured(languages: [String], person: String?) -> MeasuredContent? {
        var measure = MeasureContent(document: document.bytes, languages: languages, userKey: person)
        measure.anyValue = Phrase.sampleValue.text
        return answer(to: measure)
    }

    /// Returns what is wrong with the document. A page checks the same document once.
    func check() -> MeasuredContent? {
        let measure = MeasureContent(document: document.bytes, languages: [])
        return answers.known[measure.document] ?? answer(to: measure)
    }

    private func answer(to measure: MeasureContent) -> MeasuredContent? {
        let answer = try? visit.operations.carryOut(measure)
        answers.known[measure.document] = answer
        return answer
    }

    /// Whether the submitted form is refused because of faults in its step. A link to another step saves the
    /// form in any case, so that no input is lost.
    var isRefused: Bool {
        followed == nil && visit.form.given(Self.action).map { $0 != "back" } == true
            && !faults(in: step).isEmpty
    }

    /// Has the script ask before the person leaves the page with unsaved input.
    static let asksBeforeLeaving: HTML = " data-unsaved"

    /// Whether the draft is as it was created, so that nothing is marked as missing yet.
    var isUntouched: Bool { draft.version == 1 && !visit.query.isOn(Self.checked) }

    /// The name in the query of a page that shows what to correct.
    static let checked = "check"

    // MARK: Saving

    /// Saves the document that a form has changed, and leads to the page that the person chose.
    /// A step with faults is saved, but does not lead to the next step.
    func save(staying: ConsolePath? = nil) throws -> Reply {
        let version = visit.form.number(Self.version).map(Int64.init) ?? draft.version
        do {
            _ = try visit.carryOut(
                SaveDraft(document.value, basedOn: DraftVersion(id: draft.id, version: version)))
        } catch let error as OperationError where error.kind == .conflict {
            return conflict()
        } catch let error as OperationError where error.kind == .refused {
            return .refused(422, page(HTML.errors(FormErrors(error)) + resubmission(label: .saveAgain)))
        }
        if let chosen = followed { return .redirect(chosen) }
        switch visit.form[Self.action] {
        case "close": return .redirect("/drafts", notice: .draftSaved)
        case "stay": return .redirect(staying ?? path, notice: .draftSaved)
        case "back": return .redirect((step.previous ?? step).path(draft.id))
        case "next" where staying == nil:
            if let fault = faults(in: step).first {
                let page = step.path(draft.id).with("language", fault.language.isEmpty ? nil : fault.language)
                return .redirect(page.with("check", "1"), notice: .toCorrect)
            }
            return .redirect((step.next ?? step).path(draft.id))
        default: return .redirect(staying ?? (step.next ?? step).path(draft.id))
        }
    }

    /// The page of the link that the person followed, which submitted the form; `nil` if a button did.
    var followed: ConsolePath? {
        guard let text = visit.form[Self.go], text.hasPrefix(ConsolePath.root) else { return nil }
        return ConsolePath(returning: String(text.dropFirst(ConsolePath.root.count)))
    }

    /// Answers a person who saves a draft that another person has saved in the meantime.
    private func conflict() -> Reply {
        let theirs = DraftDocument(draft.document)
        let rows = DocumentDifference.rows(theirs, document).map { row -> [HTML] in
            [HTML.code(row.path), "\(name: row.left)", "\(name: row.right)"]
        }
        let who = draft.changedBy == visit.session.caller ? nil : draft.changedBy.personName
        let columns: [HTML.Column] = [.init(.member), .init(.theirs), .init(.yours)]
        let table: HTML? = rows.isEmpty ? nil : HTML.table(columns, Array(rows.prefix(100)))
        let body: HTML = """
            <div class="stack">\(HTML.note(.changedBy(who, draft.updatedAt), tone: .warn))\
            \(HTML.card(.differences, id: "differences", table: table ?? "<p class=\"card-body\">–</p>"))\
            \(resubmission(label: .saveMine))</div>
            """
        return .refused(409, page(body))
    }

    /// Returns a form that submits the same fields again, as a change of the current version.
    private func resubmission(label: Phrase) -> HTML {
        var fields = visit.resubmitted
        fields.add(Self.version, "\(draft.version)")
        // Such a form can be larger than one without files may be.
        return visit.form(action: visit.request.address, hasFiles: true) {
            """
            \(Visit.hidden(fields))<div class="row"><a class="button" href="\(path)">\(.keepTheirs)</a>\
            <button class="button button-primary">\(label)</button></div>
            """
        }
    }

    // MARK: Pages

    /// Returns the page of the step.
    func page(_ body: HTML) -> Page {
        let label = document.text("label")
        let title = label.isEmpty ? "#\(draft.id)" : label
        let meta: [HTML] = [
            HTML.badge(.neutral, .draft), HTML(draft.service),
            "\(.savedAt) \(moment: draft.updatedAt)\(otherPerson)",
        ]
        let actions: HTML = """
            \(HTML.link(.discard, "/drafts/\(draft.id)/remove", classes: "button-small button-danger"))
            """
        return Page(
            title: "\(step.title.text): \(title)", current: .deliveries,
            body: """
                \(HTML.pageHead(
                    "\(name: title)" as HTML, crumbs: [("\(.draftsTitle)", "/drafts")], meta: meta,
                    actions: actions))
                <div data-save="\(Self.formID)">\(stepper)</div>
                \(body)
                """)
    }

    private var otherPerson: HTML? {
        guard draft.changedBy != visit.session.caller else { return nil }
        return " \(Phrase.by(draft.changedBy.personName))"
    }

    private var stepper: HTML {
        let steps = ComposerStep.allCases.map { one -> HTML.Step in
            let isFaulty = !isUntouched && !faults(in: one).isEmpty
            return HTML.Step(
                one.title, path: one.path(draft.id), isDone: one.rawValue < step.rawValue,
                note: isFaulty ? .toCorrect : note(one), isFaulty: isFaulty)
        }
        return HTML.stepper(steps, current: step.rawValue)
    }

    private func note(_ step: ComposerStep) -> Phrase? {
        switch step {
        case .content:
            document.text("content.title").isEmpty && document.text("content.body").isEmpty
                ? .missing : .languageCount(document.languages.count + 1)
        case .audience: document[.target] == nil ? .missing : nil
        case .timing:
            document["schedule.startAt"] == nil
                ? .now
                : WallMoment(rfc3339: document.text("schedule.startAt")).map {
                    Phrase(same: Moments.text($0))
                }
        case .proof, .review: nil
        }
    }

    /// The hidden fields with the version and the service, and the buttons below a form.
    func foot(next: Phrase) -> HTML {
        let back: HTML? =
            step.previous == nil
            ? nil
            : "<button class=\"button button-plain\" name=\"\(Self.action)\" value=\"back\">\(.back)</button>"
        return """
            <input type="hidden" name="\(Self.version)" value="\(number: draft.version)">\
            <input type="hidden" name="\(LostDraft.service)" value="\(draft.service)">\
            <div class="form-foot"><div class="row">\(back)\
            <button class="button" name="\(Self.action)" value="stay">\(.save)</button>\
            <button class="button" name="\(Self.action)" value="close">\(.saveAndClose)</button></div>\
            <div class="row"><button class="button button-primary" name="\(Self.action)" value="next">\(next)\
            </button></div></div>
            """
    }
}

/// What the parts of a page ask several times.
private final class ComposerAnswers {
    /// What is wrong with documents.
    var known: [[UInt8]: MeasuredContent] = [:]
    /// The apps that a document chooses, with the names or environments in it.
    var chosen: (choice: [String], apps: [AppView])?
}

extension Visit {
    /// The draft that the path names. A draft of a service that the person may not use does not exist.
    func draft() throws -> DraftView {
        let draft = try carryOut(ShowDraft(try number("id")))
        guard mayUse(service: draft.service) else { throw Refusal.notFound }
        return draft
    }
}

extension String {
    /// A caller's name as people know it.
    var personName: String { hasPrefix("person ") ? String(dropFirst("person ".count)) : self }
}

extension Notice {
    static let toCorrect = Notice(
        "draft.toCorrect",
        Phrase(
            "The draft was saved. Correct what is marked before you continue.",
            "Der Entwurf wurde gespeichert. Korrigieren Sie das Markierte, bevor Sie fortfahren."),
        tone: .warn)
    static let draftSaved = Notice(
        "draft.saved", Phrase("The draft was saved.", "Der Entwurf wurde gespeichert."))
}

extension Phrase {
    fileprivate static let draft = Phrase("Draft", "Entwurf")
    static let draftsTitle = Phrase("Drafts", "Entwürfe")
    fileprivate static let discard = Phrase("Discard the draft…", "Entwurf verwerfen…")
    fileprivate static let savedAt = Phrase("Saved:", "Gespeichert:")
    fileprivate static func by(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("by \(name)", "von \(name)")
    }
    fileprivate static let save = Phrase("Save", "Speichern")
    fileprivate static let saveAndClose = Phrase("Save and close", "Speichern und schließen")
    fileprivate static let back = Phrase("Back", "Zurück")
    fileprivate static let missing = Phrase("Missing", "Fehlt")
    fileprivate static let toCorrect = Phrase("To fix", "Zu beheben")
    fileprivate static let sampleValue = Phrase("Sample", "Muster")
    fileprivate static let now = Phrase("Now", "Sofort")
    fileprivate static func languageCount(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 language", "1 Sprache")) {
            Phrase("\($0) languages", "\($0) Sprachen")
        }
    }
    fileprivate static func changedBy(_ name: String?, _ moment: WallMoment) -> Phrase {
        let clock = Moments.text(moment)
        let (english, german) = (
            name.map(isolated) ?? "you, in another window",
            name.map(isolated) ?? "Ihnen in einem anderen Fenster"
        )
        return Phrase(
            "This draft was changed by \(english) (\(clock)) while you were editing. Nothing is lost: "
                + "compare both versions, and decide.",
            "Dieser Entwurf wurde von \(german) geändert (\(clock)), während Sie ihn bearbeitet haben. "
                + "Nichts ist verloren: Vergleichen Sie beide Fassungen und entscheiden Sie.")
    }
    fileprivate static let differences = Phrase("Differences", "Unterschiede")
    fileprivate static let member = Phrase("Part", "Teil")
    fileprivate static let theirs = Phrase("Saved version", "Gespeicherte Fassung")
    fileprivate static let yours = Phrase("Your version", "Ihre Fassung")
    fileprivate static let saveMine = Phrase("Save my version", "Meine Fassung speichern")
    fileprivate static let saveAgain = Phrase("Save again", "Erneut speichern")
    fileprivate static let keepTheirs = Phrase("Keep the saved version", "Gespeicherte Fassung behalten")
}

/// The differences between two documents.
enum DocumentDifference {
    /// Objects with more members are compared as a whole, because finding a member takes longer in a larger
    /// object.
    private static let maxMembers = 1_000

    struct Row {
        var path: String
        var left: String
        var right: String
    }

    static func rows(_ left: DraftDocument, _ right: DraftDocument) -> [Row] {
        var rows: [Row] = []
        compare(left.value, right.value, at: "", &rows)
        return rows
    }

    private static func compare(_ left: JSONValue?, _ right: JSONValue?, at path: String, _ rows: inout [Row])
    {
        guard left != right else { return }
        let keys = [left, right].flatMap { value -> [String] in
            if case .object(let members)? = value { members.map(\.key) } else { [] }
        }
        guard (1...maxMembers).contains(keys.count), left.isObjectOrMissing, right.isObjectOrMissing else {
            rows.append(Row(path: path, left: left?.fieldText ?? "–", right: right?.fieldText ?? "–"))
            return
        }
        var seen: Set<String> = []
        for key in keys where seen.insert(key).inserted {
            compare(left?[key], right?[key], at: path.isEmpty ? key : "\(path).\(key)", &rows)
        }
    }
}

extension JSONValue? {
    fileprivate var isObjectOrMissing: Bool {
        switch self {
        case nil, .object?: true
        default: false
        }
    }
}
