internal import PushAPI
internal import PushModel

/// The pages about webhooks.
enum WebhookPages {
    private static let crumbs: [(title: Phrase, path: ConsolePath)] = [
        (NavigationItem.webhooks.title, "/webhooks")
    ]

    private static func head(_ title: HTML, meta: [HTML] = [], actions: HTML = .empty) -> HTML {
        HTML.pageHead(
            title, crumbs: crumbs.map { (title: "\($0.title)", path: $0.path) }, meta: meta, actions: actions)
    }

    static func list(_ visit: Visit) throws -> Page {
        let webhooks = try visit.carryOut(ListWebhooks())
        let part = ListPart(of: webhooks, visit)
        let new =
            visit.isPermitted(CreateWebhook.self)
            ? HTML.link(.newWebhook, "/webhooks/new", classes: "button-primary") : .empty
        let behind = webhooks.count(where: \.needsAttention)
        let title = NavigationItem.webhooks.title
        guard !webhooks.isEmpty else {
            let empty = HTML.emptyState(.nothing, .nothingText, action: new)
            return Page(title: title, current: .webhooks, body: "\(HTML.pageHead(title))\(empty)")
        }
        let columns: [HTML.Column] = [
            .init(.webhook), .init(.state), .init(.behind, .number), .init(.told, .number),
            .init(.dropped, .number), .init(.lastAnswer), .actions,
        ]
        let rows = part.items.map { row($0, visit) }
        let body: HTML = """
            \(HTML.pageHead(title, meta: ["\(Phrase.summary(webhooks.count, behind))"], actions: new))
            \(HTML.card(table: HTML.table(columns, rows, caption: title)))
            \(part.pager("/webhooks"))
            """
        return Page(title: title, current: .webhooks, body: body)
    }

    private static func row(_ webhook: WebhookView, _ visit: Visit) -> [HTML] {
        let service: HTML? = webhook.service.map { ", \(name: $0)" }
        return [
            """
            <a href="\("/webhooks/\(webhook.name)" as ConsolePath)">\(name: webhook.name)</a>\
            <small>\(name: webhook.url)\(service)</small>
            """,
            badge(webhook), lag(webhook), "\(count: Int(clamping: webhook.told))",
            "\(count: Int(clamping: webhook.dropped))", lastAnswer(webhook),
            visit.button(
                .test, action: "/webhooks/\(webhook.name)/test", subject: webhook.name,
                classes: "button-small"),
        ]
    }

    static func badge(_ webhook: WebhookView) -> HTML {
        if !webhook.enabled { return HTML.badge(.bad, .off) }
        if webhook.failures > 0 { return HTML.badge(.bad, .fails) }
        return webhook.needsAttention ? HTML.badge(.warn, .late) : HTML.badge(.good, .keepsUp)
    }

    private static func lag(_ webhook: WebhookView) -> HTML {
        let time: HTML? =
            webhook.behind > 0
            ? "<small>\(Formats.duration(seconds: Int(clamping: webhook.behindSeconds)))</small>" : nil
        return "\(count: Int(clamping: webhook.behind))\(time)"
    }

    private static func lastAnswer(_ webhook: WebhookView) -> HTML {
        guard let answer = webhook.lastAnswer else { return "\(Phrase.noAnswer)" }
        let at: HTML? = webhook.lastAnswerAt.map { "<small>\(moment: $0)</small>" }
        return "\(HTML.inEnglish(answer))\(at)"
    }

    /// - Parameter testAnswer: Why the receiver did not accept a test event; `nil` without a failed test.
    static func show(
        _ visit: Visit, _ webhook: WebhookView, _ given: FormFields? = nil,
        _ errors: FormErrors = FormErrors(), testAnswer: String? = nil
    ) throws -> Page {
        let actions: HTML = """
            \(visit.button(.test, action: "/webhooks/\(webhook.name)/test"))\
            \(HTML.link(.rotate, "/webhooks/\(webhook.name)/rotate-secret"))\
            \(HTML.link(.delete, "/webhooks/\(webhook.name)/delete", classes: "button-danger"))
            """
        let failed: HTML? = testAnswer.map {
            HTML.note("\(Phrase.testFailed) \(HTML.inEnglish($0))", tone: .bad)
        }
        let disabled: HTML? = webhook.disabledReason.map {
            HTML.note("\(Phrase.disabledBecause) \(HTML.inEnglish($0))", tone: .warn)
        }
        let next: HTML = webhook.nextAttemptAt.map { "\(moment: $0)" } ?? "\(Phrase.immediately)"
        var facts: [(term: Phrase, value: HTML)] = [
            (.state, badge(webhook)), (.behind, lag(webhook)), (.failures, "\(count: webhook.failures)"),
            (.nextAttempt, next), (.lastAnswer, lastAnswer(webhook)),
            (.told, "\(count: Int(clamping: webhook.told))"),
            (.dropped, "\(count: Int(clamping: webhook.dropped))"),
            (.attemptsFailed, "\(count: Int(clamping: webhook.attemptsFailed))"),
            (.created, "\(moment: webhook.createdAt)"),
        ]
        if let until = webhook.oldSecretUntil { facts.append((.oldSecret, "\(moment: until)")) }
        let form = try WebhookForm(visit, webhook: webhook).html(given, errors)
        let body: HTML = """
            \(head("\(name: webhook.name)", meta: ["\(name: webhook.url)"], actions: actions))
            \(failed)\(disabled)
            \(HTML.stack(
                HTML.card(.progress, id: "progress", body: HTML.facts(facts)),
                HTML.card(.settings, id: "settings", body: form)))
            """
        return Page(title: webhook.name, current: .webhooks, body: body)
    }

    /// The only page that contains a secret.
    static func secret(_ new: NewWebhookSecret, _ title: Phrase) -> Page {
        let webhook = new.webhook
        let until: HTML? = webhook.oldSecretUntil.map { "<p>\(Phrase.oldValid) \(moment: $0)</p>" }
        let card = HTML.card(
            .secret, id: "secret-title",
            body: "<p>\(Phrase.onlyNow)</p>\(HTML.secret(new.secret, id: "secret"))\(until)",
            foot: HTML.link(.goOn, "/webhooks/\(webhook.name)", classes: "button-primary"))
        return Page(
            title: title, current: .webhooks,
            body: "\(head("\(title)", meta: ["\(name: webhook.name)"]))\(card)")
    }

    /// A text that differs after each change of the secret.
    static func rotationMark(_ webhook: WebhookView) -> String {
        webhook.oldSecretUntil.map { "\($0.millisecondsSince1970)" } ?? ""
    }

    static func rotation(_ visit: Visit, _ webhook: WebhookView) -> Page {
        let title = Phrase.rotateTitle(webhook.name)
        let body = HTML.confirmation(
            visit, title: "\(title)", consequence: "\(Phrase.rotateText)",
            fields: "<input type=\"hidden\" name=\"until\" value=\"\(rotationMark(webhook))\">",
            action: "/webhooks/\(webhook.name)/rotate-secret", label: .rotateButton,
            back: "/webhooks/\(webhook.name)")
        return Page(title: title, current: .webhooks, body: body)
    }

    static func deletion(_ visit: Visit, _ webhook: WebhookView) -> Page {
        let title = Phrase.deleteTitle(webhook.name)
        let body = HTML.confirmation(
            visit, title: "\(title)", consequence: "\(Phrase.deleteText)",
            facts: HTML.facts([
                (.receiver, "\(name: webhook.url)"), (.behind, "\(count: Int(clamping: webhook.behind))"),
            ]), action: "/webhooks/\(webhook.name)/delete", label: .deleteButton,
            back: "/webhooks/\(webhook.name)",
            alternative: HTML.link(.switchOff, "/webhooks/\(webhook.name)"))
        return Page(title: title, current: .webhooks, body: body)
    }
}

extension Phrase {
    fileprivate static let newWebhook = Phrase("New webhook", "Neuer Webhook")
    fileprivate static let nothing = Phrase("There is no webhook yet", "Es gibt noch keinen Webhook")
    fileprivate static let nothingText = Phrase(
        "A webhook posts events, such as clicks, to a program of yours.",
        "Ein Webhook sendet Ereignisse, zum Beispiel Klicks, an ein Programm von Ihnen.")
    fileprivate static func summary(_ count: Int, _ behind: Int) -> Phrase {
        let all = Formats.count(count)
        return .counted(
            behind, one: Phrase("1 of \(all) needs attention", "1 von \(all) braucht Aufmerksamkeit")
        ) { Phrase("\($0) of \(all) need attention", "\($0) von \(all) brauchen Aufmerksamkeit") }
    }
    fileprivate static let webhook = Phrase("Webhook", "Webhook")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let behind = Phrase("Events behind", "Ereignisse im Rückstand")
    fileprivate static let told = Phrase("Accepted", "Angenommen")
    fileprivate static let dropped = Phrase("Dropped", "Verworfen")
    fileprivate static let lastAnswer = Phrase("Last answer", "Letzte Antwort")
    fileprivate static let noAnswer = Phrase("None yet", "Noch keine")
    fileprivate static let test = Phrase("Test", "Testen")
    fileprivate static let off = Phrase("Switched off", "Ausgeschaltet")
    fileprivate static let fails = Phrase("Fails", "Schlägt fehl")
    fileprivate static let late = Phrase("Behind", "Im Rückstand")
    fileprivate static let keepsUp = Phrase("Keeps up", "Aktuell")
    fileprivate static let rotate = Phrase("Change the secret…", "Geheimnis ändern…")
    fileprivate static let delete = Phrase("Delete…", "Löschen…")
    fileprivate static let testFailed = Phrase(
        "The receiver did not accept the test event:", "Der Empfänger hat das Testereignis nicht angenommen:")
    fileprivate static let disabledBecause = Phrase(
        "No events are sent:", "Es werden keine Ereignisse gesendet:")
    fileprivate static let immediately = Phrase("Now", "Sofort")
    fileprivate static let failures = Phrase(
        "Failures since the last success", "Fehlschläge seit dem letzten Erfolg")
    fileprivate static let nextAttempt = Phrase("Next attempt", "Nächster Versuch")
    fileprivate static let attemptsFailed = Phrase("Failed attempts", "Fehlgeschlagene Versuche")
    fileprivate static let created = Phrase("Created", "Angelegt")
    fileprivate static let oldSecret = Phrase("Previous secret valid until", "Voriges Geheimnis gültig bis")
    fileprivate static let progress = Phrase("Progress", "Fortschritt")
    fileprivate static let settings = Phrase("Settings", "Einstellungen")
    fileprivate static let secret = Phrase("Secret", "Geheimnis")
    fileprivate static let onlyNow = Phrase(
        "This page shows the secret once. Copy it now: the receiver needs it to verify signatures.",
        "Diese Seite zeigt das Geheimnis nur einmal. Kopieren Sie es jetzt: Der Empfänger prüft damit die "
            + "Signaturen.")
    fileprivate static let oldValid = Phrase(
        "Events are also signed with the previous secret until",
        "Ereignisse werden auch mit dem vorigen Geheimnis signiert bis")
    fileprivate static let goOn = Phrase("Go to the webhook", "Zum Webhook")
    fileprivate static func rotateTitle(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Change the secret of \(name)?", "Geheimnis von \(name) ändern?")
    }
    fileprivate static let rotateText = Phrase(
        "The next page shows a new secret once. For one more day, events are also signed with the current "
            + "one, so that the receiver can change over. Do not change it again within this day.",
        "Die nächste Seite zeigt einmalig ein neues Geheimnis. Einen Tag lang werden Ereignisse auch mit dem "
            + "bisherigen signiert, damit der Empfänger umstellen kann. Ändern Sie es bis dahin nicht erneut."
    )
    fileprivate static let rotateButton = Phrase("Change the secret", "Geheimnis ändern")
    fileprivate static func deleteTitle(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Delete webhook \(name)?", "Webhook \(name) löschen?")
    }
    fileprivate static let deleteText = Phrase(
        "Events that wait for this receiver are not sent to it. This cannot be undone. If the receiver is "
            + "only temporarily unavailable, switch the webhook off instead.",
        "Wartende Ereignisse werden dem Empfänger nicht mehr gesendet. Das lässt sich nicht rückgängig "
            + "machen. Ist der Empfänger nur gestört, schalten Sie den Webhook stattdessen aus.")
    fileprivate static let receiver = Phrase("Receiver", "Empfänger")
    fileprivate static let deleteButton = Phrase("Delete the webhook", "Webhook löschen")
    fileprivate static let switchOff = Phrase("Switch it off instead", "Stattdessen ausschalten")
}
