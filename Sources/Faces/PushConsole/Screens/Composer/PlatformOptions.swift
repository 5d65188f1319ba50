internal import PushAPI
internal import PushModel
internal import PushWire

/// The options of each platform, in the first step.
struct PlatformOptions {
    static let ios: [BoundField] = [
        BoundField("content.ios.type"), BoundField("content.ios.sound"),
        BoundField("content.ios.badge", .number), BoundField("content.ios.category"),
        BoundField("content.ios.threadId"), BoundField("content.ios.collapseId"),
        BoundField("content.ios.interruptionLevel"), BoundField("content.ios.relevanceScore", .number),
        BoundField("content.ios.mutableContent", .flag), BoundField("content.ios.contentAvailable", .flag),
    ]
    static let android: [BoundField] = [
        BoundField("content.android.type"), BoundField("content.android.priority"),
        BoundField("content.android.channelId"), BoundField("content.android.sound"),
        BoundField("content.android.tag"), BoundField("content.android.color"),
        BoundField("content.android.icon"), BoundField("content.android.image"),
        BoundField("content.android.clickAction"), BoundField("content.android.collapseKey"),
        BoundField("content.android.visibility"), BoundField("content.android.notificationPriority"),
        BoundField("content.android.notificationCount", .number),
    ]

    let composer: Composer
    let fields: Fields

    private var document: DraftDocument { composer.document }

    var iosHTML: HTML? {
        guard composer.has(.ios) else { return nil }
        let key: DocumentPath = "content.ios"
        return section(
            "iOS", id: "options-ios", key,
            """
            <div class="pair">\
            \(choice(.kind, key + "type", [
                ("", .usual), ("alert", .shown), ("silent", .silent),
            ]))\
            \(choice(.level, key + "interruptionLevel", [
                ("", .usual), ("passive", .passive), ("active", .active), ("time-sensitive", .timeSensitive),
                ("critical", .critical),
            ]))\
            \(sound(key + "sound", .ios))\
            \(text(.badge, key + "badge", hint: .badgeHint, mode: "numeric"))\
            \(category)\
            \(text(.collapse, key + "collapseId", hint: .collapseHint))\
            \(text(.thread, key + "threadId", hint: .threadHint))\
            \(text(.relevance, key + "relevanceScore", hint: .relevanceHint, mode: "decimal"))</div>\
            \(flag(.mutable, key + "mutableContent", .mutableHint))\
            \(flag(.available, key + "contentAvailable", .availableHint))
            """)
    }

    var androidHTML: HTML? {
        guard composer.has(.android) else { return nil }
        let key: DocumentPath = "content.android"
        return section(
            "Android", id: "options-android", key,
            """
            <div class="pair">\
            \(choice(.kind, key + "type", [
                ("", .usual), ("notification", .bySystem), ("data", .byApp), ("silent", .silent),
            ]))\
            \(choice(.priority, key + "priority", [("", .usual), ("high", .high), ("normal", .normal)]))\
            \(text(.channel, key + "channelId", hint: .channelHint))\
            \(sound(key + "sound", .android))\
            \(text(.image, key + "image", hint: .imageHint))\
            \(text(.icon, key + "icon", hint: nil))\
            \(text(.color, key + "color", hint: .colorHint))\
            \(text(.tag, key + "tag", hint: .tagHint))\
            \(text(.collapseKey, key + "collapseKey", hint: .collapseKeyHint))\
            \(text(.clickAction, key + "clickAction", hint: nil))\
            \(choice(.visibility, key + "visibility", [
                ("", .usual), ("public", .visible), ("private", .hiddenText), ("secret", .hiddenWhole),
            ]))\
            \(choice(.importance, key + "notificationPriority", [
                ("", .usual), ("minimum", .minimum), ("low", .low), ("high", .high), ("maximum", .maximum),
            ]))\
            \(text(.number, key + "notificationCount", hint: nil, mode: "numeric"))</div>
            """)
    }

    private func section(_ title: String, id: String, _ path: DocumentPath, _ content: HTML) -> HTML {
        // A summary of what differs from the defaults.
        let chosen = document.keys(path).prefix(6).map { key -> String in
            "\(key): \(document.text(path + DocumentPath([key])).prefix(40))"
        }
        return """
            <details class="options" id="\(id)"><summary>\(title) <span>\
            \(name: chosen.isEmpty ? Phrase.usual.text : chosen.joined(separator: ", "))</span></summary>\
            <div class="stack">\(content)</div></details>
            """
    }

    private func text(
        _ label: Phrase, _ path: DocumentPath, hint: Phrase?, mode: String? = nil
    ) -> HTML {
        fields.text(
            label, path.name, value: document.text(path), hint: hint, autocomplete: "off",
            attributes: "\("inputmode", is: mode)")
    }

    private func flag(_ label: Phrase, _ path: DocumentPath, _ hint: Phrase) -> HTML {
        fields.check(label, path.name, isOn: document.isOn(path), hint: hint)
    }

    private func choice(_ label: Phrase, _ path: DocumentPath, _ words: [(String, Phrase)]) -> HTML {
        select(label, path, words.map { Fields.Choice($0.0, $0.1) })
    }

    /// Returns a select that also offers the current value if it is not one of the choices.
    private func select(_ label: Phrase, _ path: DocumentPath, _ choices: [Fields.Choice]) -> HTML {
        let present = document.text(path)
        let isKnown = choices.contains { $0.value == present }
        let all = isKnown ? choices : choices + [Fields.Choice(present, "\(name: present)" as HTML)]
        return fields.select(label, path.name, all, value: present)
    }

    private func sound(_ path: DocumentPath, _ platform: Platform) -> HTML {
        var known: Set<String> = ["default"]
        let sounds = composer.apps.filter { $0.platform == platform }.flatMap(\.sounds)
            .filter { known.insert($0.internalName).inserted }
        let choices = [Fields.Choice("", Phrase.noSound), Fields.Choice("default", Phrase.defaultSound)]
        return select(
            .sound, path,
            choices
                + sounds.prefix(200).map {
                    Fields.Choice(
                        $0.internalName, "\(name: $0.label.isEmpty ? $0.internalName : $0.label)" as HTML)
                })
    }

    private var category: HTML {
        var known: Set<String> = []
        let categories = composer.apps.filter { $0.platform == .ios }.flatMap(\.categories)
            .filter { known.insert($0.internalName).inserted }
        guard !categories.isEmpty else {
            return text(.category, "content.ios.category", hint: .categoryHint)
        }
        return select(
            .category, "content.ios.category",
            [Fields.Choice("", Phrase.none)]
                + categories.prefix(200).map {
                    Fields.Choice(
                        $0.internalName, "\(name: $0.label.isEmpty ? $0.internalName : $0.label)" as HTML)
                })
    }
}

extension Phrase {
    fileprivate static let usual = Phrase("Default", "Standard")
    fileprivate static let none = Phrase("None", "Keine")
    fileprivate static let kind = Phrase("Kind", "Art")
    fileprivate static let shown = Phrase("Shown", "Sichtbar")
    fileprivate static let silent = Phrase("Silent: only the app reads it", "Still: nur die App liest sie")
    fileprivate static let bySystem = Phrase("Shown by the system", "Vom System gezeigt")
    fileprivate static let byApp = Phrase("Shown by the app", "Von der App gezeigt")
    fileprivate static let level = Phrase("Interruption level", "Unterbrechungsstufe")
    fileprivate static let passive = Phrase("Passive", "Passiv")
    fileprivate static let active = Phrase("Active", "Aktiv")
    fileprivate static let timeSensitive = Phrase("Time sensitive", "Zeitkritisch")
    fileprivate static let critical = Phrase("Critical", "Kritisch")
    fileprivate static let sound = Phrase("Sound", "Ton")
    fileprivate static let noSound = Phrase("No sound", "Kein Ton")
    fileprivate static let defaultSound = Phrase("Default sound", "Standardton")
    fileprivate static let badge = Phrase("Badge", "Zahl am Symbol")
    fileprivate static let badgeHint = Phrase(
        "Leave it empty to keep the current number. 0 removes it.",
        "Leer lassen, um die aktuelle Zahl zu behalten. 0 entfernt sie.")
    fileprivate static let category = Phrase("Category", "Kategorie")
    fileprivate static let categoryHint = Phrase(
        "The buttons that the app defines for it.", "Die Schaltflächen, die die App dafür festlegt.")
    fileprivate static let collapse = Phrase("Replaces messages named", "Ersetzt Nachrichten namens")
    fileprivate static let collapseHint = Phrase(
        "You need a name to recall a message.", "Zum Zurückrufen brauchen Sie einen Namen.")
    fileprivate static let thread = Phrase("Group", "Gruppe")
    fileprivate static let threadHint = Phrase(
        "Messages of one group are stacked.", "Nachrichten einer Gruppe werden gestapelt.")
    fileprivate static let relevance = Phrase("Relevance, 0 to 1", "Relevanz, 0 bis 1")
    fileprivate static let relevanceHint = Phrase(
        "Orders messages in summaries.", "Ordnet Nachrichten in Zusammenfassungen.")
    fileprivate static let mutable = Phrase("Call the app's extension", "Erweiterung der App aufrufen")
    fileprivate static let mutableHint = Phrase(
        "Required for pictures.", "Für Bilder erforderlich.")
    fileprivate static let available = Phrase("Wake the app", "App aufwecken")
    fileprivate static let availableHint = Phrase(
        "The app can load content in the background.", "Die App kann im Hintergrund Inhalte laden.")
    fileprivate static let priority = Phrase("Priority", "Priorität")
    fileprivate static let high = Phrase("High", "Hoch")
    fileprivate static let normal = Phrase("Normal", "Normal")
    fileprivate static let low = Phrase("Low", "Niedrig")
    fileprivate static let minimum = Phrase("Minimum", "Minimal")
    fileprivate static let maximum = Phrase("Maximum", "Maximal")
    fileprivate static let channel = Phrase("Channel", "Kanal")
    fileprivate static let channelHint = Phrase(
        "The id of a channel of the app.", "Die Kennung eines Kanals der App.")
    fileprivate static let image = Phrase("Picture", "Bild")
    fileprivate static let imageHint = Phrase("An https address.", "Eine https-Adresse.")
    fileprivate static let icon = Phrase("Icon in the app", "Symbol in der App")
    fileprivate static let color = Phrase("Color", "Farbe")
    fileprivate static let colorHint = Phrase("For example #e8552d.", "Zum Beispiel #e8552d.")
    fileprivate static let tag = Phrase("Replaces messages named", "Ersetzt Nachrichten namens")
    fileprivate static let tagHint = Phrase(
        "A message with the same name is replaced on the device.",
        "Eine Nachricht desselben Namens wird auf dem Gerät ersetzt.")
    fileprivate static let collapseKey = Phrase("Keep only the last one of", "Nur die letzte behalten von")
    fileprivate static let collapseKeyHint = Phrase(
        "If several messages with the same key wait, only the last one arrives.",
        "Von wartenden Nachrichten mit demselben Schlüssel kommt nur die letzte an.")
    fileprivate static let clickAction = Phrase("Opens in the app", "Öffnet in der App")
    fileprivate static let visibility = Phrase("On the lock screen", "Auf dem Sperrbildschirm")
    fileprivate static let visible = Phrase("Visible", "Sichtbar")
    fileprivate static let hiddenText = Phrase("Without its text", "Ohne Text")
    fileprivate static let hiddenWhole = Phrase("Hidden", "Verborgen")
    fileprivate static let importance = Phrase("Importance", "Wichtigkeit")
    fileprivate static let number = Phrase("Number on the icon", "Zahl am Symbol")
}
