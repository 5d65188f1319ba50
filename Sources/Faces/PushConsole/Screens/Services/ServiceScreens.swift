internal import PushAPI
internal import PushModel
internal import PushWire

/// Services: list, creation, settings, and the subscriptions over time.
enum ServiceScreens: ScreenGroup {
    private static let created = Notice(
        "service.created",
        Phrase(
            "The service was created. Next, create an app for it.",
            "Der Dienst wurde angelegt. Legen Sie als Nächstes eine App dafür an."))
    private static let changed = Notice(
        "service.changed", Phrase("The service was changed.", "Der Dienst wurde geändert."))
    static let notices = [created, changed]

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/services", needs: .read) { visit in try list(visit) },
        ConsoleRoute(.get, "/services/new", needs: .admin) { visit in .page(creationPage(visit)) },
        ConsoleRoute(.post, "/services/new", needs: .admin, once: true) { visit in try create(visit) },
        ConsoleRoute(.get, "/services/of/{service}", needs: .read) { visit in
            .page(try page(visit, try service(visit)))
        },
        ConsoleRoute(.post, "/services/of/{service}", needs: .admin) { visit in try change(visit) },
        ConsoleRoute(.get, "/services/of/{service}/subscriptions", needs: .read, lengthy: true) { visit in
            try SubscriptionsPage.reply(visit, try service(visit))
        },
    ]

    private static func service(_ visit: Visit) throws -> ServiceView {
        guard visit.mayUse(service: visit.name("service")) else { throw Refusal.notFound }
        return try visit.ask(ShowService.self, ["name": visit.name("service")])
    }

    // MARK: List

    private static func list(_ visit: Visit) throws -> Reply {
        let services = try visit.services()
        let part = ListPart(of: services, visit)
        let title = NavigationItem.services.title
        let canCreate = visit.isPermitted(CreateService.self)
        let new = HTML.link(.newService, "/services/new", classes: "button-primary")
        let rows = part.items.map { service -> [HTML] in
            [
                "\(service.link)<small>\(name: service.fields.description ?? "")</small>",
                "<code>\(service.name)</code>", "\(count: service.apps.count)",
                "\(service.frequencyCap ?? Phrase.noCap.text)",
            ]
        }
        let content =
            services.isEmpty
            ? HTML.emptyState(.noService, .noServiceText, action: canCreate ? new : .empty)
            : HTML.card(
                table: HTML.table(
                    [.init(.service), .init(.name), .init(.apps, .number), .init(.cap)], rows,
                    caption: .caption))
        let body: HTML = """
            \(HTML.pageHead(title, actions: canCreate && !services.isEmpty ? new : .empty))
            <div class="stack">\(content)\(part.pager("/services"))</div>
            """
        return .page(Page(title: title, current: .services, body: body))
    }

    // MARK: Creation

    private static func creationPage(_ visit: Visit, _ errors: FormErrors = FormErrors()) -> Page {
        let fields = Fields(errors)
        let form = visit.form(action: "/services/new") {
            """
            \(fields.others(besides: fieldNames))\
            \(fields.text(
                .name, "name", value: visit.form.exact("name") ?? "", hint: .nameHint, autocomplete: "off",
                isRequired: true, maxLength: 256))\
            \(settings(fields) { visit.form.exact($0) ?? "" })\
            \(HTML.formFoot(.create, back: "/services"))
            """
        }
        let head = HTML.pageHead(
            .newService,
            crumbs: [("\(NavigationItem.services.title)", NavigationItem.services.path)])
        return Page(
            title: .newService, current: .services,
            body: "\(head)<div class=\"stack\">\(HTML.card(body: form))</div>")
    }

    private static let fieldNames: Set = ["name", "label", "frequencyCap", "description"]

    private static func settings(_ fields: Fields, _ value: (String) -> String) -> HTML {
        """
        \(fields.text(
            .label, "label", value: value("label"), hint: .labelHint, autocomplete: "off", maxLength: 256))\
        \(fields.text(
            .cap, "frequencyCap", value: value("frequencyCap"), hint: .capHint, autocomplete: "off"))\
        \(fields.text(
            .description, "description", value: value("description"), autocomplete: "off", maxLength: 256))
        """
    }

    /// The settings that a form contains. An empty field means the default.
    private static func given(_ visit: Visit) -> [JSONMember] {
        ["label", "frequencyCap", "description"].map { name in
            JSONMember(key: name, value: visit.form.given(name).map(JSONValue.string) ?? .null)
        }
    }

    private static func create(_ visit: Visit) throws -> Reply {
        let name = JSONMember(key: "name", value: .string(visit.form.given("name") ?? ""))
        do {
            let service = try visit.ask(CreateService.self, body: .object([name] + given(visit)))
            return .redirect(service.path, notice: created)
        } catch let error as OperationError {
            return .refused(422, creationPage(visit, FormErrors(error, ofFields: fieldNames)))
        }
    }

    // MARK: A service

    private static func change(_ visit: Visit) throws -> Reply {
        let service = try service(visit)
        do {
            let changed = try visit.ask(
                UpdateService.self, ["name": service.name], body: .object(given(visit)))
            return .redirect(changed.path, notice: Self.changed)
        } catch let error as OperationError {
            return .refused(422, try page(visit, service, FormErrors(error, ofFields: fieldNames)))
        }
    }

    private static func page(
        _ visit: Visit, _ service: ServiceView, _ errors: FormErrors = FormErrors()
    ) throws -> Page {
        let apps = try visit.apps().filter { $0.service == service.name }
        let part = ListPart(of: apps, visit)
        let canCreate = visit.isPermitted(CreateApp.self)
        let new = HTML.link(.newApp, "/apps/new?service=\(service.name)", classes: "button-primary")
        let content =
            apps.isEmpty
            ? HTML.emptyState(.noApp, .noAppText, action: canCreate ? new : .empty)
            : HTML.card(.apps, id: "apps", table: AppListPage.table(part.items, withService: false))
        let head = HTML.pageHead(
            "\(name: service.label)" as HTML,
            crumbs: [("\(NavigationItem.services.title)", NavigationItem.services.path)],
            meta: [
                "<code>\(service.name)</code>", "\(service.frequencyCap ?? Phrase.noCap.text)",
                "\(name: service.fields.description ?? "")",
            ],
            actions: """
                \(HTML.link(.subscriptions, service.path(below: "subscriptions")))\
                \(canCreate && !apps.isEmpty ? new : .empty)
                """)
        let body: HTML = """
            \(head)
            <div class="split"><div class="stack">\(content)\(part.pager(service.path))</div>
            <aside class="stack">\(settingsCard(visit, service, errors))</aside></div>
            """
        return Page(title: service.label, current: .services, body: body)
    }

    private static func settingsCard(_ visit: Visit, _ service: ServiceView, _ errors: FormErrors) -> HTML {
        guard visit.isPermitted(UpdateService.self) else { return .empty }
        let present = [
            "label": service.fields.label ?? "", "frequencyCap": service.frequencyCap ?? "",
            "description": service.fields.description ?? "",
        ]
        let fields = Fields(errors)
        let form = visit.form(action: service.path) {
            """
            \(fields.others(besides: ["label", "frequencyCap", "description"]))\
            \(settings(fields) { visit.form.exact($0) ?? present[$0] ?? "" })\
            <div class="row"><button class="button">\(Phrase.save)</button></div>
            """
        }
        return HTML.card(.settings, id: "settings", body: form)
    }
}

extension ServiceView {
    var path: ConsolePath { "/services/of/\(name)" }
    var link: HTML { "<a href=\"\(path)\">\(name: label)</a>" }
    func path(below page: String) -> ConsolePath { "/services/of/\(name)/\(page)" }
}

extension Phrase {
    fileprivate static let newService = Phrase("New service", "Neuer Dienst")
    fileprivate static let noService = Phrase("There is no service yet", "Es gibt noch keinen Dienst")
    fileprivate static let noServiceText = Phrase(
        "A service groups the apps that get the same deliveries, such as an iOS app and an Android app.",
        "Ein Dienst fasst die Apps zusammen, die dieselben Zustellungen bekommen, etwa für iOS und Android.")
    fileprivate static let service = Phrase("Service", "Dienst")
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let nameHint = Phrase(
        "Documents and programs use it. It cannot be changed later.",
        "Dokumente und Programme verwenden ihn. Er lässt sich später nicht ändern.")
    fileprivate static let label = Phrase("Label", "Anzeigename")
    fileprivate static let labelHint = Phrase(
        "Shown to people. If empty: the name.", "Wird Personen angezeigt. Wenn leer: der Name.")
    fileprivate static let apps = Phrase("Apps", "Apps")
    fileprivate static let cap = Phrase(
        "Frequency cap", "Häufigkeitsgrenze")
    fileprivate static let capHint = Phrase(
        "Per device, for example 3 in 7d. If empty: any number.",
        "Pro Gerät, zum Beispiel 3 in 7d. Wenn leer: beliebig viele.")
    fileprivate static let noCap = Phrase("Any number of messages", "Beliebig viele Nachrichten")
    fileprivate static let description = Phrase("Description", "Beschreibung")
    fileprivate static let create = Phrase("Create the service", "Dienst anlegen")
    fileprivate static let caption = Phrase("Services, by name", "Dienste, nach Namen")
    fileprivate static let newApp = Phrase("New app", "Neue App")
    fileprivate static let noApp = Phrase("There is no app yet", "Es gibt noch keine App")
    fileprivate static let noAppText = Phrase(
        "A delivery reaches the subscribers of the service's apps. Create an app first.",
        "Eine Zustellung erreicht die Abonnenten der Apps des Dienstes. Legen Sie zuerst eine App an.")
    fileprivate static let subscriptions = Phrase("Subscriptions over time", "Abonnements im Zeitverlauf")
    fileprivate static let settings = Phrase("Settings", "Einstellungen")
    fileprivate static let save = Phrase("Save", "Speichern")
}
