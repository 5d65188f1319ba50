internal import PushAPI
internal import PushModel

/// What was asked for.
extension DeliveryPage {
    var asked: HTML {
        guard let order else { return .empty }
        var facts: [(term: Phrase, value: HTML)] = [
            (.content, order.content.isEmpty ? "–" : "\(name: order.content)"),
            (.audience, AudienceWords.html(order.target)),
            (.service, "\(name: order.service)"), (.apps, Self.list(order.apps)),
        ]
        if let list = order.list { facts.append((.list, listed(list))) }
        if let template = order.template {
            let version: HTML? = order.templateVersion.map { " \(Phrase.version($0))" }
            facts.append((.template, "\(name: template)\(version)"))
        }
        facts.append((.start, order.startAt.map { "\(moment: $0)" } ?? "\(.now)"))
        facts.append((.validity, HTML(Formats.duration(seconds: Int(clamping: order.validitySeconds)))))
        facts.append((.priority, "\(order.priority.title)"))
        facts.append(
            (.rate, order.ratePerSecond.map { "\(Phrase.perSecond(Formats.count($0)))" } ?? "\(.noLimit)"))
        if let removed = order.messagesRemovedAt {
            facts.append((.kept, "\(.removedAt) \(moment: removed)"))
        } else if let kept = order.messagesKeptUntil {
            facts.append((.kept, "\(.keptUntil) \(moment: kept)"))
        }
        return HTML.card(
            .asked, id: "asked", note: "<a href=\"\(action("content"))\">\(.showContent)</a>",
            body: HTML.facts(facts), foot: foot(order))
    }

    private func foot(_ order: DeliveryOrderView) -> HTML? {
        var links = HTML.empty
        if visit.isPermitted(RecallDelivery.self), delivery.startedAt != nil, order.messagesRemovedAt == nil {
            links += HTML.link(.recall, action("recall"), classes: "button-small button-danger")
        }
        guard order.messagesRemovedAt == nil else { return links.isEmpty ? nil : links }
        return """
            <div class="row row-between"><span class="row">\(links)</span><span class="row">\
            \(HTML.link(.devices, action("devices"), classes: "button-small"))\
            \(HTML.link(.find, action("recipients"), classes: "button-small"))\
            \(HTML.link(.download, action("csv"), classes: "button-small"))</span></div>
            """
    }

    private static func list(_ names: [String]) -> HTML {
        let shown = names.prefix(20).map { "\(name: $0)" as HTML }
        let rest: HTML? = names.count > 20 ? ", \(Phrase.further(names.count - 20))" : nil
        return "\(Array(shown).joined(by: ", "))\(rest)"
    }

    private func listed(_ list: ListMatchView) -> HTML {
        guard let matched = list.matched else { return "\(count: list.listed)" }
        return "\(Phrase.found(Formats.count(matched), of: Formats.count(list.listed)))"
    }
}

extension Phrase {
    fileprivate static let asked = Phrase("As submitted", "Wie eingereicht")
    fileprivate static let showContent = Phrase("Show the whole content", "Ganzen Inhalt zeigen")
    fileprivate static let content = Phrase("Content", "Inhalt")
    fileprivate static let audience = Phrase("Audience", "Zielgruppe")
    fileprivate static let service = Phrase("Service", "Dienst")
    fileprivate static let apps = Phrase("Apps", "Apps")
    fileprivate static let list = Phrase("List", "Liste")
    fileprivate static let template = Phrase("Template", "Vorlage")
    fileprivate static let start = Phrase("Start", "Beginn")
    fileprivate static let now = Phrase("Now", "Sofort")
    fileprivate static let validity = Phrase("Validity", "Gültigkeit")
    fileprivate static let priority = Phrase("Priority", "Priorität")
    fileprivate static let rate = Phrase("Rate", "Rate")
    fileprivate static let noLimit = Phrase("No limit", "Unbegrenzt")
    fileprivate static let kept = Phrase("Messages", "Nachrichten")
    fileprivate static let keptUntil = Phrase("kept until", "aufbewahrt bis")
    fileprivate static let removedAt = Phrase("removed", "entfernt:")
    fileprivate static let recall = Phrase("Recall…", "Zurückrufen…")
    fileprivate static let devices = Phrase("Languages and systems", "Sprachen und Systeme")
    fileprivate static let find = Phrase("Find a recipient", "Empfänger suchen")
    fileprivate static let download = Phrase("Download CSV", "CSV herunterladen")
    fileprivate static func version(_ number: Int64) -> Phrase {
        Phrase("(version \(number))", "(Version \(number))")
    }
    fileprivate static func perSecond(_ count: String) -> Phrase {
        Phrase("\(count) a second", "\(count) pro Sekunde")
    }
    fileprivate static func further(_ count: Int) -> Phrase {
        Phrase("\(count) more", "\(count) weitere")
    }
    fileprivate static func found(_ matched: String, of listed: String) -> Phrase {
        Phrase("\(matched) of \(listed) found", "\(matched) von \(listed) gefunden")
    }
}
