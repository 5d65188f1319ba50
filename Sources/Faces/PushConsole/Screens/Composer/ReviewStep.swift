internal import PushAPI
internal import PushModel
internal import PushStore
internal import PushWire

/// The last step: everything on one page, and the button that sends.
struct ReviewStep {
    /// A person who sends to more devices than this must type their number.
    static let maxUntyped = 10_000
    /// The number of languages that are shown on phones. The other ones are shown as they are written.
    private static let maxPreviews = 10
    private static let counted = "_counted"
    private static let typed = "number"

    let composer: Composer

    init(_ visit: Visit) throws {
        composer = try Composer(visit, .review)
    }

    private var visit: Visit { composer.visit }
    private var document: DraftDocument { composer.document }
    private var faults: [DraftFault] { composer.faults }

    // MARK: Answers

    static func show(_ visit: Visit) throws -> Reply {
        let step = try ReviewStep(visit)
        let count = visit.query.isOn(ComposerStep.count) ? AudienceCount(step.composer) : nil
        return .page(step.page(count.map { step.sending($0, FormErrors()) }))
    }

    /// The part of the page that needs the count.
    static func count(_ visit: Visit) throws -> Reply {
        let step = try ReviewStep(visit)
        return .fragment(step.sending(AudienceCount(step.composer), FormErrors()))
    }

    static func submit(_ visit: Visit) throws -> Reply {
        let version = visit.form.number(Composer.version).map(Int64.init) ?? 0
        let id = try visit.number("id")
        let submission = SubmitDraft(DraftVersion(id: id, version: version))
        // The first submission removed the draft. Its answer is the answer to a repetition, too.
        let step: ReviewStep
        do { step = try ReviewStep(visit) } catch let error as OperationError where error.kind == .absent {
            return Self.sent(try visit.carryOut(submission))
        }
        guard step.faults.isEmpty else { return .refused(422, step.page(nil)) }
        guard let counted = visit.form.number(counted) else {
            return .redirect(step.composer.path.with("count", "1"))
        }
        if counted > maxUntyped {
            let digits = (visit.form[typed] ?? "").filter { !" .,'\u{A0}\u{202F}".contains($0) }
            guard Int(digits) == counted else {
                let form = step.sending(count: counted, FormErrors(typed, .wrongNumber(counted)))
                return .refused(422, step.page(form))
            }
        }
        do {
            return Self.sent(try visit.carryOut(submission))
        } catch let error as OperationError where [.refused, .conflict, .noMatch].contains(error.kind) {
            let text: HTML = error.kind == .conflict ? HTML.note(.changed, tone: .warn) : .empty
            return .refused(
                error.kind == .conflict ? 409 : 422,
                step.page(text + step.notice(error) + step.sending(count: counted, FormErrors())))
        }
    }

    private static func sent(_ delivery: SubmittedDelivery) -> Reply {
        .redirect("/deliveries/\(delivery.id.rawValue)", notice: .deliverySubmitted)
    }

    private func notice(_ error: OperationError) -> HTML {
        let faults = DraftFaultReader(composer: composer).faults(error)
        return "<div class=\"notice notice-bad\" role=\"alert\">\(DraftFault.list(faults))</div>"
    }

    // MARK: The page

    /// - Parameter sending: The part that needs the count; `nil` if the devices have not been counted.
    private func page(_ sending: HTML?) -> Page {
        let path: ConsolePath = "/drafts/\(composer.draft.id)/review/count"
        // Rendering the texts also checks the document.
        let cards = summaryCards
        let body: HTML = """
            <div class="split split-wide"><div class="stack">\(tasks)\(cards)</div>\
            <aside class="card" role="region" aria-labelledby="reach"><div class="card-head"><h2 id="reach">\
            \(Phrase.audienceSentTo)</h2></div><div class="card-body stack">\
            \(sending ?? HTML.counted(path, page: composer.path))</div></aside></div>
            """
        return composer.page(body)
    }

    /// What must be corrected, and what probably should be, with links to the fields.
    private var tasks: HTML {
        let lists: [(title: Phrase, tone: HTML, faults: [DraftFault])] = [
            (.toFix, "notice-bad", faults), (.warnings, "notice-warn", composer.probableMistakes),
        ]
        return lists.filter { !$0.faults.isEmpty }.map { list -> HTML in
            let items = list.faults.prefix(30).map { fault -> HTML in
                "<li><a href=\"\(fault.path(composer.draft.id))\">\(fault.step.title)</a>: \(fault.html)</li>"
            }
            return "<div class=\"notice \(list.tone)\"><b>\(list.title)</b><ul>\(Array(items))</ul></div>"
        }.joined()
    }

    /// Returns the count, what to fix, and the form that sends.
    private func sending(_ count: AudienceCount, _ errors: FormErrors) -> HTML {
        guard let view = count.view, let sent = count.sent else {
            return "\(count.html)<p>\(.fixFirst)</p>"
        }
        guard faults.isEmpty else { return "\(count.html)<p>\(.fixFirst)</p>" }
        let lines = Composer.others(view.warnings + view.apps.flatMap(\.warnings)).prefix(30)
        let warnings: HTML? =
            lines.isEmpty
            ? nil
            : """
            <div class="notice notice-warn"><b>\(Phrase.warnings)</b><ul lang="en">\
            \(lines.map { "<li>\($0)</li>" as HTML })</ul></div>
            """
        let duration: HTML? = view.estimatedSeconds.map { seconds -> HTML in
            let text = Formats.duration(seconds: seconds)
            return "<p class=\"small muted\">\(Phrase.duration(text, view.isLeast))</p>"
        }
        return "\(count.html)\(duration)\(warnings)\(sending(count: sent, errors))"
    }

    private func sending(count: Int, _ errors: FormErrors) -> HTML {
        guard visit.isPermitted(SubmitDraft.self) else { return .empty }
        let fields = Fields(errors)
        let number: HTML? =
            count > Self.maxUntyped
            ? fields.text(
                .number, Self.typed, hint: .numberHint(Formats.count(count)), autocomplete: "off",
                isRequired: true, attributes: " inputmode=\"numeric\"") : nil
        return visit.form(action: "/drafts/\(composer.draft.id)/submit") {
            """
            <input type="hidden" name="\(Composer.version)" value="\(number: composer.draft.version)">\
            <input type="hidden" name="\(Self.counted)" value="\(number: count)">\(number)\
            <button class="button button-primary button-wide">\(buttonLabel(count))</button>\
            <p class="small muted">\(composer.start == nil ? Phrase.countMayChange : .countAtStart)</p>
            """
        }
    }

    private func buttonLabel(_ count: Int) -> Phrase {
        let label = Phrase.sendTo(count)
        // A start that has just passed begins at once.
        guard let start = composer.start, start > visit.now.time else { return label }
        return .beginning(label, Moments.text(WallMoment(start)))
    }

    // MARK: The summary

    private var summaryCards: HTML {
        let id = composer.draft.id
        func change(_ step: ComposerStep) -> HTML {
            HTML.link(.change, step.path(id), classes: "button-small", subject: step.title.text)
        }
        let apps = composer.apps.prefix(50).map(\.shownName)
        return """
            \(HTML.card(.content, id: "content", body: """
                <div class="stack">\(HTML.facts([
                    (.name, "\(name: document.text("label"))"), (.service, "\(name: composer.draft.service)"),
                    (.apps, Array(apps).joined(by: ", ")), (.languages, languages),
                ]))\(texts)</div>
                """, foot: change(.content)))\
            \(HTML.card(.audience, id: "audience", body: HTML.facts(audience), foot: change(.audience)))\
            \(HTML.card(.timing, id: "timing", body: HTML.facts(timing), foot: change(.timing)))\
            \(HTML.card(.proof, id: "proof", body: "<p>\(proofState)</p>", foot: change(.proof)))
            """
    }

    private var proofState: HTML { (try? Proofs(composer))?.state ?? "\(Phrase.noProof)" }

    /// The texts of each language with the values of the same person, and what differs from the main text.
    private var texts: HTML {
        let person = SamplePerson(composer)
        let languages = ([""] + document.languages).prefix(51)
        let measured = composer.measured(
            languages: Array(languages.prefix(Self.maxPreviews)), person: person.userKey)
        let parts = languages.enumerated().map { index, language -> HTML in
            let title = language.isEmpty ? Phrase.mainContent : LanguageNames.title(language)
            let differs: HTML? =
                language.isEmpty ? nil : "<p class=\"small muted\">\(differences(language))</p>"
            let shown =
                index < Self.maxPreviews ? preview(language, person, measured) : plain(language)
            return "<div class=\"stack-tight\"><h3>\(title)</h3>\(differs)\(shown)</div>"
        }
        return Array(parts).joined()
    }

    private func preview(
        _ language: String, _ person: SamplePerson, _ measured: MeasuredContent?
    ) -> HTML {
        let preview = PhonePreview(composer, language: language, person: person, measured)
        return "\(preview.figures)\(language.isEmpty ? preview.whose : .empty)"
    }

    /// The texts as they are written.
    private func plain(_ language: String) -> HTML {
        var texts = MessageTexts(document, language: language)
        texts.shorten()
        return "<p><b dir=\"auto\">\(texts.title)</b><br><span dir=\"auto\">\(texts.body)</span></p>"
    }

    private func differences(_ language: String) -> Phrase {
        let own = document.texts.filter { $0.language == language }
        let names = own.prefix(20).map { text -> Phrase in
            var keys = text.path.keys
            keys.removeSubrange(1...2)
            return DocumentPlace(keys).title ?? .mainContent
        }
        return names.isEmpty ? .noDifference : .differs(names)
    }

    private var languages: HTML {
        let names = document.languages.prefix(50).map { "\(LanguageNames.title($0))" as HTML }
        return (["\(Phrase.mainContent)"] + names).joined(by: ", ")
    }

    private var audience: [(term: Phrase, value: HTML)] {
        let target = document[.target]
        let kind = TargetKind(target)
        var facts: [(term: Phrase, value: HTML)] = [(.who, "\(kind.title)")]
        switch kind {
        case .rules: facts.append((.conditions, rules(target?["where"] ?? .null)))
        case .list: facts.append((.listed, "\(count: target?["userKeys"]?.strings.count ?? 0)"))
        case .delivery, .expert:
            facts.append((.target, HTML.code(String((target?.text ?? "").prefix(2_000)))))
        case .all: break
        }
        if kind != .expert, let exclude = target?["exclude"] {
            facts.append((.leftOut, HTML.code(String(exclude.text.prefix(500)))))
        }
        if target?["oncePerUser"] == .boolean(true) { facts.append((.once, "\(Phrase.yes)")) }
        if document.isOn(AudienceForm.ignoreCap) { facts.append((.cap, "\(Phrase.yes)")) }
        if let sample = target?["sample"], kind != .expert {
            facts.append((.sample, "\(sample.percentText) %"))
        }
        return facts
    }

    private func rules(_ condition: JSONValue) -> HTML {
        let set = RuleSet(condition) ?? RuleSet()
        let join: Phrase = set.isAny ? Phrase("or", "oder") : Phrase("and", "und")
        let parts = set.rules.prefix(50).map { rule -> HTML in
            let title = RuleSet.comparisons.first { $0.word == rule.comparison }?.title
            return """
                <b>\(name: String(rule.field.prefix(200)))</b> \(title ?? Phrase(same: rule.comparison)) \
                <b>\(name: String(rule.value.prefix(500)))</b>
                """
        }
        return Array(parts).joined(by: " \(join) ")
    }

    private var timing: [(term: Phrase, value: HTML)] {
        let start = WallMoment(rfc3339: document.text("schedule.startAt"))
        var facts: [(term: Phrase, value: HTML)] = [
            (.begins, start.map { "\(moment: $0), \(Presentation.current.zoneName)" } ?? "\(Phrase.atOnce)")
        ]
        let others: [(Phrase, DocumentPath)] = [
            (.validity, "schedule.validity"), (.rate, "schedule.ratePerSecond"),
            (.priority, "schedule.priority"), (.localTime, "schedule.localTime"),
            (.timeZone, "schedule.timeZone"), (.quiet, "schedule.quietHours"), (.waves, "schedule.waves"),
        ]
        for (term, path) in others where document[path] != nil {
            facts.append((term, "\(name: String(document.text(path).prefix(500)))"))
        }
        return facts
    }
}

extension Notice {
    static let deliverySubmitted = Notice(
        "delivery.submitted", Phrase("The delivery was submitted.", "Die Zustellung wurde eingereicht."))
}

extension Phrase {
    fileprivate static let fixFirst = Phrase(
        "You can send as soon as this is fixed.", "Sie können senden, sobald dies behoben ist.")
    fileprivate static let warnings = Phrase("Probable mistakes", "Wahrscheinliche Fehler")
    fileprivate static func duration(_ text: String, _ isLeast: Bool) -> Phrase {
        isLeast
            ? Phrase("Sending takes at least \(text).", "Das Senden dauert mindestens \(text).")
            : Phrase("Sending takes about \(text).", "Das Senden dauert etwa \(text).")
    }
    fileprivate static let number = Phrase("Number of recipients", "Anzahl der Empfänger")
    fileprivate static func numberHint(_ count: String) -> Phrase {
        Phrase(
            "This cannot be undone. Type \(count) to confirm.",
            "Das lässt sich nicht rückgängig machen. Geben Sie zur Bestätigung \(count) ein.")
    }
    fileprivate static func wrongNumber(_ count: Int) -> Phrase {
        let count = Formats.count(count)
        return Phrase("Type the number \(count).", "Geben Sie die Zahl \(count) ein.")
    }
    fileprivate static func sendTo(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("Send to 1 device", "An 1 Gerät senden")) {
            Phrase("Send to \($0) devices", "An \($0) Geräte senden")
        }
    }
    fileprivate static func beginning(_ label: Phrase, _ time: String) -> Phrase {
        Phrase("\(label.english), beginning: \(time)", "\(label.german), Beginn: \(time)")
    }
    fileprivate static let countMayChange = Phrase(
        "The number can change until you send, because subscribers come and go.",
        "Die Zahl kann sich bis zum Senden ändern, weil Abonnenten kommen und gehen.")
    fileprivate static let countAtStart = Phrase(
        "The recipients are determined when the delivery begins, so the number can change until then.",
        "Die Empfänger werden bestimmt, wenn die Zustellung beginnt. Bis dahin kann sich die Zahl ändern.")
    fileprivate static let toFix = Phrase("To fix before sending", "Vor dem Senden zu beheben")
    fileprivate static let proof = Phrase("Proof", "Probe")
    fileprivate static let noDifference = Phrase(
        "No text of its own: the main text is sent.", "Kein eigener Text: Der Haupttext wird gesendet.")
    fileprivate static func differs(_ names: [Phrase]) -> Phrase {
        Phrase(
            "Differs from the main text: \(names.map(\.english).joined(separator: ", ")).",
            "Weicht vom Haupttext ab: \(names.map(\.german).joined(separator: ", ")).")
    }
    fileprivate static let changed = Phrase(
        "Another person has saved this draft since you opened this page. Look at it again before you send.",
        "Eine andere Person hat diesen Entwurf gespeichert, seit Sie diese Seite geöffnet haben. Sehen Sie "
            + "ihn vor dem Senden noch einmal an.")
    fileprivate static let change = Phrase("Change", "Ändern")
    fileprivate static let content = Phrase("Content", "Inhalt")
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let apps = Phrase("Apps", "Apps")
    fileprivate static let languages = Phrase("Languages", "Sprachen")
    fileprivate static let service = Phrase("Service", "Dienst")
    fileprivate static let audience = Phrase("Audience", "Zielgruppe")
    fileprivate static let timing = Phrase("Timing", "Zeitpunkt")
    fileprivate static let who = Phrase("Who gets it", "Wer sie erhält")
    fileprivate static let conditions = Phrase("Conditions", "Bedingungen")
    fileprivate static let listed = Phrase("Listed user keys", "Gelistete Nutzerschlüssel")
    fileprivate static let target = Phrase("Target", "Ziel")
    fileprivate static let leftOut = Phrase("Left out", "Ausgelassen")
    fileprivate static let once = Phrase("One device per person", "Ein Gerät pro Person")
    fileprivate static let cap = Phrase("Ignores the frequency cap", "Ignoriert die Häufigkeitsgrenze")
    fileprivate static let yes = Phrase("Yes", "Ja")
    fileprivate static let sample = Phrase("Sample", "Stichprobe")
    fileprivate static let begins = Phrase("Begins", "Beginnt")
    fileprivate static let atOnce = Phrase("Now", "Sofort")
    fileprivate static let validity = Phrase("Valid for", "Gültig für")
    fileprivate static let rate = Phrase("Messages per second", "Nachrichten pro Sekunde")
    fileprivate static let priority = Phrase("Priority", "Priorität")
    fileprivate static let localTime = Phrase("At this time on each device", "Um diese Zeit auf jedem Gerät")
    fileprivate static let timeZone = Phrase("Time zone of other devices", "Zeitzone der übrigen Geräte")
    fileprivate static let quiet = Phrase("Quiet hours", "Ruhezeiten")
    fileprivate static let waves = Phrase("Waves", "Wellen")
}
