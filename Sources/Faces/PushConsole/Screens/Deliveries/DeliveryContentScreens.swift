internal import PushAPI
internal import PushModel
internal import PushWire

/// The content of a delivery as it was submitted, and the devices to which it was sent.
enum DeliveryContentScreens {
    /// The maximum number of messages of a delivery whose devices a page counts, because counting reads all
    /// of them.
    private static let maxCounted = 1_000_000

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/deliveries/{id}/content", needs: .read) { try content($0) },
        ConsoleRoute(.get, "/deliveries/{id}/devices", needs: .read) { try devices($0) },
        ConsoleRoute(.get, "/deliveries/{id}/devices/count", needs: .read, lengthy: true) { visit in
            .fragment(try counted(DeliveryActions.delivery(of: visit), visit))
        },
    ]

    private static func content(_ visit: Visit) throws -> Reply {
        let delivery = try DeliveryActions.delivery(of: visit)
        let document = try visit.carryOut(ShowDeliveryDocument(id: delivery.id)).document
        let previews = ContentTexts(of: document["content"]).versions.prefix(30).map(preview)
        let options = ["content", "schedule", "retry"].compactMap { name -> HTML? in
            document[name].map { value in
                HTML.details(
                    title(of: name), id: "json-\(name)", "<pre><code>\(value.text.prefixed)</code></pre>")
            }
        }
        let content: HTML = """
            <div class="stack">\(Array(previews))\
            \(HTML.card(.options, id: "options", body: "<div class=\"stack-tight\">\(options)</div>"))</div>
            """
        let body: HTML = """
            \(HTML.pageHead(.content, crumbs: RecipientScreens.crumbs(delivery)))\(content)
            """
        return .page(Page(title: .content, of: delivery.shownLabel, current: .deliveries, body: body))
    }

    private static func preview(_ version: ContentTexts.Version) -> HTML {
        let title: Phrase = version.language.map(LanguageNames.title) ?? .mainContent
        let phones: [HTML] = [Platform.ios, .android].map { platform in
            HTML.phone(
                platform, title: version.title, body: version.body, language: version.language,
                label: Phrase(same: platform == .ios ? "iOS" : "Android"))
        }
        return HTML.card(
            title, id: "language-\(version.language ?? "others")",
            body: """
                <div class="pair">\(HTML.facts([
                    (.title, text(version.title)), (.body, text(version.body)),
                ]))<div class="phones">\(phones)</div></div>
                """)
    }

    /// A text in which the values that each subscriber gets are marked: `{{city|your town}}` is shown as
    /// `city, or else “your town”`.
    private static func text(_ text: String) -> HTML {
        guard !text.isEmpty else { return "–" }
        var parts: [HTML] = []
        var rest = text[...]
        // The braces of a text that is not a template are part of the text.
        while let match = rest.firstMatch(of: /\{\{([A-Za-z_][^{}|]{0,80})(?:\|([^{}]{0,200}))?\}\}/) {
            parts.append(HTML(String(rest[..<match.range.lowerBound])))
            let name: HTML = "<code>\(String(match.output.1))</code>"
            let other: HTML? = match.output.2.map { "\(Phrase.orElse(String($0)))" }
            parts.append("<span class=\"filled\">\(name)\(other)</span>")
            rest = rest[match.range.upperBound...]
        }
        parts.append(HTML(String(rest)))
        return "<bdi class=\"lines\">\(parts)</bdi>"
    }

    private static func title(of name: String) -> Phrase {
        switch name {
        case "content": .wholeContent
        case "schedule": .schedule
        default: .retries
        }
    }

    private static func devices(_ visit: Visit) throws -> Reply {
        let delivery = try DeliveryActions.delivery(of: visit)
        let path: ConsolePath = "/deliveries/\(delivery.id.rawValue)/devices"
        let content =
            visit.query.isOn(ComposerStep.count)
            ? try counted(delivery, visit)
            : HTML.counted("/deliveries/\(delivery.id.rawValue)/devices/count", page: path)
        return .page(
            Page(
                title: .devicesTitle, of: delivery.shownLabel, current: .deliveries,
                body: """
                    \(HTML.pageHead(.devicesTitle, crumbs: RecipientScreens.crumbs(delivery)))\(content)
                    """))
    }

    private static func counted(_ delivery: DeliveryView, _ visit: Visit) throws -> HTML {
        guard delivery.counts.targeted <= maxCounted else {
            return HTML.emptyState(.tooMany, .tooManyText(maxCounted))
        }
        var figures = ShowDeliveryStatistics()
        (figures.id, figures.looksAtDevices) = (delivery.id, true)
        let devices = try visit.carryOut(figures).devices ?? []
        guard !devices.isEmpty else {
            return HTML.emptyState(.noDevice, .noDeviceText)
        }
        let languages = sums(devices) { $0.language }.map { tag, count in
            (label: "\(LanguageNames.title(tag))" as HTML, count: count)
        }
        let systems = sums(devices) { $0.os }.map { name, count in
            (label: name.isEmpty ? "\(.notReported)" as HTML : "\(name: name)", count: count)
        }
        let rows = devices.prefix(50).map { device -> [HTML] in
            [
                "\(name: device.app)", device.os.isEmpty ? "\(.notReported)" : "\(name: device.os)",
                "\(LanguageNames.title(device.language))", "\(count: device.count)",
            ]
        }
        let table = HTML.table(
            [.init(.app), .init(.system), .init(.language), .init(.devices, .number)], Array(rows))
        return """
            <div class="stack"><div class="pair">\
            \(HTML.card(.byLanguage, id: "languages", body: HTML.breakdown(Array(languages.prefix(30)))))\
            \(HTML.card(.bySystem, id: "systems", body: HTML.breakdown(Array(systems.prefix(30)))))</div>\
            \(HTML.card(.kinds, id: "kinds", note: "\(.mostFrequent)", table: table))</div>
            """
    }

    private static func sums(
        _ devices: [DeviceCount], by name: (DeviceCount) -> String
    ) -> [(name: String, count: Int)] {
        var sums: [String: Int] = [:]
        for device in devices { sums[name(device), default: 0] += device.count }
        return sums.map { (name: $0.key, count: $0.value) }.sorted {
            ($1.count, $0.name) < ($0.count, $1.name)
        }
    }
}

extension String {
    /// At most the first 20 000 characters.
    fileprivate var prefixed: String { count > 20_000 ? "\(prefix(20_000))…" : self }
}

extension Phrase {
    fileprivate static let content = Phrase("Content", "Inhalt")
    fileprivate static let title = Phrase("Title", "Titel")
    fileprivate static let body = Phrase("Text", "Text")
    fileprivate static func orElse(_ text: String) -> Phrase {
        text.isEmpty
            ? Phrase(" or nothing", " oder nichts")
            : Phrase(", or else “\(text)”", ", sonst „\(text)“")
    }
    fileprivate static let options = Phrase("All options", "Alle Optionen")
    fileprivate static let wholeContent = Phrase("The content as it was submitted", "Der eingereichte Inhalt")
    fileprivate static let schedule = Phrase("The schedule", "Der Zeitplan")
    fileprivate static let retries = Phrase("The retries", "Die erneuten Versuche")
    fileprivate static let devicesTitle = Phrase("Languages and systems", "Sprachen und Systeme")
    fileprivate static let tooMany = Phrase(
        "The delivery is too large to count here", "Die Zustellung ist zu groß, um sie hier zu zählen")
    fileprivate static func tooManyText(_ maximum: Int) -> Phrase {
        let maximum = Formats.count(maximum)
        return Phrase(
            "A page counts at most \(maximum) messages. Use 'pushmta delivery stats' to count more.",
            "Eine Seite zählt höchstens \(maximum) Nachrichten. Der Betrieb zählt mehr mit „pushmta delivery "
                + "stats“.")
    }
    fileprivate static let noDevice = Phrase("Nothing was sent yet", "Noch wurde nichts gesendet")
    fileprivate static let noDeviceText = Phrase(
        "The languages and systems of the devices appear after messages were sent.",
        "Sprachen und Systeme der Geräte erscheinen, sobald Nachrichten gesendet wurden.")
    fileprivate static let notReported = Phrase("not reported", "nicht gemeldet")
    fileprivate static let byLanguage = Phrase("By language", "Nach Sprache")
    fileprivate static let bySystem = Phrase("By system", "Nach System")
    fileprivate static let kinds = Phrase("Kinds of devices", "Arten von Geräten")
    fileprivate static let mostFrequent = Phrase("The most frequent first", "Die häufigsten zuerst")
    fileprivate static let app = Phrase("App", "App")
    fileprivate static let system = Phrase("System", "System")
    fileprivate static let language = Phrase("Language", "Sprache")
    fileprivate static let devices = Phrase("Devices", "Geräte")
}
