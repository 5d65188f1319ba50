internal import PushAPI
internal import PushModel

/// Apps: list, creation in steps, the page of an app, its connection and its integration.
enum AppScreens: ScreenGroup {
    static let created = Notice(
        "app.created",
        Phrase(
            "The app was created. Next, test the connection.",
            "Die App wurde angelegt. Testen Sie als Nächstes die Verbindung."))
    static let changed = Notice("app.changed", Phrase("The app was changed.", "Die App wurde geändert."))
    static let switched = Notice(
        "app.switched",
        Phrase(
            "The gateway accepted the new connection, and the app uses it from now on.",
            "Das Gateway hat die neue Verbindung angenommen. Die App verwendet sie ab jetzt."))
    static let switchedUntested = Notice(
        "app.switchedUntested",
        Phrase(
            "The app uses the new connection from now on. It was not tested.",
            "Die App verwendet ab jetzt die neue Verbindung. Sie wurde nicht getestet."), tone: .warn)
    static let notices = [created, changed, switched, switchedUntested]

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/apps", needs: .read) { visit in try AppListPage.reply(visit) },
        ConsoleRoute(.get, "/apps/unknown-keys", needs: .read) { visit in try UnknownKeysPage.reply(visit) },
        ConsoleRoute(.get, "/apps/new", needs: .admin) { visit in
            .page(try AppCreation(visit.query, visit).platformPage())
        },
        ConsoleRoute(.get, "/apps/new/connection", needs: .admin) { visit in
            try AppCreation(visit.query, visit).connectionReply()
        },
        ConsoleRoute(.post, "/apps/new/connection", needs: .admin, once: true) { visit in
            try AppCreation(visit.form, visit).create()
        },
        ConsoleRoute(.get, "/apps/of/{app}", needs: .read) { visit in .page(try AppPage(visit).page()) },
        ConsoleRoute(.get, "/apps/of/{app}/icon", needs: .read) { visit in try AppEdits.icon(visit) },
        ConsoleRoute(.post, "/apps/of/{app}/label", needs: .admin) { visit in try AppEdits.label(visit) },
        ConsoleRoute(.post, "/apps/of/{app}/icon", needs: .admin) { visit in try AppEdits.setIcon(visit) },
        ConsoleRoute(.post, "/apps/of/{app}/keys", needs: .admin) { visit in try AppEdits.keys(visit) },
        ConsoleRoute(.post, "/apps/of/{app}/items/{list}", needs: .admin) { visit in
            try AppEdits.items(visit)
        },
        ConsoleRoute(.get, "/apps/of/{app}/test", needs: .read) { visit in
            .page(try AppConnectionPages.testPage(visit, nil))
        },
        ConsoleRoute(.post, "/apps/of/{app}/test", needs: .admin, lengthy: true) { visit in
            try AppConnectionPages.test(visit)
        },
        ConsoleRoute(.get, "/apps/of/{app}/connection", needs: .admin) { visit in
            .page(try AppConnectionPages.switchPage(visit))
        },
        ConsoleRoute(.post, "/apps/of/{app}/connection", needs: .admin, lengthy: true, once: true) { visit in
            try AppConnectionPages.change(visit)
        },
        ConsoleRoute(.post, "/apps/of/{app}/connection/back", needs: .admin, lengthy: true, once: true) {
            visit in
            try AppConnectionPages.changeBack(visit)
        },
        ConsoleRoute(.get, "/apps/of/{app}/integration", needs: .read) { visit in
            try IntegrationPage.reply(visit)
        },
    ]
}

/// The list of apps.
enum AppListPage {
    static func reply(_ visit: Visit) throws -> Reply {
        let (search, service) = (visit.query["q"] ?? "", visit.query.given("service"))
        let (all, services) = (try visit.apps(), try visit.services())
        let apps = all.filter { app in
            let isFound =
                search.isEmpty || app.name.contains(anyCase: search)
                || app.label?.contains(anyCase: search) == true
            return isFound && (service == nil || app.service == service)
        }
        let part = ListPart(of: apps, visit)
        let title = NavigationItem.apps.title
        let canCreate = visit.isPermitted(CreateApp.self)
        let new = HTML.link(.newApp, "/apps/new", classes: "button-primary")
        let path = ("/apps" as ConsolePath).with("q", search.isEmpty ? nil : search)
            .with("service", service)
        let body: HTML = """
            \(HTML.pageHead(
                title,
                actions: """
                    \(unknownKeys(visit))\
                    \(canCreate && !all.isEmpty ? new : .empty)
                    """))
            <div class="stack">\(all.isEmpty ? .empty : searchForm(search, service, services))\
            \(content(part.items, isEmpty: all.isEmpty, services, new: canCreate ? new : .empty))\
            \(part.pager(path))</div>
            """
        return .page(Page(title: title, current: .apps, body: body))
    }

    private static func unknownKeys(_ visit: Visit) -> HTML {
        visit.isPermitted(ListUnknownKeys.self) ? HTML.link(.unknownKeys, "/apps/unknown-keys") : .empty
    }

    private static func searchForm(
        _ search: String, _ service: String?, _ services: [ServiceView]
    ) -> HTML {
        let options = services.prefix(200).map { choice -> HTML in
            """
            <option value="\(choice.name)"\("selected", if: choice.name == service)>\(choice.label)</option>
            """
        }
        return HTML.search(
            "/apps", label: .find, value: search,
            fields: """
                <label class="hidden-text" for="service">\(Phrase.serviceField)</label>\
                <select class="input" id="service" name="service"><option value="">\(Phrase.anyService)\
                </option>\(Array(options))</select>
                """)
    }

    private static func content(
        _ apps: [AppView], isEmpty: Bool, _ services: [ServiceView], new: HTML
    ) -> HTML {
        guard apps.isEmpty else { return HTML.card(table: table(apps, withService: true)) }
        guard isEmpty else { return HTML.emptyState(.noMatch, .noMatchText) }
        return services.isEmpty
            ? HTML.emptyState(
                .noApp, .noServiceText, action: HTML.link(.services, NavigationItem.services.path))
            : HTML.emptyState(.noApp, .noAppText, action: new)
    }

    static func table(_ apps: [AppView], withService: Bool) -> HTML {
        var columns: [HTML.Column] = [.init(.app), .init(.platform), .init(.environment), .init(.connector)]
        if withService { columns.insert(.init(.serviceField), at: 1) }
        let rows = apps.map { app -> [HTML] in
            var cells: [HTML] = [
                "\(app.link)<small>\(HTML.code(app.name))</small>", "\(app.platform.title)",
                app.environment.badge, HTML.code(app.connector.rawValue),
            ]
            if withService { cells.insert("\(name: app.service)", at: 1) }
            return cells
        }
        return HTML.table(columns, rows, caption: .caption)
    }
}

/// Integration keys that devices sent but that no app has.
enum UnknownKeysPage {
    static func reply(_ visit: Visit) throws -> Reply {
        let keys = try visit.carryOut(ListUnknownKeys())
        let part = ListPart(of: keys, visit)
        let rows = part.items.map { key -> [HTML] in
            let others = key.appsOfOtherPlatforms.prefix(5).joined(separator: ", ")
            let note: HTML? = others.isEmpty ? nil : "<small>\(Phrase.otherPlatform(others))</small>"
            return [
                "\(key.integrationKey.map { "\(name: $0)" } ?? "\(Phrase.allFurther)")\(note)",
                "\(key.platform ?? "–")", "\(count: key.registrations)", "\(moment: key.firstAt)",
                "\(moment: key.lastAt)",
            ]
        }
        let content =
            keys.isEmpty
            ? HTML.emptyState(.noUnknown, .noUnknownText)
            : HTML.stack(
                HTML.note(.unknownText, tone: .warn),
                HTML.card(
                    table: HTML.table(
                        [
                            .init(.key), .init(.platform), .init(.refused, .number), .init(.first),
                            .init(.last),
                        ], rows, caption: .unknownKeys)), part.pager("/apps/unknown-keys"))
        let body: HTML = """
            \(HTML.pageHead(
                .unknownKeys, crumbs: [("\(NavigationItem.apps.title)", NavigationItem.apps.path)]))
            \(content)
            """
        return .page(Page(title: .unknownKeys, current: .apps, body: body))
    }
}

extension PushEnvironment {
    var title: Phrase {
        switch self {
        case .production: Phrase("Production", "Produktion")
        case .sandbox: Phrase("Sandbox", "Sandbox")
        }
    }
    var badge: HTML { HTML.badge(self == .sandbox ? .warn : .neutral, title) }
}

extension String {
    /// Whether the text contains another one, in upper or lower case.
    fileprivate func contains(anyCase text: String) -> Bool {
        lowercased().contains(text.lowercased())
    }
}

extension Phrase {
    fileprivate static let newApp = Phrase("New app", "Neue App")
    fileprivate static let unknownKeys = Phrase(
        "Unknown integration keys", "Unbekannte Integrationsschlüssel")
    fileprivate static let find = Phrase("Name contains", "Name enthält")
    fileprivate static let anyService = Phrase("All services", "Alle Dienste")
    fileprivate static let services = Phrase("Services", "Dienste")
    fileprivate static let noMatch = Phrase("No app matches", "Keine passende App")
    fileprivate static let noMatchText = Phrase(
        "Check the spelling, or choose another service.",
        "Prüfen Sie die Schreibweise, oder wählen Sie einen anderen Dienst.")
    fileprivate static let noApp = Phrase("There is no app yet", "Es gibt noch keine App")
    fileprivate static let noServiceText = Phrase(
        "An app belongs to a service. Create the service first.",
        "Eine App gehört zu einem Dienst. Legen Sie zuerst den Dienst an.")
    fileprivate static let noAppText = Phrase(
        "An app connects a service with Apple or Google. Its devices can register as soon as it exists.",
        "Eine App verbindet einen Dienst mit Apple oder Google. Danach können sich Geräte registrieren.")
    fileprivate static let app = Phrase("App", "App")
    fileprivate static let platform = Phrase("Platform", "Plattform")
    fileprivate static let environment = Phrase("Environment", "Umgebung")
    fileprivate static let connector = Phrase("Connector", "Konnektor")
    fileprivate static let caption = Phrase("Apps, by name", "Apps, nach Namen")
    fileprivate static let noUnknown = Phrase("All devices are known", "Alle Geräte sind bekannt")
    fileprivate static let noUnknownText = Phrase(
        "No device tried to register with a key that no app has. There is nothing to do.",
        "Kein Gerät wollte sich mit einem Schlüssel registrieren, den keine App hat. Es ist nichts zu tun.")
    fileprivate static let unknownText = Phrase(
        """
        Devices send these keys, but no app has them, so the devices are not registered. Add the key to \
        the right app, or correct the key in the app's code.
        """,
        """
        Geräte senden diese Schlüssel, aber keine App hat sie. Die Geräte sind deshalb nicht registriert. \
        Ergänzen Sie den Schlüssel bei der richtigen App, oder korrigieren Sie ihn im Code der App.
        """)
    fileprivate static let key = Phrase("Integration key", "Integrationsschlüssel")
    fileprivate static let allFurther = Phrase("All further keys", "Alle weiteren Schlüssel")
    fileprivate static func otherPlatform(_ apps: String) -> Phrase {
        let apps = isolated(apps)
        return Phrase("Key of \(apps) on another platform", "Schlüssel von \(apps) auf anderer Plattform")
    }
    fileprivate static let refused = Phrase("Refused", "Abgelehnt")
    fileprivate static let first = Phrase("First", "Zuerst")
    fileprivate static let last = Phrase("Last", "Zuletzt")
}
