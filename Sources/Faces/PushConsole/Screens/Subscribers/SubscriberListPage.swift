internal import PushAPI
internal import PushModel
internal import PushWire

/// The search for subscribers: by a user key or a token, by a parameter, or all of an app or a service.
struct SubscriberListPage {
    static let pageSize = 50
    private static let path: ConsolePath = "/subscribers"

    private let visit: Visit
    private let apps: [AppView]
    private let services: [ServiceView]
    private let search: String
    private let app: String?
    private let service: String?
    private let state: SubscriberState?
    private let condition: String
    private let cursor: String?
    /// How a person was searched: by `key` or `token`; `nil` if no person was.
    private var kind: String?
    private var found: FoundSubscribers?
    /// How many devices this request and those before it have examined.
    private var searched = 0
    private var errors = FormErrors()
    /// The devices that the person may see, with the numbers of those without a user key.
    private var devices: [(view: SubscriberView, number: Int64?)] = []

    init(_ visit: Visit) throws {
        self.visit = visit
        (apps, services) = (try visit.apps(), try visit.services())
        search = visit.query["q"] ?? ""
        app = visit.query.given("app")
        let asked = visit.query.given("service")
        // A list of one service needs no choice.
        service = asked ?? (services.count == 1 && app == nil ? services[0].name : nil)
        state = visit.query.given("state").flatMap(SubscriberState.init(rawValue:))
        condition = visit.query["where"] ?? ""
        cursor = visit.query.given("cursor")
        // The address can contain any number.
        searched = cursor == nil ? 0 : min(max(0, visit.query.number("searched") ?? 0), 1_000_000_000)
        try find()
        try number()
    }

    private var isAllowed: Bool {
        app.map { name in apps.contains { $0.name == name } } ?? true
            && service.map { name in services.contains { $0.name == name } } ?? true
    }

    private mutating func find() throws {
        guard isAllowed else {
            errors = FormErrors(.noSuchPlace)
            return
        }
        do {
            if search.isEmpty || !condition.isEmpty {
                try findAll()
            } else if search.contains("=") {
                try findPersonOrParameter()
            } else {
                try findPerson()
            }
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            errors = FormErrors(OperationError(error))
        }
    }

    private mutating func findPerson() throws {
        kind = visit.query.given("by") ?? "key"
        found = FoundSubscribers(
            try page(["userKey": kind == "key" ? search : nil, "token": kind == "key" ? nil : search]))
        guard found?.items.isEmpty == true, cursor == nil, kind == "key" else { return }
        let byToken = try page(["token": search])
        if !byToken.items.isEmpty { (kind, found) = ("token", FoundSubscribers(byToken)) }
    }

    /// A text such as `city=Rome` can also be a user key, such as one in Base64.
    private mutating func findPersonOrParameter() throws {
        let isPerson = visit.query.given("by") != nil
        if isPerson || cursor == nil { try findPerson() }
        guard !isPerson, found?.items.isEmpty != false else { return }
        (kind, found) = (nil, nil)
        try findAll()
    }

    private mutating func number() throws {
        let allowed = visit.allowed(found?.items ?? [], of: apps)
        let nameless = allowed.filter(\.userKey.isEmpty)
        guard !nameless.isEmpty else {
            devices = allowed.map { ($0, nil) }
            return
        }
        var numbers = try visit.operations.carryOut(NumberDevices(nameless))[...]
        devices = allowed.map { ($0, $0.userKey.isEmpty ? numbers.popFirst() ?? nil : nil) }
    }

    private mutating func findAll() throws {
        let condition = condition.isEmpty ? search.isEmpty ? nil : parameter : condition
        guard app != nil || service != nil else {
            if condition != nil { errors = FormErrors(.choosePlace) }
            return
        }
        guard condition != nil || state != nil else {
            found = FoundSubscribers(try page([:]))
            return
        }
        var search = SubscriberSearch(visit.operations.clock, cursor: cursor)
        while !search.isOver {
            try search.take(
                page([
                    "where": condition, "cursor": search.found.next, "limit": "\(search.stepSize)",
                ]))
        }
        found = search.found
        searched += search.examined
    }

    private func page(_ query: [String: String?]) throws -> PushAPI.Page<SubscriberView> {
        let others: [String: String?] = [
            "app": app, "service": service, "state": state?.rawValue, "limit": "\(Self.pageSize)",
            "cursor": cursor,
        ]
        return try visit.ask(ShowSubscribers.self, query: others.merging(query) { $1 })
    }

    /// The condition for a search such as `city=Rome`, in JSON.
    private var parameter: String {
        let halves = search.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let (name, text) = (String(halves[0]).trimmed, halves.count > 1 ? String(halves[1]).trimmed : "")
        let declared = apps.filter {
            (app == nil || $0.name == app) && (service == nil || $0.service == service)
        }.flatMap(\.parameters).first { $0.name == name }
        let value: JSONValue =
            switch declared?.kind {
            case .number:
                Int64(text).map(JSONValue.integer) ?? Double(text).map(JSONValue.real) ?? .string(text)
            case .boolean: text == "true" || text == "false" ? .boolean(text == "true") : .string(text)
            default: .string(text)
            }
        var bytes: [UInt8] = []
        JSONValue.object([JSONMember(key: name, value: value)]).append(to: &bytes)
        return String(validating: bytes, as: UTF8.self) ?? ""
    }

    var reply: Reply {
        let title = NavigationItem.subscribers.title
        let body: HTML = """
            \(HTML.pageHead(title, actions: actions))
            <div class="stack">\(HTML.errors(errors))\(searchForm)\(content)\
            \(HTML.pager(filtered, cursor: cursor, next: devices.isEmpty ? nil : found?.next))</div>
            """
        let page = Page(title: title, current: .subscribers, body: body)
        return errors.isEmpty ? .page(page) : .refused(422, page)
    }

    private var actions: HTML {
        visit.isPermitted(ImportSubscribers.self)
            ? HTML.link(.importSubscribers, NavigationItem.imports.path) : .empty
    }

    private var filtered: ConsolePath {
        Self.path.with("q", search.isEmpty ? nil : search).with("by", kind).with("app", app)
            .with("service", service).with("state", state?.rawValue)
            .with("where", condition.isEmpty ? nil : condition)
    }

    private var searchForm: HTML {
        let fields = Fields()
        let states = SubscriberState.allCases.map { Fields.Choice($0.rawValue, $0.title) }
        let filters: HTML = """
            \(fields.service(services, value: service, any: .anyService))\
            \(fields.app(apps, value: app, any: .anyApp))\
            \(fields.select(.state, "state", [.init("", .anyState)] + states, value: state?.rawValue ?? ""))
            """
        let expert = fields.text(
            .condition, "where", value: condition, hint: .conditionHint, autocomplete: "off")
        let known = app.flatMap { name in apps.first { $0.name == name }?.name }
        let count: HTML? = known.map { app in
            HTML.link(.count, "/subscribers/count?app=\(app)", classes: "button-small")
        }
        let form: HTML = """
            <form class="stack" method="get" role="search" action="\(Self.path)">\
            \(fields.text(.search, "q", value: search, hint: .searchHint, autocomplete: "off"))\
            <div class="pair">\(filters)</div>\
            \(HTML.details(.expert, id: "expert", expert))
            <div class="row"><button class="button button-primary">\(.find)</button>\(count)</div></form>
            """
        return HTML.card(body: form)
    }

    private var content: HTML {
        guard let found else {
            guard errors.isEmpty else { return .empty }
            return services.isEmpty
                ? HTML.emptyState(.noService, .noServiceText)
                : HTML.emptyState(.nothingAsked, .nothingAskedText)
        }
        guard devices.isEmpty else { return HTML.card(table: table) }
        if let next = found.next {
            let path = filtered.with("cursor", next).with("searched", "\(searched)")
            return HTML.emptyState(
                .noneAmong(max(searched, found.items.count)), .searchGoesOn,
                action: HTML.link(.continueSearch, path))
        }
        if kind != nil { return unknownPerson }
        let isFiltered = !search.isEmpty || state != nil || !condition.isEmpty
        return isFiltered
            ? HTML.emptyState(.noMatch, .noMatchText) : HTML.emptyState(.nobody, .nobodyText)
    }

    private var unknownPerson: HTML {
        let person = PersonAddress(.userKey(search))
        return HTML.emptyState(
            .noMatch, .noPersonText,
            action: HTML.link(.formerPerson, person.path, classes: "button-small"))
    }

    private var table: HTML {
        let rows = devices.map { device, number -> [HTML] in
            let person = PersonAddress(of: device, number: number)
            let name: HTML = device.userKey.isEmpty ? "\(Phrase.noUserKey)" : "\(name: device.userKey)"
            let parameters = device.parameters.sorted { $0.key < $1.key }.prefix(3).map {
                "\(name: $0.key): \(name: String($0.value.prefix(60)))" as HTML
            }
            return [
                """
                \(person.map { "<a href=\"\($0.path)\">\(name)</a>" as HTML } ?? name)\
                <small>\(Array(parameters).joined(by: ", "))</small>
                """,
                "\(name: device.app)", "\(device.device)<small>\(device.os)</small>", device.stateBadge,
                "\(device.language)", "\(moment: device.lastActiveAt)",
            ]
        }
        return HTML.table(
            [
                .init(.person), .init(.appColumn), .init(.device), .init(.state), .init(.language),
                .init(.lastActive),
            ], rows, caption: .caption)
    }
}

/// The number of subscribers of an app. All of them are read, so a person must ask for it.
enum SubscriberCountPage {
    static func reply(_ visit: Visit) throws -> Reply {
        let apps = try visit.apps()
        let name = visit.query.given("app")
        let form: HTML = """
            <form class="stack" method="get" action="\("/subscribers/count" as ConsolePath)">\
            \(Fields().app(apps, value: name))\
            <div class="row"><button class="button">\(Phrase.count)</button></div></form>
            """
        var result = HTML.empty
        if let name {
            guard apps.contains(where: { $0.name == name }) else { throw Refusal.notFound }
            for (index, counts) in try visit.carryOut(CountSubscribers(app: name)).enumerated() {
                result += HTML.card(
                    Phrase(same: counts.app), id: "counts-\(index)", body: figures(counts), foot: bar(counts))
            }
        }
        let body: HTML = """
            \(HTML.pageHead(.countTitle, crumbs: [("\(NavigationItem.subscribers.title)", "/subscribers")]))
            <div class="stack">\(result)\(HTML.card(body: form))</div>
            """
        return .page(Page(title: .countTitle, current: .subscribers, body: body))
    }

    private static func figures(_ counts: SubscriberCounts) -> HTML {
        func part(_ title: Phrase, _ count: Int) -> (term: Phrase, value: HTML, note: HTML?) {
            let note: HTML? = Formats.share(count, of: counts.subscribers).map { HTML($0) }
            return (title, "\(count: count)", note)
        }
        return HTML.figures([
            (.all, "\(count: counts.subscribers)", nil), part(SubscriberState.valid.title, counts.valid),
            part(SubscriberState.optedOut.title, counts.optedOut),
            part(SubscriberState.quarantined.title, counts.quarantined),
            part(SubscriberState.disabled.title, counts.disabled),
        ])
    }

    private static func bar(_ counts: SubscriberCounts) -> HTML {
        HTML.bar(
            [
                (counts.valid, .main), (counts.optedOut, .quiet), (counts.quarantined, .retrying),
                (counts.disabled, .failed),
            ], of: counts.subscribers, thickness: .thick)
    }
}

extension Phrase {
    fileprivate static let search = Phrase(
        "User key, token or parameter", "Nutzerschlüssel, Token oder Parameter")
    fileprivate static let searchHint = Phrase(
        "For example C-5821307, a device token, or city=Rome",
        "Zum Beispiel C-5821307, ein Gerätetoken oder city=Rom")
    fileprivate static let anyService = Phrase("All services", "Alle Dienste")
    fileprivate static let anyApp = Phrase("All apps", "Alle Apps")
    fileprivate static let anyState = Phrase("All states", "Alle Zustände")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let expert = Phrase("Condition for experts", "Bedingung für Experten")
    fileprivate static let condition = Phrase("Condition in JSON", "Bedingung in JSON")
    fileprivate static let conditionHint = Phrase(
        "As in target.where of a delivery: {\"city\": \"Rome\", \"age\": {\">=\": 18}}",
        "Wie target.where einer Zustellung: {\"city\": \"Rom\", \"age\": {\">=\": 18}}")
    fileprivate static let find = Phrase("Search", "Suchen")
    fileprivate static let count = Phrase("Count the devices", "Geräte zählen")
    fileprivate static let countTitle = Phrase("Number of devices", "Anzahl der Geräte")
    fileprivate static let all = Phrase("All", "Alle")
    fileprivate static let importSubscribers = Phrase("Import a list", "Liste importieren")
    fileprivate static let noSuchPlace = Phrase(
        "There is no such service or app.", "Diesen Dienst oder diese App gibt es nicht.")
    fileprivate static let choosePlace = Phrase(
        "Choose a service or an app in which to search for a parameter.",
        "Wählen Sie einen Dienst oder eine App, um nach einem Parameter zu suchen.")
    fileprivate static let noService = Phrase("There is no service yet", "Es gibt noch keinen Dienst")
    fileprivate static let noServiceText = Phrase(
        "Subscribers belong to the apps of a service. Create a service and an app first.",
        "Abonnenten gehören zu den Apps eines Dienstes. Legen Sie zuerst einen Dienst und eine App an.")
    fileprivate static let nothingAsked = Phrase("Search for a subscriber", "Suchen Sie einen Abonnenten")
    fileprivate static let nothingAskedText = Phrase(
        "Enter a user key or a token, or choose a service or an app to list its subscribers.",
        """
        Geben Sie einen Nutzerschlüssel oder ein Token ein, oder wählen Sie einen Dienst oder eine App, um \
        alle Abonnenten zu sehen.
        """)
    fileprivate static func noneAmong(_ count: Int) -> Phrase {
        let count = Formats.count(count)
        return Phrase(
            "None among the first \(count) devices", "Keines unter den ersten \(count) Geräten passt")
    }
    fileprivate static let searchGoesOn = Phrase(
        "The search has not reached the end.", "Die Suche ist noch nicht am Ende.")
    fileprivate static let continueSearch = Phrase("Continue the search", "Weitersuchen")
    fileprivate static let noMatch = Phrase("No subscriber matches", "Kein passender Abonnent")
    fileprivate static let noMatchText = Phrase(
        "Check the spelling, or remove a filter.",
        "Prüfen Sie die Schreibweise, oder entfernen Sie einen Filter.")
    fileprivate static let noPersonText = Phrase(
        "No device has this user key or token. Upper and lower case matter.",
        "Kein Gerät hat diesen Nutzerschlüssel oder dieses Token. Groß- und Kleinschreibung zählt.")
    fileprivate static let formerPerson = Phrase(
        "Show earlier messages to this user key", "Frühere Nachrichten an diesen Nutzerschlüssel zeigen")
    fileprivate static let nobody = Phrase("There is no subscriber yet", "Es gibt noch keinen Abonnenten")
    fileprivate static let nobodyText = Phrase(
        "Devices appear as soon as the app registers them, or after you import a list.",
        "Geräte erscheinen, sobald die App sie registriert oder Sie eine Liste importieren.")
    fileprivate static let noUserKey = Phrase("No user key", "Kein Nutzerschlüssel")
    fileprivate static let person = Phrase("User key", "Nutzerschlüssel")
    fileprivate static let appColumn = Phrase("App", "App")
    fileprivate static let device = Phrase("Device", "Gerät")
    fileprivate static let language = Phrase("Language", "Sprache")
    fileprivate static let lastActive = Phrase("Last active", "Zuletzt aktiv")
    fileprivate static let caption = Phrase(
        "Devices, in the order of their registration", "Geräte in der Reihenfolge ihrer Registrierung")
}
