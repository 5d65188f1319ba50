internal import PushAPI
internal import PushModel

/// Figures of a few deliveries side by side.
enum CompareScreens: ScreenGroup {
    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/compare", needs: .read) { try ComparePage($0).reply }
    ]
}

private struct ComparePage {
    /// How many deliveries can be compared.
    private static let range = 2...4
    private static let field = "delivery"

    private let visit: Visit
    private let label: String
    private let cursor: String?
    private let page: PushAPI.Page<DeliveryView>
    /// The deliveries that the person chose, in this order.
    private let chosen: [DeliveryView]
    /// Whether the person asked for the comparison, as opposed to another part of the list.
    private let isAsked: Bool

    init(_ visit: Visit) throws {
        self.visit = visit
        label = visit.query["q"] ?? ""
        cursor = visit.query.given("cursor")
        page = try visit.carryOut(
            ListDeliveries.request(
                label: DeliveryLabel.stored(label), state: nil, cursor: cursor,
                limit: DeliveryListPage.pageSize))
        var known: Set<Int64> = []
        let ids = visit.query.all(Self.field).compactMap { Int64($0) }.filter {
            $0 > 0 && known.insert($0).inserted
        }
        chosen = try ids.prefix(Self.range.upperBound + 1).compactMap { id in
            do {
                return try visit.carryOut(
                    ShowDelivery(id: DeliveryID(rawValue: id), looksForHolds: false, looksFurther: false)
                ).delivery
            } catch let error as OperationError where error.kind == .absent {
                return nil
            }
        }
        isAsked = visit.query.isOn("compare") || !visit.query.isOn("list") && !ids.isEmpty
    }

    var reply: Reply {
        let body: HTML = """
            \(HTML.pageHead(NavigationItem.compare.title))\
            <div class="stack">\(comparison)\(choice)</div>
            """
        return .page(Page(title: NavigationItem.compare.title, current: .compare, body: body))
    }

    // MARK: The choice

    private var choice: HTML {
        let listed = Set(page.items.map(\.id))
        let deliveries = chosen.filter { !listed.contains($0.id) } + page.items
        guard !deliveries.isEmpty else {
            return label.isEmpty && cursor == nil
                ? HTML.emptyState(.nothing, .nothingText)
                : HTML.emptyState(.noMatch, .noMatchText)
        }
        let ids = Set(chosen.map(\.id))
        let boxes = deliveries.map { delivery -> HTML in
            """
            <label class="check"><input type="checkbox" name="\(Self.field)" \
            value="\(number: delivery.id.rawValue)" aria-labelledby="name-\(number: delivery.id.rawValue)"\
            \("checked", if: ids.contains(delivery.id))>\
            <span id="name-\(number: delivery.id.rawValue)">\(name: delivery.shownLabel)</span>\
            <span class="hint">\(delivery.state.badge) \(moment: delivery.createdAt)</span></label>
            """
        }
        let form: HTML = """
            <form class="stack" method="get" action="\("/compare" as ConsolePath)">\
            <div class="row search"><label class="hidden-text" for="begins">\(.labelBegins)</label>\
            <input class="input" type="search" id="begins" name="q" value="\(label)" \
            placeholder="\(.labelBegins)">\
            <button class="button" name="list" value="on">\(.search)</button></div>\
            <fieldset class="field"><legend>\(.choose)</legend>\(boxes)</fieldset>\
            <div class="row"><button class="button button-primary" name="compare" value="on">\
            \(.compare)</button></div></form>
            """
        var path: ConsolePath = "/compare?list=on"
        path = path.with("q", label.isEmpty ? nil : label)
        for delivery in chosen { path = path.with("delivery", "\(delivery.id.rawValue)") }
        return """
            \(HTML.card(.deliveries, id: "choice", body: form))\
            \(HTML.pager(path, cursor: cursor, next: page.next))
            """
    }

    // MARK: The figures

    private var comparison: HTML {
        guard Self.range.contains(chosen.count) else {
            guard isAsked else { return .empty }
            return HTML.note(chosen.count < Self.range.lowerBound ? .tooFew : .tooMany, tone: .warn)
        }
        let columns =
            [HTML.Column(.figure)]
            + chosen.map { delivery in
                var column = HTML.Column(Phrase(same: Phrase.isolated(delivery.shownLabel)), .number)
                column.path = delivery.path
                return column
            }
        return HTML.card(.comparison, id: "comparison", table: HTML.table(columns, rows))
    }

    private var rows: [[HTML]] {
        [
            row(.state) { $0.state.badge },
            row(.submitted) { "\(moment: $0.createdAt)" },
            row(.targeted) { "\(count: $0.counts.targeted)" },
            row(.leftOut) { "\(count: $0.counts.excluded)" },
            shares(.sent, Phrase.ofTargeted) { ($0.counts.sent, $0.counts.targeted) },
            shares(.received, Phrase.ofSent) { ($0.counts.received, $0.counts.sent) },
            shares(.clicked, Phrase.ofSent, marksHighest: true) { ($0.counts.clicked, $0.counts.sent) },
            shares(.clickedOfReceived, Phrase.ofReceived) { ($0.counts.clicked, $0.counts.received) },
            shares(.failed, Phrase.ofTargeted) { ($0.counts.failed, $0.counts.targeted) },
            row(.duration) { delivery in
                guard let started = delivery.startedAt else { return "–" }
                let end = delivery.finishedAt ?? visit.now
                return HTML(Formats.period(seconds: end.seconds(since: started)))
            },
            row(.rate) { delivery in
                guard let started = delivery.startedAt,
                    (delivery.finishedAt ?? visit.now).seconds(since: started) >= 1
                else { return "–" }
                return HTML(delivery.messagesPerSecond.map(Formats.decimal) ?? "–")
            },
        ]
    }

    private func row(_ title: Phrase, _ cell: (DeliveryView) -> HTML) -> [HTML] {
        ["\(title)"] + chosen.map(cell)
    }

    private func shares(
        _ title: Phrase, _ words: (String) -> Phrase, marksHighest: Bool = false,
        _ parts: (DeliveryView) -> (part: Int, whole: Int)
    ) -> [HTML] {
        let values = chosen.map(parts)
        let ratios = values.map { $0.whole > 0 ? Double($0.part) / Double($0.whole) : 0 }
        let highest = ratios.max() ?? 0
        let isUnique = ratios.count { $0 == highest } == 1
        let cells = zip(values, ratios).map { value, ratio -> HTML in
            let mark: HTML? =
                marksHighest && isUnique && ratio == highest ? ", <b>\(.highest)</b>" : nil
            let share: HTML? = Formats.share(value.part, of: value.whole).map {
                "<small>\(words($0))\(mark)</small>"
            }
            return """
                \(count: value.part)\(share)\
                \(HTML.bar([(value.part, .main)], of: value.whole, thickness: .thin))
                """
        }
        return ["\(title)"] + cells
    }
}

extension Phrase {
    fileprivate static let nothing = Phrase(
        "There is nothing to compare yet", "Es gibt noch nichts zu vergleichen")
    fileprivate static let nothingText = Phrase(
        "Send two deliveries first, for example to two halves of an audience.",
        "Senden Sie zuerst zwei Zustellungen, zum Beispiel an zwei Hälften einer Zielgruppe.")
    fileprivate static let noMatch = Phrase("No delivery matches", "Keine passende Zustellung")
    fileprivate static let noMatchText = Phrase(
        "Only the beginning of the name counts.", "Nur der Anfang des Namens zählt.")
    fileprivate static let labelBegins = Phrase("The name begins with", "Der Name beginnt mit")
    fileprivate static let search = Phrase("Search", "Suchen")
    fileprivate static let choose = Phrase(
        "Choose two to four deliveries", "Wählen Sie zwei bis vier Zustellungen")
    fileprivate static let compare = Phrase("Compare", "Vergleichen")
    fileprivate static let deliveries = Phrase("Deliveries", "Zustellungen")
    fileprivate static let tooFew = Phrase(
        "Choose at least two deliveries.", "Wählen Sie mindestens zwei Zustellungen.")
    fileprivate static let tooMany = Phrase(
        "Choose at most four deliveries.", "Wählen Sie höchstens vier Zustellungen.")
    fileprivate static let comparison = Phrase("Comparison", "Vergleich")
    fileprivate static let figure = Phrase("Figure", "Kennzahl")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let submitted = Phrase("Submitted", "Eingereicht")
    fileprivate static let targeted = Phrase("Targeted", "Ziele")
    fileprivate static let leftOut = Phrase("Left out", "Ausgelassen")
    fileprivate static let sent = Phrase("Sent", "Gesendet")
    fileprivate static let received = Phrase("Received", "Empfangen")
    fileprivate static let clicked = Phrase("Clicked", "Geklickt")
    fileprivate static let clickedOfReceived = Phrase("Clicked after receipt", "Geklickt nach Empfang")
    fileprivate static let failed = Phrase("Failed", "Fehlgeschlagen")
    fileprivate static let duration = Phrase("Duration", "Dauer")
    fileprivate static let rate = Phrase("Messages a second", "Nachrichten pro Sekunde")
    fileprivate static let highest = Phrase("the highest", "der höchste Wert")
    fileprivate static func ofTargeted(_ share: String) -> Phrase {
        Phrase("\(share) of targeted", "\(share) der Ziele")
    }
    fileprivate static func ofSent(_ share: String) -> Phrase {
        Phrase("\(share) of sent", "\(share) der gesendeten")
    }
    fileprivate static func ofReceived(_ share: String) -> Phrase {
        Phrase("\(share) of received", "\(share) der empfangenen")
    }
}
