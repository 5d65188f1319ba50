internal import PushAPI
internal import PushModel

/// The page of an app: whether it is connected, and what its messages and its devices may contain.
struct AppPage {
    static let maxItems = 200

    private let visit: Visit
    private let details: AppDetails
    private var app: AppView { details.app }
    private let mayChange: Bool

    init(_ visit: Visit) throws {
        self.visit = visit
        // Throws if the person may not see the app.
        let name = try visit.app().name
        details = try visit.carryOut(ShowApp(name: name, countsSubscribers: false))
        mayChange = visit.isPermitted(UpdateApp.self)
    }

    /// - Parameters:
    ///   - errors: The errors of a form of this page.
    ///   - list: The list whose form was submitted; its fields keep what was typed.
    func page(_ errors: FormErrors = FormErrors(), of list: AppItemList? = nil) -> Page {
        let lists = AppItemList.allCases.map { kind in
            AppItemCard(kind, app, visit, errors: kind == list ? errors : FormErrors(), mayChange: mayChange)
                .html
        }
        let own = list == nil ? errors : FormErrors()
        let general = HTML.errors(own.outside(["label", "added"]), of: own)
        let body: HTML = """
            \(HTML.pageHead(
                "\(name: app.displayName)" as HTML,
                crumbs: [("\(NavigationItem.apps.title)", NavigationItem.apps.path)], meta: meta,
                actions: actions))
            <div class="split"><div class="stack">\(general)\(undeclared)\(connection)\(lists)</div>
            <aside class="stack">\(integrationKeys(Fields(own)))\(appearance(Fields(own)))</aside></div>
            """
        return Page(title: app.displayName, current: .apps, body: body)
    }

    private var meta: [HTML] {
        [
            HTML.code(app.name), "\(app.platform.title)", app.environment.badge,
            "<a href=\"\("/services/of/\(app.service)" as ConsolePath)\">\(name: app.service)</a>",
        ]
    }

    private var actions: HTML {
        var actions: HTML = """
            \(HTML.link(.integration, app.path(below: "integration")))\
            \(HTML.link(.subscribers, "/subscribers?app=\(app.name)"))
            """
        if visit.isPermitted(ImportSubscribers.self) {
            actions += HTML.link(.importList, "/imports?app=\(app.name)")
        }
        return actions
    }

    // MARK: Connection

    private var connection: HTML {
        let facts: [(term: Phrase, value: HTML)] = [
            (.connector, HTML.code(app.connector.rawValue)), (.environment, "\(app.environment.title)"),
            (.bundleId, app.bundleId.map { "\(name: $0)" } ?? "–"),
            (.credential, app.credential.map { "\(name: $0)" } ?? "\(Phrase.none)"),
        ]
        var parts = HTML.facts(facts)
        if let pair = details.pairedWith {
            parts += "<p class=\"small\">\(Phrase.pairedWith) \(name: pair)</p>"
        }
        let links: HTML? =
            mayChange
            ? """
            <div class="row">\(HTML.link(.test, app.path(below: "test")))\
            \(HTML.link(.switchTo, app.path(below: "connection")))</div>
            """ : nil
        return HTML.card(.connection, id: "app-connection", body: parts, foot: links)
    }

    // MARK: Integration keys

    private func integrationKeys(_ fields: Fields) -> HTML {
        let keys = [app.integrationKey, app.formerIntegrationKey].compactMap(\.self)
        let rows = keys.map { key -> [HTML] in
            let state = details.integrationKeys.first { $0.key == key }
            let use: HTML? = state.map { state in
                let last: HTML? = state.lastAt.map { ", \(Phrase.lastAt) \(moment: $0)" }
                return "<small>\(Phrase.registrations(state.registrations))\(last)</small>"
            }
            let inUse: HTML? = state.map {
                $0.isInUse ? HTML.badge(.good, .inUse) : HTML.badge(.neutral, .notInUse)
            }
            return ["\(name: key)\(use)", "\(inUse)", keys.count > 1 ? retire(key) : .empty]
        }
        let shared: HTML? =
            details.integrationKeySharedWith.isEmpty
            ? nil
            : HTML.note(
                .shared(details.integrationKeySharedWith.prefix(5).joined(separator: ", ")), tone: .warn)
        return HTML.card(
            .integrationKeys, id: "keys", body: shared,
            table: HTML.table([.init(.key), .init(.use), .actions], rows), foot: addKey(keys.count, fields))
    }

    private func retire(_ key: String) -> HTML {
        guard mayChange else { return .empty }
        return visit.form(action: app.path(below: "keys"), classes: "inline") {
            """
            <input type="hidden" name="retired" value="\(key)">\
            <button class="button button-small">\(Phrase.retire)\
            <span class="hidden-text"> \(name: key)</span></button>
            """
        }
    }

    private func addKey(_ count: Int, _ fields: Fields) -> HTML? {
        guard mayChange, count == 1 else { return nil }
        return visit.form(action: app.path(below: "keys")) {
            """
            \(fields.text(
                .newKey, "added", value: visit.form.exact("added") ?? "", hint: .newKeyHint,
                autocomplete: "off", isRequired: true))\
            <div class="row"><button class="button button-small">\(Phrase.addKey)</button></div>
            """
        }
    }

    // MARK: Label and icon

    private func appearance(_ fields: Fields) -> HTML {
        let icon: HTML =
            app.icon == nil
            ? "<p class=\"small muted\">\(Phrase.noIcon)</p>"
            : "<img src=\"\(app.path(below: "icon"))\" width=\"64\" height=\"64\" alt=\"\(Phrase.icon)\">"
        guard mayChange else { return HTML.card(.appearance, id: "appearance", body: icon) }
        let label = visit.form(action: app.path(below: "label")) {
            """
            \(fields.text(
                .label, "label", value: visit.form.exact("label") ?? app.label ?? "", hint: .labelHint,
                autocomplete: "off", maxLength: 256))\
            <div class="row"><button class="button button-small">\(Phrase.save)</button></div>
            """
        }
        let upload = visit.form(action: app.path(below: "icon"), hasFiles: true) {
            """
            \(Fields().file(.newIcon, "icon", accept: ".png,image/png", hint: .iconHint))\
            <div class="row"><button class="button button-small">\(Phrase.saveIcon)</button></div>
            """
        }
        let remove: HTML? =
            app.icon == nil
            ? nil
            : visit.form(action: app.path(below: "icon"), classes: "inline") {
                """
                <input type="hidden" name="remove" value="1">\
                <button class="button button-small">\(Phrase.removeIcon)</button>
                """
            }
        return HTML.card(
            .appearance, id: "appearance",
            body: "<div class=\"stack\">\(icon)\(label)\(upload)\(remove)</div>")
    }

    // MARK: Undeclared parameters

    private var undeclared: HTML {
        guard !details.undeclaredNames.isEmpty else { return .empty }
        let rows = details.undeclaredNames.prefix(Self.maxItems).map { parameter -> [HTML] in
            [
                parameter.name.map { "\(name: $0)" } ?? "\(Phrase.furtherNames)",
                "\(count: parameter.registrations)", parameter.name.map(declare) ?? .empty,
            ]
        }
        return HTML.card(
            .undeclared, id: "undeclared", body: HTML.note(.undeclaredText, tone: .warn),
            table: HTML.table(
                [.init(.parameter), .init(.registrationsColumn, .number), .actions], Array(rows)))
    }

    private func declare(_ name: String) -> HTML {
        guard mayChange else { return .empty }
        return visit.form(action: app.path(below: "items", "parameters"), classes: "inline") {
            """
            <input type="hidden" name="\(AppItemList.parameters.field("name"))" value="\(name)">\
            <button class="button button-small" name="action" value="add">\(Phrase.declare)\
            <span class="hidden-text"> \(name: name)</span></button>
            """
        }
    }
}

extension Phrase {
    fileprivate static let integration = Phrase("Integration", "Integration")
    fileprivate static let subscribers = Phrase("Subscribers", "Abonnenten")
    fileprivate static let importList = Phrase("Import a list", "Liste importieren")
    fileprivate static let connection = Phrase("Connection", "Verbindung")
    fileprivate static let connector = Phrase("Connector", "Konnektor")
    fileprivate static let environment = Phrase("Environment", "Umgebung")
    fileprivate static let bundleId = Phrase("Bundle id", "Bundle-ID")
    fileprivate static let credential = Phrase("Credential", "Zugangsdaten")
    fileprivate static let none = Phrase("None", "Keine")
    fileprivate static let pairedWith = Phrase(
        "A pair with the app for the other environment:", "Ein Paar mit der App der anderen Umgebung:")
    fileprivate static let test = Phrase("Test", "Testen")
    fileprivate static let switchTo = Phrase("Change the connection", "Verbindung ändern")
    fileprivate static let integrationKeys = Phrase("Integration keys", "Integrationsschlüssel")
    fileprivate static let key = Phrase("Key", "Schlüssel")
    fileprivate static let use = Phrase("Use", "Verwendung")
    fileprivate static let lastAt = Phrase("last", "zuletzt")
    fileprivate static func registrations(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 registration", "1 Registrierung")) {
            Phrase("\($0) registrations", "\($0) Registrierungen")
        }
    }
    fileprivate static let inUse = Phrase("In use", "In Gebrauch")
    fileprivate static let notInUse = Phrase("Not used for 30 days", "Seit 30 Tagen ungenutzt")
    fileprivate static let retire = Phrase("Retire", "Zurückziehen")
    fileprivate static let newKey = Phrase("Second key", "Zweiter Schlüssel")
    fileprivate static let newKeyHint = Phrase(
        "For a new build of the app. Devices can register with both keys until you retire one.",
        "Für eine neue Version der App. Geräte registrieren sich mit beiden, bis Sie einen zurückziehen.")
    fileprivate static let addKey = Phrase("Add the key", "Schlüssel hinzufügen")
    fileprivate static func shared(_ apps: String) -> Phrase {
        let apps = isolated(apps)
        return Phrase(
            "Other apps have the same key: \(apps). Give each app its own key.",
            "Andere Apps haben denselben Schlüssel: \(apps). Geben Sie jeder App einen eigenen.")
    }
    fileprivate static let appearance = Phrase("Name and icon", "Name und Symbol")
    fileprivate static let noIcon = Phrase(
        "No icon. Previews show a grey square.", "Kein Symbol. Vorschauen zeigen ein graues Quadrat.")
    fileprivate static let icon = Phrase("The app's icon", "Das Symbol der App")
    fileprivate static let label = Phrase("Label", "Anzeigename")
    fileprivate static let labelHint = Phrase(
        "Shown to people. If empty: the name.", "Wird Personen angezeigt. Wenn leer: der Name.")
    fileprivate static let save = Phrase("Save the label", "Anzeigenamen speichern")
    fileprivate static let newIcon = Phrase("New icon", "Neues Symbol")
    fileprivate static let iconHint = Phrase(
        "A PNG image, at least 48 × 48 pixels and at most 256 KiB",
        "Ein PNG-Bild, mindestens 48 × 48 Pixel und höchstens 256 KiB")
    fileprivate static let saveIcon = Phrase("Save the icon", "Symbol speichern")
    fileprivate static let removeIcon = Phrase("Remove the icon", "Symbol entfernen")
    fileprivate static let undeclared = Phrase("Undeclared parameters", "Nicht deklarierte Parameter")
    fileprivate static let undeclaredText = Phrase(
        """
        Devices sent these parameters, but the app does not declare them, so their values are not stored. \
        Declare them, or correct the names in the app's code.
        """,
        """
        Geräte haben diese Parameter gesendet, aber die App deklariert sie nicht. Ihre Werte sind deshalb \
        nicht gespeichert. Deklarieren Sie sie, oder korrigieren Sie die Namen im Code der App.
        """)
    fileprivate static let furtherNames = Phrase("Further names", "Weitere Namen")
    fileprivate static let parameter = Phrase("Parameter", "Parameter")
    fileprivate static let registrationsColumn = Phrase("Registrations", "Registrierungen")
    fileprivate static let declare = Phrase("Declare as text", "Als Text deklarieren")
}
