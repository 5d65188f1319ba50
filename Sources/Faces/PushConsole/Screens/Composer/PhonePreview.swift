internal import PushAPI
internal import PushModel
internal import PushWire

/// What the lock screens of an iPhone and of an Android phone show, with the size of each message.
struct PhonePreview {
    /// The name of the field with a user key.
    static let person = "_person"

    private let composer: Composer
    private let language: String
    private let sample: SamplePerson
    private let phones: [Phone]
    /// The placeholders for which the person has no value.
    private let missing: [String]
    /// The language of the person's device; `nil` if the person has no device of the apps.
    private let deviceLanguage: String?
    private let warnings: [String]
    /// Why the content would be refused; `nil` if it would not be.
    private let fault: OperationError?

    private struct Phone {
        var app: AppView
        var texts: MessageTexts
        var message: PayloadView?
        var isPersonalised = false
        var isShortened = false
        var excessBytes: Int?
    }

    /// - Parameters:
    ///   - person: The person whose values fill the texts.
    ///   - measured: The messages in this language, and possibly in others.
    init(_ composer: Composer, language: String, person: SamplePerson, _ measured: MeasuredContent?) {
        self.composer = composer
        self.language = language
        sample = person
        fault = measured?.fault
        warnings = Composer.others(measured?.warnings ?? [])
        let found = measured?.samples[language] ?? []
        missing = found.reduce(into: []) { names, app in
            names += app.missing.filter { !names.contains($0) }
        }
        deviceLanguage = found.lazy.compactMap(\.deviceLanguage).first
        var raw = MessageTexts(composer.document, language: language)
        raw.shorten()
        let apps = composer.apps
        // Each platform has one phone: that of the person's first app, or else of the first app.
        phones = Platform.allCases.compactMap { platform in
            let found = found.first { $0.platform == platform }
            let app = apps.first { found == nil ? $0.platform == platform : $0.name == found?.app }
            guard let app else { return nil }
            return Phone(
                app: app, texts: found?.message.flatMap { MessageTexts(payload: $0.payload) } ?? raw,
                message: found?.message, isPersonalised: found?.isPersonalised ?? false,
                isShortened: found?.isShortened ?? false, excessBytes: found?.excessBytes)
        }
    }

    /// The card with its controls, which are part of the form but not of the document.
    var card: HTML {
        let fields = Fields()
        let person = sample.isChosen ? sample.userKey ?? "" : ""
        let title: HTML? =
            language.isEmpty ? nil : "<p>\(Phrase.preview(in: LanguageNames.title(language)))</p>"
        return """
            <aside class="card" role="region" aria-labelledby="preview"><div class="card-head">\
            <h2 id="preview">\(Phrase.preview)</h2>\(title)</div><div class="card-body stack">\
            <div class="pair pair-controls">\
            \(fields.text(.seenBy, Self.person, value: person, hint: .seenByHint, autocomplete: "off"))\
            \(fields.choices(.place, "_view", [
                .init("lock", Phrase.lockScreen), .init("banner", Phrase.banner),
            ], value: "lock"))</div>\
            <div class="stack" id="preview-body" aria-live="off">\(html)</div>\
            <button class="button button-small" name="\(Composer.action)" value="stay">\(.update)</button>\
            </div></aside>
            """
    }

    /// The part that the script requests again while a person types.
    var html: HTML {
        let faults = fault.map(DraftFaultReader(composer: composer).faults) ?? []
        let problems: HTML? =
            faults.isEmpty
            ? nil
            : """
            <div class="notice notice-warn"><b>\(.toFix)</b>\(DraftFault.list(faults))</div>
            """
        let mistakes = composer.probableMistakes
        let probable: HTML? =
            mistakes.isEmpty
            ? nil : "<div class=\"notice notice-warn\">\(DraftFault.list(mistakes))</div>"
        let hints: HTML? =
            warnings.isEmpty
            ? nil
            : """
            <ul class="small muted" lang="en">\(warnings.prefix(20).map { "<li>\($0)</li>" as HTML })</ul>
            """
        return """
            \(figures)\(whose)\(problems)\(probable)\(hints)<p class="small muted">\(.approximation)</p>
            """
    }

    /// The phones only.
    var figures: HTML { "<div class=\"phones\">\(phones.map(figure))</div>" }

    /// Whose values fill the texts, and what that person would not get.
    var whose: HTML {
        guard fault == nil else { return .empty }
        guard let key = sample.userKey else { return "<p class=\"small muted\">\(.sampleValues)</p>" }
        guard let deviceLanguage else {
            return "<div class=\"notice notice-warn\">\(Phrase.unknownPerson(key))</div>"
        }
        let lack: HTML? =
            missing.isEmpty
            ? nil : "<div class=\"notice notice-warn\">\(Phrase.lacks(key, Array(missing.prefix(10))))</div>"
        let text = Phrase.values(of: key, LanguageNames.title(deviceLanguage), sample.isChosen)
        return "<p class=\"small muted\">\(text)</p>\(lack)"
    }

    private func figure(_ phone: Phone) -> HTML {
        let isApple = phone.app.platform == .ios
        let tag = language.isEmpty ? nil : language
        let icon: HTML =
            phone.app.icon == nil
            ? """
            <svg class="icon" viewBox="0 0 36 36" aria-hidden="true">\
            <rect width="36" height="36" fill="#5b6b8c"/><circle cx="18" cy="18" r="8" fill="#fff"/></svg>
            """
            : "<img class=\"icon\" alt=\"\" src=\"\(phone.app.path(below: "icon"))\">"
        let clock = Moments.clock(composer.visit.now)
        let from = phone.app.label ?? phone.app.name
        let texts = phone.texts
        let body: HTML
        if texts.isHidden {
            body = "<div><div class=\"top\"><strong>\(.nothingShown)</strong></div></div>"
        } else if isApple {
            let subtitle: HTML? = texts.subtitle.isEmpty ? nil : "<p><b>\(name: texts.subtitle)</b></p>"
            body = """
                \(icon)<div><div class="top">\
                <strong dir="auto">\(name: texts.title.isEmpty ? from : texts.title)</strong></div>\
                \(subtitle)<p dir="auto">\(name: texts.body)</p></div>\
                <div class="aside"><span class="when">\(.now)</span></div>
                """
        } else {
            body = """
                \(icon)<div><div class="top"><span class="from">\(name: from)</span>\
                <span class="when">\(.now)</span></div>\
                <strong dir="auto">\(name: texts.title)</strong><p dir="auto">\(name: texts.body)</p></div>
                """
        }
        let phoneClass: HTML = isApple ? "phone" : "phone phone-android"
        return """
            <figure><div class="\(phoneClass)"\("lang", is: tag)><p class="date">\
            \(Moments.day(composer.visit.now))</p><p class="clock">\(clock)</p>\
            <div class="push">\(body)</div></div>\(counter(phone))</figure>
            """
    }

    private func counter(_ phone: Phone) -> HTML {
        var text: HTML = "\(.unknownSize)"
        var bar: HTML = .empty
        if let message = phone.message {
            let (bytes, limit) = (Formats.count(message.bytes), Formats.count(message.limitBytes))
            text = "\(phone.isPersonalised ? Phrase.aboutBytes(bytes, limit) : .bytes(bytes, limit))"
            bar = HTML.bar(
                [(message.bytes, message.bytes > message.limitBytes ? .failed : .main)],
                of: max(message.limitBytes, message.bytes), thickness: .thin)
        } else if let bytes = phone.excessBytes {
            text = "\(Phrase.tooLarge(Formats.count(bytes)))"
        }
        let shortened: HTML? = phone.isShortened ? " <span class=\"small\">\(.shortened)</span>" : nil
        return """
            <figcaption class="bytes"><span class="phone-label">\
            <b>\(name: phone.app.label ?? phone.app.name) (\(phone.app.platform.title))</b>\
            <span class="muted">\(text)\(shortened)</span></span>\(bar)</figcaption>
            """
    }
}

/// The texts that a message shows.
struct MessageTexts {
    var title = ""
    var subtitle = ""
    var body = ""
    /// Whether the device shows nothing.
    var isHidden = false

    init(_ document: DraftDocument, language: String) {
        func text(_ key: DocumentPath) -> String {
            let own = document.text(DocumentPath.content(in: language) + key)
            return own.isEmpty ? document.text(.content + key) : own
        }
        (title, subtitle, body) = (text("title"), text("ios.subtitle"), text("body"))
    }

    /// Reads the texts in a payload; `nil` if it is not a payload with texts.
    init?(payload: String) {
        guard let value = try? JSONParser.parse(Array(payload.utf8)) else { return nil }
        if let aps = value["aps"] {
            guard let alert = aps["alert"] else {
                isHidden = true
                return
            }
            if case .string(let text) = alert {
                body = text
            } else {
                (title, subtitle) = (alert["title"]?.fieldText ?? "", alert["subtitle"]?.fieldText ?? "")
                body = alert["body"]?.fieldText ?? ""
            }
        } else {
            let message = value["message"] ?? value
            let (shown, data) = (message["notification"], message["data"])
            title = shown?["title"]?.fieldText ?? data?["title"]?.fieldText ?? ""
            body = shown?["body"]?.fieldText ?? data?["_msg"]?.fieldText ?? ""
            isHidden = shown == nil && title.isEmpty && body.isEmpty
        }
        shorten()
    }

    /// Shortens the texts to what a lock screen could show at all.
    mutating func shorten() {
        (title, subtitle) = (String(title.prefix(200)), String(subtitle.prefix(200)))
        body = String(body.prefix(1_000))
    }
}

extension Phrase {
    fileprivate static let preview = Phrase("Preview", "Vorschau")
    fileprivate static func preview(in language: Phrase) -> Phrase {
        Phrase("In \(language.english)", "Auf \(language.german)")
    }
    fileprivate static let seenBy = Phrase(
        "As seen by (user key)", "Wie es diese Person sieht (Nutzerschlüssel)")
    fileprivate static let seenByHint = Phrase(
        "If empty, a person of the audience.", "Wenn leer: eine Person der Zielgruppe.")
    fileprivate static let sampleValues = Phrase(
        "With sample values, because no subscriber with a user key was found.",
        "Mit Beispielwerten, weil kein Abonnent mit Nutzerschlüssel gefunden wurde.")
    static func unknownPerson(_ key: String) -> Phrase {
        let key = isolated(String(key.prefix(100)))
        return Phrase(
            "\(key) is not a user key of this service's apps.",
            "\(key) ist kein Nutzerschlüssel der Apps dieses Dienstes.")
    }
    fileprivate static func values(of key: String, _ language: Phrase, _ isChosen: Bool) -> Phrase {
        let key = isolated(String(key.prefix(100)))
        let (english, german) =
            isChosen ? ("", "") : (", a person of the audience", ", einer Person der Zielgruppe")
        return Phrase(
            "With the values of \(key)\(english). Language of the device: \(language.english).",
            "Mit den Werten von \(key)\(german). Sprache des Geräts: \(language.german).")
    }
    fileprivate static func lacks(_ key: String, _ names: [String]) -> Phrase {
        let key = isolated(String(key.prefix(100)))
        let list = names.map { isolated("{{\($0)}}") }.joined(separator: ", ")
        return Phrase(
            "\(key) has no value for \(list) and would get no message. The preview shows a sample value.",
            "\(key) hat keinen Wert für \(list) und würde keine Nachricht erhalten. Die Vorschau zeigt einen "
                + "Beispielwert.")
    }
    fileprivate static let place = Phrase("Where", "Wo")
    fileprivate static let lockScreen = Phrase("Lock screen", "Sperrbildschirm")
    fileprivate static let banner = Phrase("Banner", "Banner")
    fileprivate static let update = Phrase(
        "Save and update the preview", "Speichern und Vorschau aktualisieren")
    fileprivate static let now = Phrase("now", "jetzt")
    fileprivate static let toFix = Phrase("To fix before sending", "Vor dem Senden zu beheben")
    fileprivate static let nothingShown = Phrase("The device shows nothing.", "Das Gerät zeigt nichts.")
    fileprivate static let approximation = Phrase(
        "Phones differ in font and width. Send a proof before you decide about a line break.",
        "Telefone unterscheiden sich in Schrift und Breite. Senden Sie eine Probe, bevor Sie über einen "
            + "Zeilenumbruch entscheiden.")
    fileprivate static let unknownSize = Phrase("Size unknown", "Größe unbekannt")
    fileprivate static func bytes(_ bytes: String, _ limit: String) -> Phrase {
        Phrase("\(bytes) of \(limit) bytes", "\(bytes) von \(limit) Bytes")
    }
    fileprivate static func aboutBytes(_ bytes: String, _ limit: String) -> Phrase {
        Phrase("About \(bytes) of \(limit) bytes", "Etwa \(bytes) von \(limit) Bytes")
    }
    fileprivate static func tooLarge(_ bytes: String) -> Phrase {
        Phrase("Too large: \(bytes) bytes", "Zu groß: \(bytes) Bytes")
    }
    fileprivate static let shortened = Phrase("The text is shortened.", "Der Text ist gekürzt.")
}
