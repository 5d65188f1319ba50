internal import PushAPI
internal import PushModel
internal import PushWire

/// The first step: the texts in each language, and the options of each platform.
struct ContentStep {
    static let language = "language"

    var composer: Composer
    /// The language whose texts the page shows; empty for the main content.
    let language: String

    init(_ visit: Visit) throws {
        composer = try Composer(visit, .content)
        let isForm = visit.request.method == .post
        let given = (isForm ? visit.form : visit.query)[Self.language] ?? ""
        // Another person may have removed the language while this person wrote its texts.
        let isKept = isForm && LanguagePage.isTag(given)
        language = isKept || composer.document.languages.contains(given) ? given : ""
    }

    private var visit: Visit { composer.visit }
    private var content: DocumentPath { DocumentPath.content(in: language) }
    private var path: ConsolePath {
        composer.path.with("language", language.isEmpty ? nil : language).with("person", person)
    }
    /// The user key of the person for whom the preview is shown.
    private var person: String? {
        visit.request.method == .post ? visit.form.given(PhonePreview.person) : visit.query.given("person")
    }

    // MARK: The form's fields

    /// The variables that the apps declare, or that the document already has.
    private var variables: [AppVariable] {
        var known: Set<String> = []
        let declared = composer.apps.flatMap(\.variables).filter { known.insert($0.name).inserted }
        let others = composer.document.keys("content.variables").filter { known.insert($0).inserted }
        return declared + others.map { AppVariable(name: $0, defaultValue: nil) }
    }

    private var bound: [BoundField] {
        var fields = [
            BoundField(content + "title"), BoundField(content + "body"),
        ]
        fields += variables.map { BoundField(content + DocumentPath(["variables", $0.name])) }
        if composer.has(.ios) { fields.append(BoundField(content + "ios.subtitle")) }
        guard language.isEmpty else { return fields }
        fields += [BoundField("label"), BoundField("content.shorten", .flag)]
        if composer.has(.ios) { fields += PlatformOptions.ios }
        if composer.has(.android) { fields += PlatformOptions.android }
        return fields
    }

    /// Changes the document to what the form contains.
    mutating func apply() -> FormErrors {
        let form = visit.form
        for field in bound { field.apply(form, to: &composer.document) }
        guard language.isEmpty else { return FormErrors() }
        if let chosen = form.exact(Self.apps), chosen != AppChoice.several {
            let isName = composer.serviceApps.contains { $0.name == chosen }
            composer.document["apps"] = isName ? .array([.string(chosen)]) : nil
            composer.document["environments"] =
                chosen == AppChoice.sandbox ? .array([.string(PushEnvironment.sandbox.rawValue)]) : nil
        }
        guard let custom = form[Self.custom] else { return FormErrors() }
        guard !custom.isEmpty else {
            composer.document["content.custom"] = nil
            return FormErrors()
        }
        guard let value = try? JSONParser.parse(Array(custom.utf8)), case .object = value else {
            return FormErrors(Self.custom, .notJSON)
        }
        composer.document["content.custom"] = value
        return FormErrors()
    }

    static let apps = "apps"
    private static let custom = "content.custom"

    // MARK: Answers

    static func show(_ visit: Visit) throws -> Reply {
        let step = try ContentStep(visit)
        return .page(step.composer.page(step.form(FormErrors())))
    }

    static func submit(_ visit: Visit) throws -> Reply {
        var step = try ContentStep(visit)
        let errors = step.apply()
        guard errors.isEmpty else {
            return .refused(422, step.composer.page(step.form(errors)))
        }
        if visit.form[Composer.action] == "remove-language", !step.language.isEmpty {
            step.composer.document[DocumentPath.content(in: step.language)] = nil
            return try step.composer.save(staying: step.composer.path)
        }
        let stays = visit.form[Composer.action] == "stay" || visit.form[Composer.action] == nil
        return try step.composer.save(staying: stays ? step.path : nil)
    }

    static func preview(_ visit: Visit) throws -> Reply {
        var step = try ContentStep(visit)
        _ = step.apply()
        return .fragment(step.preview(of: step.shownPerson).html)
    }

    private var shownPerson: SamplePerson { SamplePerson(composer, chosen: person) }

    private func preview(of person: SamplePerson) -> PhonePreview {
        let measured = composer.measured(languages: [language], person: person.userKey)
        return PhonePreview(composer, language: language, person: person, measured)
    }

    // MARK: The page

    private func form(_ errors: FormErrors) -> HTML {
        let shown = shownPerson
        let preview = preview(of: shown)
        var errors = errors
        let names = Set(bound.map(\.path.name) + [Self.apps, Self.custom])
        // The preview lists what is wrong with the texts of all languages.
        if errors.isEmpty, !composer.isUntouched {
            let faults = composer.faults(in: .content)
            errors = FormErrors(faults.filter { names.contains($0.field ?? "") }, fields: names)
        }
        let values = InsertableValues(composer, shown.isChosen ? SamplePerson(composer) : shown)
        let fields = Fields(errors, below: buttons(values), warnings: warnings)
        let main: HTML? = language.isEmpty ? "\(nameCard(fields))" : nil
        let options: HTML? = language.isEmpty ? optionsCard(fields) : removal
        let attributes: HTML = """
             data-preview="\("/drafts/\(composer.draft.id)/content/preview" as ConsolePath)" \
            data-preview-target="preview-body"\(Composer.asksBeforeLeaving)
            """
        return visit.form(action: composer.path, id: Composer.formID, attributes: " \(attributes)") {
            """
            \(Composer.defaultButton)<input type="hidden" name="\(Self.language)" value="\(language)">\
            <div class="split preview"><div class="stack">\
            \(fields.others(besides: names))\(main)\
            \(textsCard(fields, values))\(valuesCard(fields))\(options)</div>\(preview.card)</div>\
            \(composer.foot(next: .toAudience))
            """
        }
    }

    /// The buttons that insert values, below each text.
    private func buttons(_ values: InsertableValues) -> [String: HTML] {
        [
            (content + "title").name: values.buttons((content + "title").name, .title(in: nil)),
            (content + "ios.subtitle").name:
                values.buttons((content + "ios.subtitle").name, .subtitle(in: nil)),
            (content + "body").name: values.buttons((content + "body").name, .body(in: nil)),
        ]
    }

    /// Probable mistakes in the texts of the page.
    private var warnings: [String: [Phrase]] {
        let found = composer.probableMistakes.filter { $0.language == language }
        return Dictionary(
            found.map { ($0.field ?? "", [Phrase(same: $0.text)]) }, uniquingKeysWith: { $0 + $1 })
    }

    private func nameCard(_ fields: Fields) -> HTML {
        let choices = AppChoice.choices(composer)
        let apps: HTML? =
            choices.count > 1
            ? fields.select(.apps, Self.apps, choices, value: AppChoice.value(composer.document)) : nil
        return HTML.card(
            .delivery, id: "delivery",
            body: """
                <div class="stack">\(fields.text(.name, "label", value: composer.document.text("label"),
                    hint: .nameHint, autocomplete: "off", maxLength: 250))\(apps)</div>
                """)
    }

    private func textsCard(_ fields: Fields, _ values: InsertableValues) -> HTML {
        let document = composer.document
        let tag = language.isEmpty ? nil : language
        let lang: HTML = "\("lang", is: tag)\("dir", is: "auto")"
        let name = language.isEmpty ? nil : LanguageNames.title(language)
        let subtitle: HTML? =
            composer.has(.ios)
            ? fields.text(
                .subtitle(in: name), (content + "ios.subtitle").name,
                value: document.text(content + "ios.subtitle"), autocomplete: "off", attributes: lang) : nil
        let body: HTML = """
            <div class="stack"><div data-save="\(Composer.formID)">\(tabs)</div>\
            \(fields.text(
                .title(in: name), (content + "title").name, value: document.text(content + "title"),
                hint: .titleHint, autocomplete: "off", attributes: lang))\(subtitle)\
            \(fields.area(
                .body(in: name), (content + "body").name, value: document.text(content + "body"),
                attributes: lang))\(values.card)</div>
            """
        return HTML.card(.texts, id: "texts", note: "\(.textsNote)", body: body)
    }

    private var tabs: HTML {
        let document = composer.document
        var tabs: [(title: HTML, note: HTML?, path: ConsolePath)] = [
            ("\(.mainContent)", "\(.mainNote)", composer.path.with("person", person))
        ]
        for tag in document.languages {
            let path = DocumentPath.content(in: tag)
            let lacks = document.text(path + "title").isEmpty && document.text(path + "body").isEmpty
            let note: HTML? = lacks ? "<span class=\"todo\">\(.textsMissing)</span>" : nil
            tabs.append(
                (
                    "\(LanguageNames.title(tag))", note,
                    composer.path.with("language", tag).with("person", person)
                ))
        }
        tabs.append(("\(.addLanguage)", nil, "/drafts/\(composer.draft.id)/languages"))
        let current = document.languages.firstIndex(of: language).map { $0 + 1 } ?? 0
        return HTML.tabs(tabs, current: current, label: .languages)
    }

    private func valuesCard(_ fields: Fields) -> HTML {
        guard !variables.isEmpty else { return .empty }
        let inputs = variables.prefix(200).map { variable -> HTML in
            let path = content + DocumentPath(["variables", variable.name])
            return fields.text(
                Phrase(same: variable.name), path.name, value: composer.document.text(path),
                hint: variable.defaultValue.map(Phrase.presetValue)
                    ?? (variable.isOptional ? .optionalValue : nil), autocomplete: "off")
        }
        return HTML.card(
            .values, id: "values", note: "\(.valuesNote)", body: "<div class=\"pair\">\(Array(inputs))</div>")
    }

    private func optionsCard(_ fields: Fields) -> HTML {
        let options = PlatformOptions(composer: composer, fields: fields)
        let custom = visit.request.method == .post ? visit.form[Self.custom] : nil
        return HTML.card(
            .options, id: "options",
            body: """
                \(options.iosHTML)\(options.androidHTML)\
                <details class="options" id="options-more"><summary>\(.more)</summary><div class="stack">\
                \(fields.check(.shorten, "content.shorten", isOn: composer.document.isOn("content.shorten"),
                    hint: .shortenHint))\
                \(fields.area(.customLabel, Self.custom,
                    value: custom ?? composer.document.text("content.custom"), hint: .customHint))\
                </div></details>
                """)
    }

    private var removal: HTML {
        HTML.card(
            body: """
                <div class="stack"><p>\(.onlyDifferences)</p><div class="row">\
                <button class="button button-danger" name="\(Composer.action)" \
                value="remove-language">\(.removeLanguage(LanguageNames.title(language)))</button></div>\
                </div>
                """)
    }
}

extension Composer {
    /// The button that the key Enter presses.
    static var defaultButton: HTML {
        """
        <button class="hidden-text" name="\(action)" value="stay" tabindex="-1" aria-hidden="true">–</button>
        """
    }
}

extension Phrase {
    fileprivate static let toAudience = Phrase("Continue to audience", "Weiter zur Zielgruppe")
    fileprivate static let delivery = Phrase("Delivery", "Zustellung")
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let nameHint = Phrase(
        "Only people in this console see it.", "Nur Personen in dieser Konsole sehen ihn.")
    fileprivate static let apps = Phrase("Apps", "Apps")
    fileprivate static let texts = Phrase("Texts", "Texte")
    fileprivate static let textsNote = Phrase(
        "Each device gets its own language, or else the main text.",
        "Jedes Gerät erhält seine Sprache, sonst den Haupttext.")
    fileprivate static let titleHint = Phrase(
        "A lock screen shows about 40 characters.", "Ein Sperrbildschirm zeigt etwa 40 Zeichen.")
    fileprivate static func title(in language: Phrase?) -> Phrase {
        language.map { Phrase("Title in \($0.english)", "Titel auf \($0.german)") }
            ?? Phrase("Title", "Titel")
    }
    fileprivate static func subtitle(in language: Phrase?) -> Phrase {
        language.map { Phrase("Subtitle in \($0.english) (iOS)", "Untertitel auf \($0.german) (iOS)") }
            ?? Phrase("Subtitle (iOS)", "Untertitel (iOS)")
    }
    fileprivate static func body(in language: Phrase?) -> Phrase {
        language.map { Phrase("Text in \($0.english)", "Text auf \($0.german)") } ?? Phrase("Text", "Text")
    }
    fileprivate static let languages = Phrase("Languages", "Sprachen")
    fileprivate static let mainNote = Phrase("For all other languages", "Für alle anderen Sprachen")
    fileprivate static let textsMissing = Phrase("Texts are missing", "Texte fehlen")
    fileprivate static let addLanguage = Phrase("Add language", "Sprache hinzufügen")
    fileprivate static let values = Phrase("Values for the app", "Werte für die App")
    fileprivate static let valuesNote = Phrase(
        "The app reads them, for example to open a screen.",
        "Die App liest sie, zum Beispiel um eine Seite zu öffnen.")
    fileprivate static func presetValue(_ value: String) -> Phrase {
        let value = isolated(String(value.prefix(200)))
        return Phrase("If empty: \(value)", "Wenn leer: \(value)")
    }
    fileprivate static let optionalValue = Phrase("May be empty.", "Darf leer bleiben.")
    fileprivate static let options = Phrase("Options", "Optionen")
    fileprivate static let more = Phrase("More", "Weitere")
    fileprivate static let shorten = Phrase("Shorten texts that are too long", "Zu lange Texte kürzen")
    fileprivate static let shortenHint = Phrase(
        "The text, then the title, is cut to the gateway's limit.",
        "Zuerst wird der Text, dann der Titel auf die Grenze des Gateways gekürzt.")
    fileprivate static let customLabel = Phrase("Custom data (JSON object)", "Eigene Daten (JSON-Objekt)")
    fileprivate static let customHint = Phrase(
        "Members that the app reads, in addition to the values.",
        "Zusätzliche Daten, die die App liest.")
    fileprivate static let notJSON = Phrase(
        "This is not a JSON object. Example: {\"offer\": {\"id\": 7}}.",
        "Das ist kein JSON-Objekt. Beispiel: {\"offer\": {\"id\": 7}}.")
    fileprivate static let onlyDifferences = Phrase(
        "A language contains what differs from the main text. All options apply to it as well.",
        "Eine Sprache enthält nur, was vom Haupttext abweicht. Alle Optionen gelten auch für sie.")
    fileprivate static func removeLanguage(_ name: Phrase) -> Phrase {
        Phrase("Remove \(name.english)", "\(name.german) entfernen")
    }
}
