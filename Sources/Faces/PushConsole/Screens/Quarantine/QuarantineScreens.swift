internal import PushAPI
internal import PushModel

/// Devices that deliveries exclude because of errors, and storms that wait for a decision.
enum QuarantineScreens: ScreenGroup {
    static let notices = [released, nothingReleased, added, alreadyExcluded, confirmed, discarded]
    private static let released = Notice("quarantine.released", .released)
    private static let nothingReleased = Notice("quarantine.none-released", .noneReleased, tone: .warn)
    private static let added = Notice("quarantine.added", .added)
    private static let alreadyExcluded = Notice("quarantine.already", .already, tone: .warn)
    private static let confirmed = Notice("storm.confirmed", .confirmed)
    private static let discarded = Notice("storm.discarded", .discarded)

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/quarantine", needs: .admin) { visit in
            let storms = try visit.carryOut(ShowStorms()).prefix(20).map { StormParts.alarm($0, visit) }
            let waiting = try StormParts.waitingVerdicts(visit)
            let card: HTML =
                storms.isEmpty ? .empty : HTML.card(.storms, id: "storms", table: storms.joined())
            let list = try QuarantineList(visit)
            let title = NavigationItem.quarantine.title
            let body: HTML = """
                \(HTML.pageHead(title, meta: ["\(Phrase.about)"], actions: actions(visit)))
                \(HTML.stack(card, StormParts.waiting(waiting), list.search, list.html))
                """
            return .page(Page(title: title, current: .quarantine, body: body))
        },
        ConsoleRoute(.get, "/quarantine/add", needs: .admin) { visit in
            .page(try QuarantineForms.adding(visit, visit.query))
        },
        ConsoleRoute(.post, "/quarantine/add", needs: .admin) { visit in
            let form = visit.form
            let attempt = try visit.attempt(fields: QuarantineForms.addFields) {
                try visit.carryOut(
                    AddToQuarantine(
                        app: form["app"] ?? "", token: form["token"] ?? "", reason: form["reason"] ?? ""))
            }
            switch attempt {
            case .done(let device):
                return .redirect("/quarantine", notice: device.changed ? added : alreadyExcluded)
            case .refused(let errors): return .refused(422, try QuarantineForms.adding(visit, form, errors))
            }
        },
        ConsoleRoute(.get, "/quarantine/release", needs: .admin) { visit in
            .page(try QuarantineForms.releasing(visit, visit.query))
        },
        ConsoleRoute(.post, "/quarantine/release", needs: .admin, answer: release),
        ConsoleRoute(.get, "/storms/{name}/confirm", needs: .admin) { visit in
            try StormParts.decision(visit, .confirm)
        },
        ConsoleRoute(.get, "/storms/{name}/discard", needs: .admin) { visit in
            try StormParts.decision(visit, .discard)
        },
        ConsoleRoute(.get, "/verdicts/{name}/confirm", needs: .admin) { visit in
            try StormParts.decisionAboutWaiting(visit, .confirm)
        },
        ConsoleRoute(.get, "/verdicts/{name}/discard", needs: .admin) { visit in
            try StormParts.decisionAboutWaiting(visit, .discard)
        },
        ConsoleRoute(.post, "/storms/{name}/confirm", needs: .admin) { visit in
            _ = try visit.carryOut(DecideStorm(storm: visit.name("name"), judgement: .confirm))
            return .redirect("/quarantine", notice: confirmed)
        },
        ConsoleRoute(.post, "/storms/{name}/discard", needs: .admin) { visit in
            _ = try visit.carryOut(DecideStorm(storm: visit.name("name"), judgement: .discard))
            return .redirect("/quarantine", notice: discarded)
        },
    ]

    private static func actions(_ visit: Visit) -> HTML {
        """
        \(HTML.link(.addDevice, "/quarantine/add"))\(HTML.link(.release, "/quarantine/release"))
        """
    }

    @Sendable private static func release(_ visit: Visit) throws -> Reply {
        let form = visit.form
        let (app, value) = (form["app"] ?? "", form["value"] ?? "")
        let what = form["what"] ?? "userKey"
        if what == "all", form["sure"] != "yes" {
            return .page(try QuarantineForms.confirmingAll(visit, app: app))
        }
        guard what == "all" || !value.isEmpty else {
            return .refused(422, try QuarantineForms.releasing(visit, form, FormErrors("value", .giveValue)))
        }
        let attempt = try visit.attempt(fields: QuarantineForms.releaseFields) {
            let request =
                switch what {
                case "all": ReleaseFromQuarantine(allOf: app)
                case "token": ReleaseFromQuarantine(app: app, tokens: [value])
                default: ReleaseFromQuarantine(app: app, userKey: value)
                }
            return try visit.carryOut(request)
        }
        switch attempt {
        case .done(let sum):
            let isNone = sum.released + sum.forgiven == 0
            let path = ("/quarantine" as ConsolePath).with("app", app)
            return .redirect(path, notice: isNone ? nothingReleased : released)
        case .refused(let errors): return .refused(422, try QuarantineForms.releasing(visit, form, errors))
        }
    }
}

/// A page of the quarantine. With a filter, a limited number of entries is examined for each page.
private struct QuarantineList {
    private static let path: ConsolePath = "/quarantine"
    private static let mostReads = 40
    private let visit: Visit
    private let app: String?
    private let state: String?
    private let reason: String?
    private let apps: [AppView]
    private var items: [QuarantineView] = []
    private var next: String?

    init(_ visit: Visit) throws {
        self.visit = visit
        app = visit.query.given("app")
        state = visit.query.given("state")
        reason = visit.query.given("reason")
        apps = try visit.carryOut(ListApps())
        let isFiltered = state != nil || reason != nil
        var reads = 0
        next = visit.query.given("cursor")
        repeat {
            let page = try visit.carryOut(
                ListQuarantine.request(list: [
                    "app": app, "state": state, "limit": isFiltered ? "25" : "50", "cursor": next,
                ]))
            let wanted = reason?.lowercased()
            items += page.items.filter { wanted == nil || $0.reason.lowercased().contains(wanted ?? "") }
            next = page.next
            reads += 1
        } while isFiltered && next != nil && items.count <= 25 && reads < Self.mostReads
    }

    var search: HTML {
        let states = ["", "quarantined", "disabled", "counting"].map { state -> HTML in
            option(state, "\(Self.title(ofState: state))", chosen: self.state ?? "")
        }
        let names = apps.prefix(500).map { app -> HTML in
            option(app.name, HTML(app.label ?? app.name), chosen: self.app ?? "")
        }
        return HTML.search(
            Self.path, label: .reason, name: "reason", value: reason ?? "",
            fields: """
                <label class="hidden-text" for="filter-app">\(.app)</label>\
                <select class="input" id="filter-app" name="app">\
                \(option("", "\(Phrase.allApps)", chosen: app ?? ""))\(names)</select>\
                <label class="hidden-text" for="filter-state">\(.state)</label>\
                <select class="input" id="filter-state" name="state">\(states)</select>
                """)
    }

    private func option(_ value: String, _ label: HTML, chosen: String) -> HTML {
        "<option value=\"\(value)\"\("selected", if: value == chosen)>\(label)</option>"
    }

    var html: HTML {
        guard !items.isEmpty else {
            let all = HTML.link(.showAll, Self.path)
            if next != nil {
                return "\(HTML.emptyState(.noneHere, .noneHereText))\(pager)"
            }
            if app != nil || state != nil || reason != nil {
                return HTML.emptyState(.noMatch, .noMatchText, action: all)
            }
            return HTML.emptyState(.nothing, .nothingText)
        }
        let columns: [HTML.Column] = [
            .init(.person), .init(.app), .init(.state), .init(.reason), .init(.errors, .number),
            .init(.since), .actions,
        ]
        let table = HTML.table(columns, items.map(row))
        return "\(HTML.card(.excluded, id: "quarantine", table: table))\(pager)"
    }

    private var pager: HTML {
        let path = Self.path.with("app", app).with("state", state).with("reason", reason)
        return HTML.pager(path, cursor: visit.query.given("cursor"), next: next)
    }

    private func row(_ entry: QuarantineView) -> [HTML] {
        let delivery: HTML? = entry.delivery.map { id in
            let path: ConsolePath = "/deliveries/\(id.rawValue)"
            return "<small><a href=\"\(path)\">#\(number: id.rawValue)</a></small>"
        }
        let who: HTML = entry.userKey.isEmpty ? "\(Phrase.noUserKey)" : "\(name: entry.userKey)"
        return [
            "\(who)<small>\(Phrase.token) \(Formats.shortened(token: entry.token))</small>",
            entry.app.map { "\(name: $0)" } ?? "–", Self.badge(entry.state.word),
            "\(HTML.inEnglish(entry.reason))<small>\(Self.source(entry.source.word))</small>\(delivery)",
            "\(count: entry.errors)", "\(moment: entry.since)", releaseButton(entry),
        ]
    }

    private func releaseButton(_ entry: QuarantineView) -> HTML {
        guard let app = entry.app, visit.isPermitted(ReleaseFromQuarantine.self) else { return .empty }
        guard !entry.userKey.isEmpty else {
            let path = ("/quarantine/release" as ConsolePath).with("app", app).with("what", "token")
            return HTML.link(.releaseOne, path, classes: "button-small")
        }
        return visit.form(action: "/quarantine/release", classes: "inline") {
            """
            <input type="hidden" name="app" value="\(app)"><input type="hidden" name="what" value="userKey">\
            <input type="hidden" name="value" value="\(entry.userKey)">\
            <button class="button button-small">\(Phrase.releaseOne)\
            <span class="hidden-text"> \(name: entry.userKey)</span></button>
            """
        }
    }

    private static func badge(_ state: String) -> HTML {
        HTML.badge(state == "counting" ? .warn : .bad, title(ofState: state))
    }

    private static func title(ofState state: String) -> Phrase {
        switch state {
        case "": .allStates
        case "disabled": .disabled
        case "quarantined": .quarantined
        case "counting": .counting
        default: Phrase(same: state)
        }
    }

    private static func source(_ source: String) -> Phrase {
        switch source {
        case "answer": .fromAnswer
        case "feedback": .fromFeedback
        default: .fromOperator
        }
    }
}

extension Phrase {
    fileprivate static let about = Phrase(
        "Deliveries exclude these devices until they register again or you release them.",
        "Zustellungen lassen diese Geräte aus, bis sie sich neu registrieren oder Sie sie freigeben.")
    fileprivate static let storms = Phrase("Storms: your decision", "Stürme: Ihre Entscheidung")
    fileprivate static let addDevice = Phrase("Add a device", "Gerät hinzufügen")
    fileprivate static let release = Phrase("Release devices", "Geräte freigeben")
    fileprivate static let releaseOne = Phrase("Release", "Freigeben")
    fileprivate static let released = Phrase("The devices were released.", "Die Geräte wurden freigegeben.")
    fileprivate static let noneReleased = Phrase(
        "No device was released: none of them had errors.",
        "Kein Gerät wurde freigegeben: Keines hatte Fehler.")
    fileprivate static let added = Phrase(
        "The device is in quarantine now.", "Das Gerät ist jetzt in Quarantäne.")
    fileprivate static let already = Phrase(
        "Deliveries already excluded the device.", "Zustellungen ließen das Gerät schon aus.")
    fileprivate static let confirmed = Phrase(
        "The verdicts were confirmed. Sending continues.",
        "Die Urteile wurden bestätigt. Das Senden geht weiter.")
    fileprivate static let discarded = Phrase(
        "The verdicts were discarded. No token was changed.",
        "Die Urteile wurden verworfen. Kein Token wurde geändert.")
    fileprivate static let giveValue = Phrase(
        "Enter a user key or a token.", "Geben Sie einen Nutzerschlüssel oder ein Token ein.")
    fileprivate static let app = Phrase("App", "App")
    fileprivate static let allApps = Phrase("All apps", "Alle Apps")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let allStates = Phrase("All states", "Alle Zustände")
    fileprivate static let disabled = Phrase("App removed", "App entfernt")
    fileprivate static let quarantined = Phrase("Quarantined", "In Quarantäne")
    fileprivate static let counting = Phrase("Reachable, with errors", "Erreichbar, mit Fehlern")
    fileprivate static let reason = Phrase("Reason", "Grund")
    fileprivate static let showAll = Phrase("Show all", "Alle zeigen")
    fileprivate static let noneHere = Phrase("None among these entries", "Keine unter diesen Einträgen")
    fileprivate static let noneHereText = Phrase(
        "The list is long. The next page continues the search.",
        "Die Liste ist lang. Die nächste Seite setzt die Suche fort.")
    fileprivate static let noMatch = Phrase("No device matches", "Kein passendes Gerät")
    fileprivate static let noMatchText = Phrase("Choose fewer conditions.", "Wählen Sie weniger Bedingungen.")
    fileprivate static let nothing = Phrase("No device has errors", "Kein Gerät hat Fehler")
    fileprivate static let nothingText = Phrase(
        "If gateways report that devices are gone, they appear here.",
        "Wenn Gateways melden, dass es Geräte nicht mehr gibt, erscheinen sie hier.")
    fileprivate static let person = Phrase("User key", "Nutzerschlüssel")
    fileprivate static let noUserKey = Phrase("Without user key", "Ohne Nutzerschlüssel")
    fileprivate static let token = Phrase("Token", "Token")
    fileprivate static let errors = Phrase("Errors", "Fehler")
    fileprivate static let since = Phrase("Since", "Seit")
    fileprivate static let excluded = Phrase("Devices with errors", "Geräte mit Fehlern")
    fileprivate static let fromAnswer = Phrase("from an answer", "aus einer Antwort")
    fileprivate static let fromFeedback = Phrase("from the feedback service", "vom Feedback-Dienst")
    fileprivate static let fromOperator = Phrase("by an operator", "von Hand")
}
