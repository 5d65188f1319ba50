internal import PushAPI
internal import PushModel

/// How many devices a draft reaches, and why it does not reach the others. Counting reads the whole target.
struct AudienceCount {
    let composer: Composer
    private(set) var view: DryRunView?
    private(set) var error: OperationError?

    init(_ composer: Composer) {
        self.composer = composer
        do throws(OperationError) {
            view = try composer.visit.operations.carryOut(
                DryRunDelivery(document: composer.document.bytes, documentName: ""))
        } catch {
            self.error = error
        }
    }

    /// The number of messages that would be passed to gateways; `nil` if it is unknown.
    var sent: Int? {
        view.map { $0.targeted - $0.tooLarge - $0.missingValues.reduce(0) { $0 + $1.count } }
    }

    /// The content before the first count.
    static var none: HTML { "<p class=\"muted\">\(.notCounted)</p>" }

    var html: HTML {
        guard let view, let sent else {
            let faults = error.map(DraftFaultReader(composer: composer).faults) ?? []
            return """
                <div class="notice notice-warn"><b>\(error?.kind == .unavailable ? Phrase.busy : .notYet)</b>\
                \(DraftFault.list(faults))</div>
                """
        }
        let lost = view.tooLarge + view.missingValues.reduce(0) { $0 + $1.count }
        let excluded = view.excluded + lost
        var reasons = view.exclusions.map { (label: "\(Self.title(of: $0.reason))" as HTML, count: $0.count) }
        reasons += view.missingValues.map {
            (label: "\(Phrase.missingValue($0.name))" as HTML, count: $0.count)
        }
        if view.tooLarge > 0 { reasons.append((label: "\(Phrase.tooLarge)", count: view.tooLarge)) }
        let why: HTML? =
            excluded == 0
            ? nil
            : """
            <div class="stack-tight"><h3>\(Phrase.whyLeftOut(excluded))</h3>\
            \(HTML.breakdown(reasons))</div>
            """
        let unknown: HTML? =
            (view.unknownRecipients ?? 0) == 0
            ? nil
            : """
            <div class="notice notice-warn">\
            \(Phrase.unknownKeys(view.unknownRecipients ?? 0, of: view.listedRecipients ?? 0))</div>
            """
        return """
            <div><p class="count">\(count: sent)</p><p class="muted small">\(Phrase.devices(sent)) \
            \(.counted) \(Moments.clock(composer.visit.now))</p></div>\
            <dl class="facts"><dt>\(.match)</dt>\
            <dd class="number">\(count: view.targeted + view.excluded)</dd>\
            <dt>\(.leftOut)</dt><dd class="number">\(excluded > 0 ? "−" : "")\(count: excluded)</dd>\
            <dt class="total">\(.total)</dt><dd class="number total">\(count: sent)</dd></dl>\(why)\
            \(perApp(view))\(unknown)
            """
    }

    private func perApp(_ view: DryRunView) -> HTML {
        guard view.apps.count > 1 || view.apps.contains(where: { !$0.languages.isEmpty }) else {
            return .empty
        }
        let apps = view.apps.prefix(50).map { (label: "\(name: $0.app)" as HTML, count: $0.targeted) }
        var languages: [String: Int] = [:]
        for language in view.apps.flatMap(\.languages) {
            languages[language.language ?? "", default: 0] += language.targeted
        }
        let byLanguage = languages.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(50).map {
            (
                label: "\($0.key.isEmpty ? Phrase.mainText : LanguageNames.title($0.key))" as HTML,
                count: $0.value
            )
        }
        return """
            <div class="stack-tight"><h3>\(Phrase.whoTheyAre)</h3>\(HTML.breakdown(apps))\
            \(byLanguage.isEmpty ? HTML.empty : HTML.breakdown(byLanguage))</div>
            """
    }

    /// Returns the title of a reason in a ``DryRunView``.
    static func title(of reason: String) -> Phrase {
        switch reason {
        case "in quarantine": Phrase("In quarantine", "In Quarantäne")
        case "disabled": Phrase("Disabled", "Deaktiviert")
        case "opted out": Phrase("Opted out", "Abgemeldet")
        case "once per user": Phrase("Another device of the person", "Anderes Gerät der Person")
        case "frequency cap": Phrase("Frequency cap", "Häufigkeitsgrenze")
        default: Phrase(same: reason)
        }
    }
}

extension Phrase {
    fileprivate static let notCounted = Phrase("Not counted yet.", "Noch nicht gezählt.")
    fileprivate static let busy = Phrase("Counting is not possible now.", "Zählen ist gerade nicht möglich.")
    fileprivate static let notYet = Phrase(
        "Devices can be counted as soon as this is fixed:",
        "Geräte können gezählt werden, sobald dies behoben ist:")
    fileprivate static let tooLarge = Phrase("Message too large", "Nachricht zu groß")
    fileprivate static func missingValue(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("No value for \(name)", "Kein Wert für \(name)")
    }
    fileprivate static func whyLeftOut(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("Why 1 is left out", "Warum 1 ausgelassen wird")) {
            Phrase("Why \($0) are left out", "Warum \($0) ausgelassen werden")
        }
    }
    fileprivate static func unknownKeys(_ count: Int, of whole: Int) -> Phrase {
        let all = Formats.count(whole)
        return .counted(
            count,
            one: Phrase(
                "1 of \(all) user keys belongs to no subscriber.",
                "1 von \(all) Nutzerschlüsseln gehört zu keinem Abonnenten.")
        ) {
            Phrase(
                "\($0) of \(all) user keys belong to no subscriber.",
                "\($0) von \(all) Nutzerschlüsseln gehören zu keinem Abonnenten.")
        }
    }
    fileprivate static func devices(_ count: Int) -> Phrase {
        count == 1 ? Phrase("device.", "Gerät.") : Phrase("devices.", "Geräte.")
    }
    fileprivate static let counted = Phrase("Counted at", "Gezählt um")
    fileprivate static let match = Phrase("Match", "Zutreffend")
    fileprivate static let leftOut = Phrase("Left out", "Ausgelassen")
    fileprivate static let total = Phrase("Sent to", "Gesendet an")
    fileprivate static let whoTheyAre = Phrase("Who they are", "Wer sie sind")
    fileprivate static let mainText = Phrase("Main text", "Haupttext")
}
