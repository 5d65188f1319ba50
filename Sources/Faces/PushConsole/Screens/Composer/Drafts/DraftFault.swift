internal import PushAPI
internal import PushModel
internal import PushWire

/// Something that must be corrected before a draft can be sent, in the words of the composer.
struct DraftFault: Equatable, Sendable {
    var step = ComposerStep.content
    /// The language in whose texts the fault is; empty for the main text and for everything else.
    var language = ""
    /// The name of the form's field; `nil` if no field shows the fault.
    var field: String?
    /// The reader's name of the place, such as `French, text`; `nil` if the text states the place.
    var place: Phrase?
    var text: String
    /// Whether the text is that of a use case, which is in English.
    var isEnglish = false

    /// The page of the step, at the field.
    func path(_ id: Int64) -> ConsolePath {
        let page = step.path(id).with("language", language.isEmpty ? nil : language)
        return field.map { page.at(Fields.id(of: $0)) } ?? page
    }

    var html: HTML {
        let lead: HTML? = place.map { "\($0): " }
        return "\(lead)\(isEnglish ? HTML.inEnglish(text) : HTML(text))"
    }

    /// The faults as items of a list.
    static func list(_ faults: [DraftFault]) -> HTML {
        "<ul>\(faults.prefix(30).map { "<li>\($0.html)</li>" as HTML })</ul>"
    }
}

extension FormErrors {
    /// Creates the errors of a form from the faults of its step.
    init(_ faults: [DraftFault], fields: Set<String>) {
        self.init()
        for fault in faults {
            if let field = fault.field, fields.contains(field) {
                if fault.isEnglish {
                    add(field, english: fault.text)
                } else {
                    add(field, Phrase(same: fault.text))
                }
            } else {
                let place = fault.place.map { "\($0.text): " } ?? ""
                add(Phrase(same: "\(place)\(fault.text)"))
            }
        }
    }
}

/// Reads the errors of use cases about a draft.
struct DraftFaultReader {
    let composer: Composer

    func faults(_ error: OperationError) -> [DraftFault] {
        var faults: [DraftFault] = []
        for line in error.peopleLines.prefix(100) {
            for fault in read(line) where !faults.contains(fault) { faults.append(fault) }
        }
        return faults
    }

    private func read(_ line: String) -> [DraftFault] {
        if line.contains("declares a parameter"), line.contains("the content uses") {
            let faults = unknownNames
            if !faults.isEmpty { return faults }
        }
        var rest = line[...]
        if rest.hasPrefix("draft "), let end = rest.firstRange(of: ": ") { rest = rest[end.upperBound...] }
        let app = composer.serviceApps.first { rest.hasPrefix("app \($0.name): ") }
        if let app { rest = rest.dropFirst("app \(app.name): ".count) }
        var language = ""
        if rest.hasPrefix("in "), let end = rest.firstRange(of: ": ") {
            language = String(rest[..<end.lowerBound].dropFirst(3))
            rest = rest[end.upperBound...]
        }
        if rest.hasPrefix("payload too long: ") { return [tooLong(rest, in: language, app)] }
        var keys: [String] = []
        if let end = rest.firstRange(of: ": "), !rest[..<end.lowerBound].contains(" ") {
            keys = rest[..<end.lowerBound].split(separator: ".").map(String.init)
            if let first = keys.first, DocumentPlace.membersOfContent.contains(first) {
                keys = DocumentPath.content(in: language).keys + keys
            }
            if DocumentPlace.step(of: keys) != nil { rest = rest[end.upperBound...] } else { keys = [] }
        }
        return [fault(at: keys, String(rest), app)]
    }

    /// - Parameter keys: The place in the document; empty if the text states none.
    private func fault(at keys: [String], _ problem: String, _ app: AppView?) -> DraftFault {
        let place = DocumentPlace(keys)
        var fault = DraftFault(
            step: place.step, language: place.language, field: place.field, place: place.title,
            text: problem, isEnglish: true)
        func says(_ phrase: Phrase) {
            (fault.text, fault.isEnglish, fault.place) = (phrase.text, false, nil)
        }
        let isMissing = problem.hasPrefix("missing") || problem.hasPrefix("must not be empty")
        switch keys.first {
        case "label" where isMissing: says(.enterName)
        case "content" where keys.count == 1 && (isMissing || problem.contains("show nothing")):
            fault.field = "content.title"
            says(.writeText)
        case "content" where problem.hasPrefix("is empty; add what differs"):
            (fault.text, fault.isEnglish) = (Phrase.noText.text, false)
        case "target" where isMissing: says(.chooseAudience)
        case "target" where problem.contains("contains no subscriber"): says(.noSubscriber)
        case "schedule", "retry":
            // The text about a duration that is too short or too long states the limits.
            guard problem.contains(DurationText.allowed), let value = problem.firstRange(of: "not \""),
                problem[value.upperBound...].first?.isNumber != true
            else { break }
            (fault.text, fault.isEnglish) = (Phrase.writeDuration.text, false)
        case nil where problem.hasPrefix("no value for \""):
            let name = String(problem.dropFirst("no value for \"".count).prefix { $0 != "\"" })
            fault.field = "content.variables.\(name)"
            says(.enterValue(name))
        case nil: if let app { fault.place = Phrase(same: "\(app.displayName) (\(app.platform.title.text))") }
        default: break
        }
        return fault
    }

    /// Returns the fault of a payload that is too long. A character takes as many bytes as those of the text
    /// take on average.
    private func tooLong(_ text: Substring, in language: String, _ app: AppView?) -> DraftFault {
        let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
        let excess = numbers.count > 1 ? numbers[0] - numbers[1] : 0
        let own = composer.document.text(DocumentPath.content(in: language) + "body")
        let body = own.isEmpty ? composer.document.text("content.body") : own
        let perCharacter = body.isEmpty ? 1 : Double(body.utf8.count) / Double(body.count)
        let characters = max(1, Int((Double(excess) / perCharacter).rounded(.up)))
        return DraftFault(
            language: language, field: (DocumentPath.content(in: language) + "body").name,
            place: DocumentPlace(DocumentPath.content(in: language).keys + ["body"]).title,
            text: Phrase.tooLong(
                characters, numbers.first ?? 0, of: numbers.dropFirst().first ?? 0,
                app.map(\.displayName) ?? ""
            ).text)
    }

    /// The texts that name a value that no app declares.
    private var unknownNames: [DraftFault] {
        let known = Set(composer.apps.flatMap(\.parameters).map(\.name)).sorted()
        let facts = Set(CollectedFact.allCases.map(\.rawValue))
        return composer.document.texts.flatMap { place -> [DraftFault] in
            guard let text = try? PersonalText(place.text) else { return [] }
            let strange = text.names.filter { !known.contains($0) && !facts.contains($0) }
            return strange.sorted().map { name in
                DraftFault(
                    language: place.language, field: place.path.name,
                    place: DocumentPlace(place.path.keys).title,
                    text: Phrase.unknownName(name, known: Array(known.prefix(30))).text)
            }
        }
    }
}

/// A place in a delivery document: its step, its field and its name.
struct DocumentPlace {
    private(set) var step = ComposerStep.content
    private(set) var language = ""
    private(set) var field: String?
    private(set) var title: Phrase?

    static let membersOfContent: Set<String> = ["title", "body", "variables", "custom", "ios", "android"]

    /// - Returns: `nil` if the keys are not a place in a document.
    static func step(of keys: [String]) -> ComposerStep? {
        switch keys.first?.prefix(while: { $0 != "[" }) {
        case "content", "label", "apps", "environments", "service", "template": .content
        case "target", "where", "allowEmpty", "ignoreFrequencyCap": .audience
        case "schedule", "retry", "tracking": .timing
        default: nil
        }
    }

    init(_ keys: [String]) {
        step = Self.step(of: keys) ?? .content
        guard !keys.isEmpty else { return }
        field = keys.joined(separator: ".")
        var inner = keys
        if keys.count > 2, keys[0] == "content", keys[1] == "languages" {
            language = keys[2]
            inner = ["content"] + keys.dropFirst(3)
        }
        switch keys[0].prefix(while: { $0 != "[" }) {
        case "apps", "environments": field = "apps"
        case "target", "where", "allowEmpty": field = nil
        default: break
        }
        let own = Self.title(inner)
        let name = language.isEmpty ? nil : LanguageNames.title(language)
        title =
            name.map { name in
                own.map {
                    Phrase("\(name.english), \($0.lowercased.english)", "\(name.german), \($0.german)")
                }
                    ?? name
            } ?? own
    }

    private static func title(_ keys: [String]) -> Phrase? {
        let path = keys.joined(separator: ".")
        if let known = titles[path] { return known }
        if path.hasPrefix("schedule.waves") { return .waves }
        if path.hasPrefix("schedule.quietHours") { return .quietHours }
        switch keys.first?.prefix(while: { $0 != "[" }) {
        case "apps", "environments": return .apps
        case "target", "where", "allowEmpty": return ComposerStep.audience.title
        case "content": return keys.count > 1 ? Phrase(same: keys.dropFirst().joined(separator: ", ")) : nil
        default: return Phrase(same: keys.dropFirst().joined(separator: ", "))
        }
    }

    private static let titles: [String: Phrase] = [
        "label": Phrase("Name", "Name"), "content.title": Phrase("Title", "Titel"),
        "content.body": Phrase("Text", "Text"), "content.ios.subtitle": Phrase("Subtitle", "Untertitel"),
        "content.ios.badge": Phrase("iOS, number on the icon", "iOS, Zahl am Symbol"),
        "content.custom": Phrase("Custom data", "Eigene Daten"),
        "schedule.startAt": Phrase("Day and time", "Tag und Uhrzeit"),
        "schedule.validity": Phrase("Valid for", "Gültig für"),
        "schedule.ratePerSecond": Phrase("Messages per second", "Nachrichten pro Sekunde"),
        "schedule.localTime": Phrase("Local time", "Ortszeit"),
        "schedule.timeZone": Phrase("Time zone", "Zeitzone"),
        "schedule.retentionDays": Phrase("Keep messages for days", "Nachrichten aufbewahren (Tage)"),
        "retry.count": Phrase("Retries on the first day", "Wiederholungen am ersten Tag"),
        "retry.period": Phrase("Time between retries", "Zeit zwischen Wiederholungen"),
    ]
}

extension Phrase {
    fileprivate var lowercased: Phrase {
        Phrase(english.prefix(1).lowercased() + english.dropFirst(), german)
    }
    static let writeText = Phrase("Write a title or a text.", "Schreiben Sie einen Titel oder einen Text.")
    static let enterName = Phrase("Enter a name.", "Geben Sie einen Namen ein.")
    fileprivate static let noText = Phrase(
        "no text yet. Write one, or remove the language.",
        "noch kein Text. Schreiben Sie einen, oder entfernen Sie die Sprache.")
    fileprivate static let chooseAudience = Phrase(
        "Choose who gets the delivery.", "Wählen Sie, wer die Zustellung erhält.")
    fileprivate static let noSubscriber = Phrase(
        "No subscriber belongs to this audience.", "Zu dieser Zielgruppe gehört kein Abonnent.")
    fileprivate static let writeDuration = Phrase(
        "Write a duration such as 30m, 12h or 5d.", "Schreiben Sie eine Dauer wie 30m, 12h oder 5d.")
    fileprivate static func enterValue(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Enter a value for \(name).", "Geben Sie einen Wert für \(name) ein.")
    }
    fileprivate static func tooLong(_ characters: Int, _ bytes: Int, of limit: Int, _ app: String) -> Phrase {
        let (count, size, most) = (Formats.count(characters), Formats.count(bytes), Formats.count(limit))
        let (english, german) = app.isEmpty ? ("", "") : (" for \(isolated(app))", " für \(isolated(app))")
        return Phrase(
            "The message is about \(count) characters too long\(english): \(size) of \(most) bytes. Shorten "
                + "the texts or the values for the app.",
            "Die Nachricht ist etwa \(count) Zeichen zu lang\(german): \(size) von \(most) Bytes. Kürzen Sie "
                + "die Texte oder die Werte für die App.")
    }
    fileprivate static func unknownName(_ name: String, known: [String]) -> Phrase {
        let (name, list) = (isolated("{{\(name)}}"), known.map(isolated).joined(separator: ", "))
        return Phrase(
            "\(name) is not a value of the subscribers. Known values: \(list).",
            "\(name) ist kein Wert der Abonnenten. Bekannte Werte: \(list).")
    }
    fileprivate static let waves = Phrase("Waves", "Wellen")
    fileprivate static let quietHours = Phrase("Quiet hours", "Ruhezeiten")
    fileprivate static let apps = Phrase("Apps", "Apps")
}
