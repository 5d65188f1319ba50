internal import PushAPI
internal import PushModel

/// The test of an app's connection, and the change to another connection.
enum AppConnectionPages {
    // MARK: Test

    /// - Parameter result: The result of the test; `nil` before it.
    static func testPage(
        _ visit: Visit, _ result: TestedApp?, _ errors: FormErrors = FormErrors()
    ) throws -> Page {
        let app = try visit.app()
        let outcome = result.map { lines($0) }
        let button: HTML =
            visit.isPermitted(TestApp.self)
            ? visit.button(
                result == nil ? .test : .testAgain, action: app.path(below: "test"),
                classes: result?.succeeded == true ? "" : "button-primary") : .empty
        let isAccepted = result?.succeeded == true
        let body: HTML = """
            \(HTML.pageHead(.title, crumbs: app.crumbs, meta: [HTML.code(app.connector.rawValue)]))\
            \(AppCreation.steps(2, app: app))
            <div class="stack">\(HTML.errors(errors))\(outcome)\
            \(HTML.card(
                body: """
                    <div class="stack"><p>\(Phrase.testText)</p><div class="row">\(button)\
                    \(HTML.link(
                        .integration, app.path(below: "integration"),
                        classes: isAccepted ? "button-primary" : ""))\
                    \(HTML.link(.toApp, app.path))</div></div>
                    """))</div>
            """
        return Page(title: .title, of: app.displayName, current: .apps, body: body)
    }

    private static func lines(_ result: TestedApp) -> HTML {
        let items = result.lines.prefix(50).map { "<li lang=\"en\">\($0)</li>" as HTML }
        let badge =
            result.succeeded
            ? HTML.announced("test", HTML.badge(.good, .accepted))
            : HTML.announced("test", HTML.badge(.bad, .refused))
        let next: HTML? = result.succeeded ? nil : "<p>\(Phrase.refusedText)</p>"
        return HTML.card(
            .result, id: "result", body: "<p>\(badge)</p><ol class=\"small\">\(Array(items))</ol>\(next)")
    }

    static func test(_ visit: Visit) throws -> Reply {
        let app = try visit.app()
        do {
            return .page(try testPage(visit, try visit.carryOut(TestApp(name: app.name))))
        } catch let error as OperationError {
            return .refused(422, try testPage(visit, nil, FormErrors(error)))
        }
    }

    // MARK: Change

    static func switchPage(_ visit: Visit, _ errors: FormErrors = FormErrors()) throws -> Page {
        let app = try visit.app()
        let details = try visit.carryOut(ShowApp(name: app.name, countsSubscribers: false))
        let fields = Fields(errors)
        let own = CredentialFields.names.union(["untested"])
        let note: HTML? = errors.isEmpty ? nil : HTML.note(.filesAgain, tone: .warn)
        let form = visit.form(action: app.path(below: "connection"), hasFiles: true) {
            """
            \(fields.others(besides: own))\(note)\
            \(CredentialFields(app.platform).html(
                fields, visit.form, present: (app.connector.rawValue, app.environment.rawValue)))\
            \(fields.check(
                .untested, "untested", isOn: visit.form.isOn("untested"), hint: .untestedHint))\
            \(HTML.formFoot(.change, back: app.path))
            """
        }
        let body: HTML = """
            \(HTML.pageHead(.changeTitle, crumbs: app.crumbs))
            <div class="split"><div class="stack">\(HTML.card(body: form))</div>
            <aside class="stack">\(former(visit, app, details))\
            \(HTML.emptyState(.whatHappens, .whatHappensText))</aside></div>
            """
        return Page(title: .changeTitle, of: app.displayName, current: .apps, body: body)
    }

    private static func former(_ visit: Visit, _ app: AppView, _ details: AppDetails) -> HTML {
        guard let former = details.formerConnection else { return .empty }
        let facts = HTML.facts([
            (.connector, HTML.code(former.connector.rawValue)), (.environment, "\(former.environment.title)"),
            (.credential, former.credential.map { "\(name: $0)" } ?? "–"),
            (.until, "\(moment: former.replacedAt)"),
        ])
        return HTML.card(
            .former, id: "former", body: facts,
            foot: visit.button(
                .back, action: app.path(below: "connection", "back"), classes: "button-small"))
    }

    static func change(_ visit: Visit) throws -> Reply {
        let app = try visit.app()
        var connection = CredentialFields.connection(in: visit.request)
        // What stays as it is is not a change.
        if connection.connector == app.connector.rawValue { connection.connector = nil }
        if connection.environment == app.environment { connection.environment = nil }
        guard connection != ConnectionFields() else {
            return .refused(422, try switchPage(visit, FormErrors(.nothingChanged)))
        }
        let isUntested = visit.form.isOn("untested")
        do {
            _ = try visit.carryOut(
                SwitchApp(name: app.name, connection: connection, skipsTest: isUntested))
        } catch let error as OperationError {
            let errors = FormErrors(error, ofFields: CredentialFields.names)
            return .refused(422, try switchPage(visit, errors))
        }
        return .redirect(
            app.path, notice: isUntested ? AppScreens.switchedUntested : AppScreens.switched)
    }

    static func changeBack(_ visit: Visit) throws -> Reply {
        let app = try visit.app()
        do { _ = try visit.carryOut(SwitchAppBack(name: app.name)) } catch let error as OperationError {
            return .refused(422, try switchPage(visit, FormErrors(error)))
        }
        return .redirect(app.path, notice: AppScreens.switched)
    }
}

/// What the developer of an app needs.
enum IntegrationPage {
    static func reply(_ visit: Visit) throws -> Reply {
        let app = try visit.app()
        let integration = try visit.carryOut(ShowAppIntegration(name: app.name))
        let warnings = integration.warnings.map { HTML.note(HTML.inEnglish($0), tone: .warn) }.joined()
        let facts: [(Phrase, String?)] = [
            (.integrationKey, app.integrationKey), (.marketingUrl, integration.marketingUrl),
            (.trackingUrl, integration.trackingUrl), (.server, integration.server),
            (.registrationUrl, integration.registrationUrl), (.reportUrl, integration.reportUrl),
        ]
        let values = facts.compactMap { term, value in
            value.map { (term: term, value: HTML.code($0)) }
        }
        let snippets = integration.snippets.enumerated().map { index, snippet -> HTML in
            HTML.card(
                Phrase(same: snippet.title), id: "snippet-\(index)", note: HTML.code(snippet.language),
                body: """
                    <pre lang="en"><code>\(snippet.code)</code></pre>
                    """)
        }
        let code: HTML =
            snippets.isEmpty ? HTML.emptyState(.noCode, .noCodeText) : snippets.joined()
        let body: HTML = """
            \(HTML.pageHead(
                .integrationTitle, crumbs: app.crumbs, actions: HTML.link(.toApp, app.path)))\
            \(AppCreation.steps(3, app: app))
            <div class="stack">\(warnings)<p>\(Phrase.integrationText)</p>\
            \(HTML.card(.addresses, id: "addresses", body: HTML.facts(values)))\(code)</div>
            """
        return .page(Page(title: .integrationTitle, of: app.displayName, current: .apps, body: body))
    }
}

extension Phrase {
    fileprivate static let title = Phrase("Connection test", "Verbindungstest")
    fileprivate static let test = Phrase("Test the connection", "Verbindung testen")
    fileprivate static let testAgain = Phrase("Test the connection again", "Verbindung erneut testen")
    fileprivate static let testText = Phrase(
        """
        The test connects to the gateway with the app's credential. No device receives anything. It takes \
        up to a minute.
        """,
        """
        Der Test verbindet sich mit den Zugangsdaten der App mit dem Gateway. Kein Gerät empfängt etwas. \
        Er dauert bis zu einer Minute.
        """)
    fileprivate static let integration = Phrase("Integration", "Integration")
    fileprivate static let toApp = Phrase("To the app", "Zur App")
    fileprivate static let result = Phrase("Result", "Ergebnis")
    fileprivate static let accepted = Phrase(
        "The gateway accepted the credential", "Das Gateway hat die Zugangsdaten angenommen")
    fileprivate static let refused = Phrase(
        "The gateway did not accept the credential", "Das Gateway hat die Zugangsdaten nicht angenommen")
    fileprivate static let refusedText = Phrase(
        "Correct the credential with Change the connection on the app's page, and test again.",
        "Korrigieren Sie die Zugangsdaten auf der Seite der App unter Verbindung ändern, und testen Sie neu.")
    fileprivate static let filesAgain = Phrase(
        "Choose the files again: browsers do not keep them.",
        "Wählen Sie die Dateien erneut aus: Browser behalten sie nicht.")
    fileprivate static let changeTitle = Phrase("Change the connection", "Verbindung ändern")
    fileprivate static let untested = Phrase("Change without a test", "Ohne Test ändern")
    fileprivate static let untestedHint = Phrase(
        "Only if the gateway cannot be reached now. If the credential is wrong, messages wait.",
        "Nur wenn das Gateway jetzt nicht erreichbar ist. Bei falschen Zugangsdaten warten Nachrichten.")
    fileprivate static let change = Phrase("Test and change", "Testen und ändern")
    fileprivate static let nothingChanged = Phrase(
        "Nothing is different. Choose another connector or credential, or go back.",
        "Nichts ist anders. Wählen Sie einen anderen Konnektor, andere Zugangsdaten, oder gehen Sie zurück.")
    fileprivate static let whatHappens = Phrase("What happens", "Was geschieht")
    fileprivate static let whatHappensText = Phrase(
        """
        The new connection is tested first. If the gateway does not accept it, nothing changes. Subscribers \
        and deliveries stay. You can change back to the former connection.
        """,
        """
        Zuerst wird die neue Verbindung getestet. Nimmt das Gateway sie nicht an, ändert sich nichts. \
        Abonnenten und Zustellungen bleiben. Sie können zur früheren Verbindung zurückkehren.
        """)
    fileprivate static let former = Phrase("Former connection", "Frühere Verbindung")
    fileprivate static let connector = Phrase("Connector", "Konnektor")
    fileprivate static let environment = Phrase("Environment", "Umgebung")
    fileprivate static let credential = Phrase("Credential", "Zugangsdaten")
    fileprivate static let until = Phrase("Used until", "Verwendet bis")
    fileprivate static let back = Phrase("Test and change back", "Testen und zurückwechseln")
    fileprivate static let integrationTitle = Phrase("Integration", "Integration")
    fileprivate static let integrationText = Phrase(
        "Give this page to the developer of the app. Devices appear among the subscribers as they register.",
        "Geben Sie diese Seite der Entwicklung der App. Registrierte Geräte erscheinen bei den Abonnenten.")
    fileprivate static let addresses = Phrase("Addresses and keys", "Adressen und Schlüssel")
    fileprivate static let integrationKey = Phrase("Integration key", "Integrationsschlüssel")
    fileprivate static let marketingUrl = Phrase("Marketing host", "Marketing-Host")
    fileprivate static let trackingUrl = Phrase("Tracking host", "Tracking-Host")
    fileprivate static let server = Phrase("Server for Adobe's SDK", "Server für Adobes SDK")
    fileprivate static let registrationUrl = Phrase("Registration", "Registrierung")
    fileprivate static let reportUrl = Phrase("Reports of devices", "Meldungen der Geräte")
    fileprivate static let noCode = Phrase("No code for this platform", "Kein Code für diese Plattform")
    fileprivate static let noCodeText = Phrase(
        "The connector's own program registers and reports over the HTTP API.",
        "Das Programm des Konnektors registriert und meldet über die HTTP-API.")
}
