internal import PushAPI
internal import PushModel

/// The list of deliveries, newest first, with filters by state and by the beginning of the label.
struct DeliveryListPage {
    static let pageSize = 50
    static let path: ConsolePath = "/deliveries"

    private let visit: Visit
    private let page: PushAPI.Page<DeliveryView>
    private let label: String
    private let state: DeliveryState?
    private let cursor: String?

    init(_ visit: Visit) throws {
        self.visit = visit
        label = visit.query["q"] ?? ""
        state = visit.query.given("state").flatMap(DeliveryState.init(rawValue:))
        cursor = visit.query.given("cursor")
        page = try visit.carryOut(
            ListDeliveries.request(
                label: DeliveryLabel.stored(label), state: state, cursor: cursor, limit: Self.pageSize))
    }

    var reply: Reply {
        get throws {
            let body: HTML = """
                \(HTML.pageHead(NavigationItem.deliveries.title, actions: actions))
                <div class="stack">\(search)\(try content)\
                \(HTML.pager(filtered, cursor: cursor, next: page.next))</div>
                """
            return .page(Page(title: NavigationItem.deliveries.title, current: .deliveries, body: body))
        }
    }

    private var actions: HTML {
        guard visit.isPermitted(SubmitDelivery.self) else { return .empty }
        var actions = HTML.empty
        if visit.table.hasPage("/drafts") { actions += HTML.link(.drafts, "/drafts") }
        if visit.table.hasPage("/deliveries/new") {
            actions += HTML.link(.newDelivery, "/deliveries/new", classes: "button-primary")
        }
        return actions
    }

    private var filtered: ConsolePath {
        Self.path.with("q", label.isEmpty ? nil : label).with("state", state?.rawValue)
    }

    private var search: HTML {
        let options = DeliveryState.allCases.map { choice -> HTML in
            """
            <option value="\(choice.rawValue)"\("selected", if: choice == state)>\(choice.title)</option>
            """
        }
        return HTML.search(
            Self.path, label: .labelBegins, value: label,
            fields: """
                <label class="hidden-text" for="state">\(.state)</label>\
                <select class="input" id="state" name="state"><option value="">\(.anyState)</option>\
                \(options)</select>
                """)
    }

    private var content: HTML {
        get throws {
            guard page.items.isEmpty else { return HTML.card(table: table) }
            if page.next != nil { return HTML.emptyState(.noneHere, .noneHereText) }
            if cursor != nil { return HTML.emptyState(.noMore, .noMoreText) }
            if !label.isEmpty || state != nil {
                return HTML.emptyState(.noMatch, .noMatchText, action: HTML.link(.showAll, Self.path))
            }
            return try FirstDelivery(visit).html
        }
    }

    private var table: HTML {
        let rows = page.items.map { delivery -> [HTML] in
            let counts = delivery.counts
            return [
                "\(delivery.link)<small>\(.submitted) \(moment: delivery.createdAt)</small>",
                delivery.badges, "\(count: counts.targeted)",
                HTML.count(counts.sent, of: counts.targeted), HTML.count(counts.received, of: counts.sent),
                HTML.count(counts.clicked, of: counts.sent), HTML.count(counts.failed, of: counts.targeted),
                DeliveryLinks.copy(of: delivery, visit, classes: "button-small", isNamed: true),
            ]
        }
        return HTML.table(
            [
                .init(.delivery), .init(.state), .init(.targeted, .number), .init(.sent, .number),
                .init(.received, .number), .init(.clicked, .number), .init(.failed, .number), .actions,
            ], rows, caption: .caption)
    }
}

extension ListDeliveries {
    /// - Parameter label: The beginning of the label; empty for all labels.
    static func request(
        label: String, state: DeliveryState?, cursor: String?, limit: Int
    ) throws(OperationError) -> ListDeliveries {
        var query = ["limit": "\(limit)"]
        if !label.isEmpty { query["label"] = label }
        if let state { query["state"] = state.rawValue }
        if let cursor { query["cursor"] = cursor }
        return try request(names: [:], query: query, body: [])
    }
}

/// Links to other pages about a delivery, which appear if the pages exist and the role permits their use.
enum DeliveryLinks {
    /// - Parameter isNamed: Whether screen readers read out the delivery's name, as in a list.
    static func copy(
        of delivery: DeliveryView, _ visit: Visit, classes: StaticString = "", isNamed: Bool = false
    ) -> HTML {
        guard visit.table.hasPage("/deliveries/new"), visit.isPermitted(SubmitDelivery.self) else {
            return .empty
        }
        return HTML.link(
            .copy, "/deliveries/new?copy=\(delivery.id.rawValue)", classes: classes,
            subject: isNamed ? delivery.shownLabel : nil)
    }
}

extension Phrase {
    fileprivate static let newDelivery = Phrase("New delivery", "Neue Zustellung")
    fileprivate static let drafts = Phrase("Drafts", "Entwürfe")
    fileprivate static let labelBegins = Phrase("The name begins with", "Der Name beginnt mit")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let anyState = Phrase("All states", "Alle Zustände")
    fileprivate static let caption = Phrase(
        "Deliveries, newest first. Sent and failed in percent of targeted, received and clicked of sent",
        "Zustellungen, neueste zuerst. Gesendet und fehlgeschlagen in Prozent der Ziele, empfangen und "
            + "geklickt in Prozent der gesendeten")
    fileprivate static let delivery = Phrase("Delivery", "Zustellung")
    fileprivate static let submitted = Phrase("Submitted", "Eingereicht:")
    fileprivate static let targeted = Phrase("Targeted", "Ziele")
    fileprivate static let sent = Phrase("Sent", "Gesendet")
    fileprivate static let received = Phrase("Received", "Empfangen")
    fileprivate static let clicked = Phrase("Clicked", "Geklickt")
    fileprivate static let failed = Phrase("Failed", "Fehlgeschlagen")
    fileprivate static let copy = Phrase("Copy", "Kopieren")
    fileprivate static let showAll = Phrase("Show all deliveries", "Alle Zustellungen zeigen")
    fileprivate static let noMatch = Phrase("No delivery matches", "Keine passende Zustellung")
    fileprivate static let noMatchText = Phrase(
        "Only the beginning of the name counts. Upper and lower case are different.",
        "Nur der Anfang des Namens zählt. Groß- und Kleinschreibung werden unterschieden.")
    fileprivate static let noneHere = Phrase(
        "None of the deliveries that were examined matches", "Keine passende unter den geprüften Zustellungen"
    )
    fileprivate static let noneHereText = Phrase(
        "Continue with older deliveries on the next page.",
        "Auf der nächsten Seite geht es mit älteren Zustellungen weiter.")
    fileprivate static let noMore = Phrase("No further deliveries", "Keine weiteren Zustellungen")
    fileprivate static let noMoreText = Phrase(
        "The list ends here.", "Die Liste ist hier zu Ende.")
}
