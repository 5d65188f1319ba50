internal import PushAPI
internal import PushModel

/// The creation of an app in steps: platform → credential → connection test → integration.
struct AppCreation {
    static let stepTitles: [Phrase] = [
        Phrase("Platform", "Plattform"), Phrase("Credential", "Zugangsdaten"),
        Phrase("Connection test", "Verbindungstest"), Phrase("Integration", "Integration"),
    ]

    private let visit: Visit
    private let form: FormFields
    private let services: [ServiceView]
    private let platform: Platform?

    /// - Parameter form: What the person has typed in the steps so far.
    init(_ form: FormFields, _ visit: Visit) throws {
        (self.visit, self.form) = (visit, form)
        services = try visit.services()
        platform = form.given("platform").flatMap(Platform.init(rawValue:))
    }

    /// The steps as links.
    /// - Parameter app: The app, as soon as it exists.
    static func steps(_ current: Int, app: AppView? = nil) -> HTML {
        let paths: [ConsolePath?] = [
            nil, nil, app.map { $0.path(below: "test") }, app.map { $0.path(below: "integration") },
        ]
        return HTML.stepper(
            zip(stepTitles, paths).enumerated().map { index, step in
                HTML.Step(step.0, path: step.1, isDone: index < current)
            }, current: current)
    }

    private var crumbs: [(title: HTML, path: ConsolePath)] {
        [("\(NavigationItem.apps.title)", NavigationItem.apps.path)]
    }

    // MARK: Platform

    func platformPage(_ errors: FormErrors = FormErrors()) -> Page {
        let content: HTML
        if services.isEmpty {
            content = HTML.emptyState(
                .noService, .noServiceText, action: HTML.link(.newService, "/services/new"))
        } else {
            let fields = Fields(errors)
            let platforms = Platform.allCases.map { Fields.Choice($0.rawValue, $0.title) }
            let action: ConsolePath = "/apps/new/connection"
            content = HTML.card(
                body: """
                    <form class="stack" method="get" action="\(action)">\
                    \(fields.text(
                        .name, "name", value: form.exact("name") ?? "", hint: .nameHint, autocomplete: "off",
                        isRequired: true, maxLength: 256))\
                    \(fields.text(
                        .label, "label", value: form.exact("label") ?? "", hint: .labelHint,
                        autocomplete: "off", maxLength: 256))\
                    \(fields.service(services, value: form.given("service") ?? services[0].name))\
                    \(fields.select(.platform, "platform", platforms, value: platform?.rawValue ?? "ios"))\
                    \(HTML.formFoot(.next, back: NavigationItem.apps.path))</form>
                    """)
        }
        let body: HTML = """
            \(HTML.pageHead(.newApp, crumbs: crumbs))\(Self.steps(0))<div class="stack">\(content)</div>
            """
        return Page(title: .newApp, current: .apps, body: body)
    }

    private var platformErrors: FormErrors {
        var errors = FormErrors()
        if form.given("name") == nil { errors.add("name", .nameMissing) }
        if !services.contains(where: { $0.name == form.given("service") }) {
            errors.add("service", .serviceMissing)
        }
        if platform == nil { errors.add("platform", .platformMissing) }
        return errors
    }

    // MARK: Credential

    func connectionReply() -> Reply {
        let errors = platformErrors
        guard errors.isEmpty, let platform else { return .refused(422, platformPage(errors)) }
        return .page(connectionPage(platform))
    }

    private func connectionPage(_ platform: Platform, _ errors: FormErrors = FormErrors()) -> Page {
        let fields = Fields(errors)
        let name = form.given("name") ?? ""
        let kept = ["name", "label", "service", "platform"]
        let earlier = FormFields(
            kept.map { FormFields.Field(name: $0, value: form.exact($0) ?? "") })
        let own: Set<String> = CredentialFields.names.union(["integrationKey", "pair"])
        let back = kept.reduce("/apps/new" as ConsolePath) { path, name in
            switch name {
            case "name": path.with("name", form.given(name))
            case "label": path.with("label", form.given(name))
            case "service": path.with("service", form.given(name))
            default: path.with("platform", form.given(name))
            }
        }
        let pair: HTML? =
            platform == .ios
            ? fields.check(.pair, "pair", isOn: form.isOn("pair"), hint: .pairHint) : nil
        let note: HTML? = errors.isEmpty ? nil : HTML.note(.filesAgain, tone: .warn)
        let html = visit.form(action: "/apps/new/connection", hasFiles: true) {
            """
            \(Visit.hidden(earlier))\(fields.others(besides: own))\(note)\
            \(CredentialFields(platform).html(fields, form))\
            \(fields.text(
                .integrationKey, "integrationKey", value: form.exact("integrationKey") ?? name,
                hint: .integrationHint, autocomplete: "off", isRequired: true))\(pair)\
            \(HTML.formFoot(.create, back: back, backLabel: .back))
            """
        }
        let title: HTML = "\(Phrase.newApp) \(name: name)"
        let body: HTML = """
            \(HTML.pageHead(title, crumbs: crumbs, meta: ["\(platform.title)"]))\(Self.steps(1))\
            <div class="stack">\(HTML.card(body: html))</div>
            """
        return Page(title: .newApp, current: .apps, body: body)
    }

    func create() throws -> Reply {
        let early = platformErrors
        guard early.isEmpty, let platform else { return .refused(422, platformPage(early)) }
        var app = CreateApp()
        app.name = form.given("name") ?? ""
        app.service = form.given("service") ?? ""
        app.platform = platform
        app.fields.label = form.given("label")
        app.fields.integrationKey = form.given("integrationKey") ?? ""
        let connection = CredentialFields.connection(in: visit.request)
        app.fields.connector = connection.connector ?? ""
        app.fields.environment = connection.environment ?? .production
        app.fields.bundleId = connection.bundleId
        app.fields.credential = connection.credential
        app.pair = form.isOn("pair")
        do {
            let change = try visit.carryOut(app)
            return .redirect(change.app.path(below: "test"), notice: AppScreens.created)
        } catch let error as OperationError {
            let fields = CredentialFields.names.union(["integrationKey"])
            return .refused(422, connectionPage(platform, FormErrors(error, ofFields: fields)))
        }
    }
}

extension AppView {
    func path(below page: String) -> ConsolePath { "/apps/of/\(name)/\(page)" }
    func path(below page: String, _ part: String) -> ConsolePath { "/apps/of/\(name)/\(page)/\(part)" }
    var crumbs: [(title: HTML, path: ConsolePath)] {
        [("\(NavigationItem.apps.title)", NavigationItem.apps.path), ("\(name: displayName)", path)]
    }
}

extension Phrase {
    fileprivate static let newApp = Phrase("New app", "Neue App")
    fileprivate static let noService = Phrase("There is no service yet", "Es gibt noch keinen Dienst")
    fileprivate static let noServiceText = Phrase(
        "An app belongs to a service. Create the service first.",
        "Eine App gehört zu einem Dienst. Legen Sie zuerst den Dienst an.")
    fileprivate static let newService = Phrase("New service", "Neuer Dienst")
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let nameHint = Phrase(
        "For example shop-ios. Programs use it. It cannot be changed later.",
        "Zum Beispiel shop-ios. Programme verwenden ihn. Er lässt sich später nicht ändern.")
    fileprivate static let nameMissing = Phrase("Enter a name.", "Geben Sie einen Namen ein.")
    fileprivate static let label = Phrase("Label", "Anzeigename")
    fileprivate static let labelHint = Phrase(
        "Shown to people. If empty: the name.", "Wird Personen angezeigt. Wenn leer: der Name.")
    fileprivate static let serviceMissing = Phrase("Choose a service.", "Wählen Sie einen Dienst.")
    fileprivate static let platform = Phrase("Platform", "Plattform")
    fileprivate static let platformMissing = Phrase("Choose a platform.", "Wählen Sie eine Plattform.")
    fileprivate static let next = Phrase("Continue", "Weiter")
    fileprivate static let back = Phrase("Back", "Zurück")
    fileprivate static let filesAgain = Phrase(
        "Choose the files again: browsers do not keep them.",
        "Wählen Sie die Dateien erneut aus: Browser behalten sie nicht.")
    fileprivate static let integrationKey = Phrase("Integration key", "Integrationsschlüssel")
    fileprivate static let integrationHint = Phrase(
        "The app's code contains it. Any text that no other app has.",
        "Er steht im Code der App. Ein beliebiger Text, den keine andere App hat.")
    fileprivate static let pair = Phrase(
        "Also create an app for the sandbox", "Auch eine App für die Sandbox anlegen")
    fileprivate static let pairHint = Phrase(
        "For development builds, with the same key and the ending -sandbox",
        "Für Entwicklungsversionen, mit demselben Schlüssel und der Endung -sandbox")
    fileprivate static let create = Phrase("Create the app", "App anlegen")
}
