internal import PushAPI
internal import PushModel
internal import PushWire

/// Webhooks: whether their receivers keep up, and everything that changes them.
enum WebhookScreens: ScreenGroup {
    static let notices = [changed, accepted, alreadyRotated, deleted]
    private static let changed = Notice("webhook.changed", .changed)
    private static let accepted = Notice("webhook.accepted", .accepted)
    private static let alreadyRotated = Notice("webhook.rotated", .alreadyRotated, tone: .warn)
    private static let deleted = Notice("webhook.deleted", .deleted)

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/webhooks", needs: .admin) { visit in .page(try WebhookPages.list(visit)) },
        ConsoleRoute(.get, "/webhooks/new", needs: .admin) { visit in
            .page(try WebhookForm(visit, webhook: nil).page())
        },
        ConsoleRoute(.post, "/webhooks/new", needs: .admin, guarded: true, once: true) { visit in
            let attempt = try visit.attempt(fields: WebhookForm.fields) {
                let body = [JSONMember(key: "name", value: .string(visit.form["name"] ?? ""))]
                return try visit.carryOut(
                    CreateWebhook.request(body: body + WebhookForm.members(visit.form, isNew: true)))
            }
            switch attempt {
            case .done(let new): return .outcome(WebhookPages.secret(new, .createdTitle))
            case .refused(let errors):
                return .refused(422, try WebhookForm(visit, webhook: nil).page(visit.form, errors))
            }
        },
        ConsoleRoute(.get, "/webhooks/{name}", needs: .admin) { visit in
            .page(try WebhookPages.show(visit, try webhook(visit)))
        },
        ConsoleRoute(.post, "/webhooks/{name}", needs: .admin, guarded: true, answer: update),
        ConsoleRoute(.post, "/webhooks/{name}/test", needs: .admin, lengthy: true, once: true) { visit in
            var test = TestWebhook()
            test.name = visit.name("name")
            let answer = try visit.carryOut(test)
            if answer.taken { return .redirect("/webhooks/\(test.name)", notice: accepted) }
            return .outcome(try WebhookPages.show(visit, try webhook(visit), testAnswer: answer.answer))
        },
        ConsoleRoute(.get, "/webhooks/{name}/rotate-secret", needs: .admin) { visit in
            .page(WebhookPages.rotation(visit, try webhook(visit)))
        },
        ConsoleRoute(.post, "/webhooks/{name}/rotate-secret", needs: .admin, guarded: true, once: true) {
            visit in
            var rotate = RotateWebhookSecret()
            rotate.name = visit.name("name")
            // A form that is submitted twice, such as after going back, changes the secret once.
            guard visit.form["until"] ?? "" == WebhookPages.rotationMark(try webhook(visit)) else {
                return .redirect("/webhooks/\(rotate.name)", notice: alreadyRotated)
            }
            return .outcome(WebhookPages.secret(try visit.carryOut(rotate), .rotatedTitle))
        },
        ConsoleRoute(.get, "/webhooks/{name}/delete", needs: .admin) { visit in
            .page(WebhookPages.deletion(visit, try webhook(visit)))
        },
        ConsoleRoute(.post, "/webhooks/{name}/delete", needs: .admin, guarded: true) { visit in
            var delete = DeleteWebhook()
            delete.name = visit.name("name")
            _ = try visit.carryOut(delete)
            return .redirect("/webhooks", notice: deleted)
        },
    ]

    private static func webhook(_ visit: Visit) throws -> WebhookView {
        var show = ShowWebhook()
        show.name = visit.name("name")
        return try visit.carryOut(show)
    }

    @Sendable private static func update(_ visit: Visit) throws -> Reply {
        let name = visit.name("name")
        let attempt = try visit.attempt(fields: WebhookForm.fields) {
            try visit.carryOut(
                UpdateWebhook.request(
                    ["name": name], body: WebhookForm.members(visit.form, isNew: false)))
        }
        switch attempt {
        case .done: return .redirect("/webhooks/\(name)", notice: changed)
        case .refused(let errors):
            let webhook = try webhook(visit)
            return .refused(422, try WebhookPages.show(visit, webhook, visit.form, errors))
        }
    }
}

/// The fields of a webhook in a form.
struct WebhookForm {
    static let fields: Set = ["name", "url", "events", "service", "authorities", "enabled"]
    private let visit: Visit
    private let webhook: WebhookView?
    private let services: [ServiceView]

    /// - Parameter webhook: The webhook to change; `nil` for a new one.
    init(_ visit: Visit, webhook: WebhookView?) throws {
        self.visit = visit
        self.webhook = webhook
        services = try visit.carryOut(ListServices())
    }

    static func members(_ form: FormFields, isNew: Bool) -> [JSONMember] {
        var members = [
            JSONMember(key: "url", value: .string(form["url"] ?? "")),
            JSONMember(key: "events", value: .array(form.all("events").map { .string($0) })),
        ]
        // An empty text removes the current value; a new webhook has none.
        for name in ["service", "authorities"] {
            guard let value = form[name], !(isNew && value.isEmpty) else { continue }
            if name == "authorities", value.isEmpty, !form.isOn("systemAuthorities") { continue }
            members.append(JSONMember(key: name, value: .string(value)))
        }
        if !isNew { members.append(JSONMember(key: "enabled", value: .boolean(form.isOn("enabled")))) }
        return members
    }

    func page(_ given: FormFields? = nil, _ errors: FormErrors = FormErrors()) -> Page {
        let crumbs: [(title: HTML, path: ConsolePath)] = [("\(NavigationItem.webhooks.title)", "/webhooks")]
        let body: HTML = """
            \(HTML.pageHead(Phrase.newTitle, crumbs: crumbs))\(HTML.card(body: html(given, errors)))
            """
        return Page(title: .newTitle, current: .webhooks, body: body)
    }

    /// - Parameter given: The submitted fields; `nil` shows the webhook's values.
    func html(_ given: FormFields?, _ errors: FormErrors) -> HTML {
        let fields = Fields(errors)
        let events = given.map { Set($0.all("events")) } ?? Set(chosenEvents)
        let choices = WebhookEventKind.allCases.map { Fields.Choice($0.word, Self.title(of: $0)) }
        let service = given?["service"] ?? webhook?.service ?? ""
        let name: HTML? =
            webhook == nil
            ? fields.text(.name, "name", value: given?["name"] ?? "", isRequired: true) : nil
        let enabled: HTML? = webhook.map {
            fields.check(.enabled, "enabled", isOn: given?.isOn("enabled") ?? $0.enabled)
        }
        let system: HTML? =
            webhook?.ownAuthorities == true
            ? fields.check(.systemAuthorities, "systemAuthorities", isOn: false) : nil
        let action: ConsolePath = webhook.map { "/webhooks/\($0.name)" } ?? "/webhooks/new"
        let area = fields.area(
            .authorities, "authorities", value: given?["authorities"] ?? "", rows: 4, hint: .authoritiesHint)
        let authorities: HTML = "\(area)\(system)"
        return visit.form(action: action) {
            """
            \(fields.others(besides: Self.fields))\(name)
            \(fields.text(
                .url, "url", value: given?["url"] ?? webhook?.url ?? "", kind: "url", hint: .urlHint,
                isRequired: true))
            \(fields.checks(.events, "events", choices, values: events))
            \(fields.service(services, value: service, any: .allServices))
            \(enabled)
            \(HTML.details(.authorities, id: "authorities", authorities))
            <div class="row"><a class="button" href="\("/webhooks" as ConsolePath)">\(.backUnchanged)\
            </a>\
            <button class="button button-primary">\(webhook == nil ? Phrase.create : .save)</button></div>
            """
        }
    }

    private var chosenEvents: [String] {
        webhook?.events.map(\.word) ?? ["failed", "received", "clicked"]
    }

    static func title(of event: WebhookEventKind) -> Phrase {
        switch event.word {
        case "sent": Phrase("Sent: the gateway accepted the message", "Gesendet: vom Gateway angenommen")
        case "failed": Phrase("Failed: the message did not arrive", "Fehlgeschlagen: nicht angekommen")
        case "quarantined": Phrase("Quarantined: the device is excluded", "In Quarantäne: Gerät ausgelassen")
        case "received": Phrase("Received: the app received it", "Empfangen: von der App empfangen")
        case "clicked": Phrase("Clicked: the person opened it", "Geklickt: von der Person geöffnet")
        case "registered": Phrase("Registered: a device registered", "Registriert: Gerät registriert")
        case "unregistered": Phrase("Unregistered: a device left", "Entfallen: Gerät nicht mehr registriert")
        case "optedOut":
            Phrase("Opted out: the person wants no messages", "Abgemeldet: Die Person will keine Nachrichten")
        case "excluded": Phrase("Excluded: left out of a delivery", "Ausgelassen: von einer Zustellung")
        case "expired": Phrase("Expired: not sent in time", "Abgelaufen: nicht rechtzeitig gesendet")
        case "cancelled":
            Phrase("Cancelled: stopped before it was sent", "Abgebrochen: vor dem Senden gestoppt")
        default: Phrase(same: event.word)
        }
    }
}

extension Phrase {
    fileprivate static let changed = Phrase("The webhook was changed.", "Der Webhook wurde geändert.")
    fileprivate static let accepted = Phrase(
        "The receiver accepted the test event.", "Der Empfänger hat das Testereignis angenommen.")
    fileprivate static let alreadyRotated = Phrase(
        "The secret was already changed after you opened that page. It was not changed again.",
        "Das Geheimnis wurde schon geändert, nachdem Sie diese Seite geöffnet hatten. Es blieb dabei.")
    fileprivate static let deleted = Phrase("The webhook was deleted.", "Der Webhook wurde gelöscht.")
    fileprivate static let createdTitle = Phrase("The webhook was created", "Der Webhook wurde angelegt")
    fileprivate static let rotatedTitle = Phrase("The secret was changed", "Das Geheimnis wurde geändert")
    fileprivate static let newTitle = Phrase("New webhook", "Neuer Webhook")
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let url = Phrase("Address of the receiver", "Adresse des Empfängers")
    fileprivate static let urlHint = Phrase(
        "https://…, or http:// on this machine", "https://…, oder http:// auf diesem Rechner")
    fileprivate static let events = Phrase("Events", "Ereignisse")
    fileprivate static let allServices = Phrase("All services", "Alle Dienste")
    fileprivate static let enabled = Phrase(
        "Send events to the receiver", "Ereignisse an den Empfänger senden")
    fileprivate static let authorities = Phrase("Certificate authorities", "Zertifizierungsstellen")
    fileprivate static let authoritiesHint = Phrase(
        "Only for a receiver with a certificate of your own authority: its certificate in PEM format.",
        "Nur für Empfänger mit einem Zertifikat Ihrer eigenen Stelle: deren Zertifikat im PEM-Format.")
    fileprivate static let systemAuthorities = Phrase(
        "Use the system's authorities again", "Wieder die Stellen des Systems verwenden")
    fileprivate static let create = Phrase("Create the webhook", "Webhook anlegen")
    fileprivate static let save = Phrase("Save", "Speichern")
}
