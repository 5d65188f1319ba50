internal import PushAPI
internal import PushModel
internal import PushWire

/// The person whose values fill the texts of previews: the one that the reader names, or else a subscriber of
/// the audience.
struct SamplePerson {
    /// `nil` if there is none, so that sample values fill the texts.
    let userKey: String?
    /// Whether the reader named the person.
    let isChosen: Bool
    /// The names of the values that the person has.
    private(set) var names: [String] = []

    /// - Parameter chosen: The user key that the reader named; `nil` takes a subscriber of the audience.
    init(_ composer: Composer, chosen: String? = nil) {
        isChosen = chosen != nil
        let found = chosen == nil ? Self.subscriber(composer) : nil
        userKey = chosen ?? found?.userKey
        names = found.map { $0.parameters.keys.sorted() } ?? []
    }

    private static func subscriber(_ composer: Composer) -> SubscriberView? {
        let target = composer.document[.target]
        if let key = target?["userKeys"]?.strings.first(where: { !$0.isEmpty }) {
            return usable(ShowSubscribers(.userKey(key)), of: "key \(key)", composer)
        }
        let service = composer.draft.service
        if let condition = target?["where"]?.text {
            let show = ShowSubscribers(service: service, where: condition)
            if let found = usable(show, of: "\(service) \(condition)", composer) { return found }
        }
        return usable(ShowSubscribers(service: service, limit: 20), of: service, composer)
    }

    /// Returns the first device to which the delivery can be sent.
    private static func usable(
        _ show: ShowSubscribers, of subject: String, _ composer: Composer
    ) -> SubscriberView? {
        let apps = Set(composer.apps.map(\.name))
        let found = try? composer.visit.recently(show, of: subject).items
        return found?.first { apps.contains($0.app) && !$0.userKey.isEmpty && $0.state == "valid" }
    }
}

/// The names of the values that texts can contain.
struct InsertableValues {
    private static let maxShown = 8
    let names: [String]

    init(_ composer: Composer, _ person: SamplePerson) {
        var known: Set<String> = []
        let declared = composer.apps.flatMap(\.parameters).map(\.name)
        let all = (declared.isEmpty ? person.names : declared) + CollectedFact.allCases.map(\.rawValue)
        names = Array(all.filter { known.insert($0).inserted }.prefix(100))
    }

    /// The buttons that insert a value at the cursor of a field. The script shows them.
    func buttons(_ field: String, _ label: Phrase) -> HTML {
        let buttons = names.prefix(Self.maxShown).map { name -> HTML in
            """
            <button class="button button-small" type="button" data-insert="\("{{\(name)}}")" \
            data-into="\(Fields.id(of: field))">\(Self.title(of: name))</button>
            """
        }
        return """
            <div class="row insert" role="group" aria-label="\(Phrase.insertInto(label))" data-script hidden>\
            <span>\(.insert)</span>\(Array(buttons))</div>
            """
    }

    /// All values as texts to copy, and what a person without a value gets.
    var card: HTML {
        let items = names.map { name -> HTML in
            "<li>\(HTML.code("{{\(name)}}")) <span class=\"small muted\">\(Self.title(of: name))</span></li>"
        }
        let example = names.first ?? "city"
        return """
            <p class="hint">\(.withoutValue) \(.substitute) \
            \(HTML.code("{{\(example)|\(Phrase.substituteText.text)}}"))</p>\
            \(HTML.details(.insertValue, id: "placeholders", "<ul class=\"row\">\(items)</ul>"))
            """
    }

    /// The name of a value in words, such as `first name`.
    static func title(of name: String) -> Phrase {
        if let fact = CollectedFact(rawValue: name) { return title(of: fact) }
        var words = ""
        for character in name {
            if character == "_" || character == "-" || character == "." {
                words += " "
            } else if character.isUppercase, words.last?.isLowercase == true {
                words += " \(character.lowercased())"
            } else {
                words.append(character)
            }
        }
        return Phrase(same: words)
    }

    private static func title(of fact: CollectedFact) -> Phrase {
        switch fact {
        case .userKey: Phrase("user key", "Nutzerschlüssel")
        case .osLanguage: Phrase("language", "Sprache")
        case .osName: Phrase("system", "System")
        case .osVersion: Phrase("system version", "Systemversion")
        case .deviceName: Phrase("device name", "Gerätename")
        case .deviceModel: Phrase("device model", "Gerätemodell")
        case .deviceBrand: Phrase("device brand", "Gerätemarke")
        case .deviceManufacturer: Phrase("manufacturer", "Hersteller")
        case .createdAt: Phrase("first registration", "erste Registrierung")
        case .registeredAt: Phrase("last registration", "letzte Registrierung")
        case .lastActiveAt: Phrase("last activity", "letzte Aktivität")
        }
    }
}

extension Phrase {
    fileprivate static let insert = Phrase("Insert:", "Einfügen:")
    fileprivate static func insertInto(_ label: Phrase) -> Phrase {
        Phrase("Insert a value into: \(label.english)", "Wert einfügen in: \(label.german)")
    }
    fileprivate static let insertValue = Phrase(
        "All values that texts can contain", "Alle Werte, die Texte enthalten können")
    fileprivate static let withoutValue = Phrase(
        "Each person gets their own value. A person without a value gets no message.",
        "Jede Person erhält ihren eigenen Wert. Eine Person ohne Wert erhält keine Nachricht.")
    fileprivate static let substitute = Phrase(
        "To give a substitute instead, write it after a bar:",
        "Um stattdessen einen Ersatz anzugeben, schreiben Sie ihn nach einem Strich:")
    fileprivate static let substituteText = Phrase("substitute", "Ersatz")
}
