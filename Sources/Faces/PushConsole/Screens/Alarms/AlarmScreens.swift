internal import PushAPI
internal import PushModel
internal import PushWire

/// What is wrong now, why, and what to do.
enum AlarmScreens: ScreenGroup {
    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/alarms", needs: .admin) { visit in
            let title = NavigationItem.alarms.title
            let body: HTML = """
                \(HTML.pageHead(title, meta: [HTML(Moments.long(visit.now))]))
                \(HTML.stack(
                    HTML.live("/alarms/live", try AlarmOverview(visit).html), try unknownKeys(visit),
                    hint(visit)))
                """
            return .page(Page(title: title, current: .alarms, body: body))
        },
        ConsoleRoute(.get, "/alarms/live", needs: .admin) { visit in
            .fragment(try AlarmOverview(visit).html)
        },
    ]

    private static func unknownKeys(_ visit: Visit) throws -> HTML {
        let registrations = try visit.carryOut(ListUnknownKeys()).reduce(0) { $0 + $1.registrations }
        guard registrations > 0 else { return .empty }
        return HTML.card(
            .unknown, id: "unknown", body: "<p>\(Phrase.unknownText(registrations))</p>",
            foot: HTML.link(.showKeys, "/apps/unknown-keys"))
    }

    private static func hint(_ visit: Visit) -> HTML {
        "<p class=\"small muted\">\(Phrase.outside)</p>"
    }
}

/// The alarms of the master, the storms, and the webhooks that lag. It reads only what the master knows and
/// short lists, because the page requests it often.
private struct AlarmOverview {
    private static let maxListed = 50
    private let alarms: [HTML]
    private let master: MasterStatus?

    init(_ visit: Visit) throws {
        master = try visit.recently(ShowMaster())
        let storms = try visit.recently(ShowStorms())
        var alarms: [HTML] = []
        if master == nil { alarms.append(Self.noMaster) }
        for storm in storms { alarms.append(StormParts.alarm(storm, visit)) }
        for alarm in master?.alarms ?? [] {
            alarms.append(AlarmAdvice(alarm, master?.accounts ?? []).html(visit))
        }
        for webhook in try visit.recently(ListWebhooks()) where webhook.needsAttention {
            alarms.append(Self.alarm(of: webhook))
        }
        self.alarms = alarms
    }

    var html: HTML {
        guard !alarms.isEmpty else {
            let count = master?.accounts.count ?? 0
            return HTML.emptyState(
                .nothingWrong, .nothingWrongText(count), action: HTML.link(.showAccounts, "/accounts"))
        }
        let more: HTML? =
            alarms.count > Self.maxListed
            ? "<p class=\"muted\">\(Phrase.more(alarms.count - Self.maxListed))</p>" : nil
        let state = HTML.announced("alarms", HTML.badge(.bad, .alarms(alarms.count)))
        return """
            <p class="row">\(state)</p>
            \(HTML.card(.now, id: "alarms", table: Array(alarms.prefix(Self.maxListed)).joined(), foot: more))
            """
    }

    private static var noMaster: HTML {
        HTML.alarm(
            state: HTML.badge(.bad, .notRunning), since: nil, title: "\(Phrase.noMaster)",
            cause: "\(Phrase.noMasterText)",
            steps: [
                "\(Phrase.startIt) \(HTML.code("pushmta start"))",
                "\(Phrase.readLog) \(HTML.code("pushmta status"))",
            ])
    }

    private static func alarm(of webhook: WebhookView) -> HTML {
        let answer: HTML? = webhook.lastAnswer.map { " \(HTML.inEnglish($0))" }
        let path: ConsolePath = "/webhooks/\(webhook.name)"
        return HTML.alarm(
            state: HTML.badge(.warn, webhook.enabled ? .lags : .switchedOff), since: nil,
            title: "\(Phrase.webhook(webhook.name))",
            cause: "\(Phrase.webhookCause(webhook.behind, Int(clamping: webhook.behindSeconds)))\(answer)",
            steps: ["\(Phrase.checkReceiver)", "\(Phrase.testReceiver)"],
            actions: HTML.link(.showWebhook, path, subject: webhook.name))
    }
}

extension Phrase {
    fileprivate static let nothingWrong = Phrase("Nothing is wrong", "Es ist alles in Ordnung")
    fileprivate static func nothingWrongText(_ accounts: Int) -> Phrase {
        .counted(
            accounts,
            one: Phrase(
                "The service runs, and 1 account has had work since it started.",
                "Der Dienst läuft, und 1 Konto hatte seit seinem Start Arbeit.")
        ) {
            Phrase(
                "The service runs, and \($0) accounts have had work since it started.",
                "Der Dienst läuft, und \($0) Konten hatten seit seinem Start Arbeit.")
        }
    }
    fileprivate static let showAccounts = Phrase("Show the accounts", "Konten zeigen")
    fileprivate static let now = Phrase("Needs you now", "Jetzt Handlungsbedarf")
    fileprivate static func alarms(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 alarm", "1 Alarm")) { Phrase("\($0) alarms", "\($0) Alarme") }
    }
    fileprivate static func more(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 more is not listed", "1 weiterer ist nicht aufgeführt")) {
            Phrase("\($0) more are not listed", "\($0) weitere sind nicht aufgeführt")
        }
    }
    fileprivate static let notRunning = Phrase("Not running", "Läuft nicht")
    fileprivate static let noMaster = Phrase("No master runs: nothing is sent", "Es wird nichts gesendet")
    fileprivate static let noMasterText = Phrase(
        "The store is open, but no master takes messages from it. Messages wait; none is lost.",
        "Der Speicher ist offen, aber kein Master entnimmt ihm Nachrichten. Sie warten; keine geht verloren.")
    fileprivate static let startIt = Phrase("Start the service:", "Starten Sie den Dienst:")
    fileprivate static let readLog = Phrase(
        "If it ends again, read its log. To see its state:",
        "Wenn er wieder endet, lesen Sie sein Log. So sehen Sie seinen Zustand:")
    fileprivate static let lags = Phrase("Behind", "Im Rückstand")
    fileprivate static let switchedOff = Phrase("Switched off", "Ausgeschaltet")
    fileprivate static func webhook(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Webhook \(name) does not keep up", "Webhook \(name) ist im Rückstand")
    }
    fileprivate static func webhookCause(_ events: Int64, _ seconds: Int) -> Phrase {
        let count = Formats.count(Int(clamping: events))
        let time = Formats.durationAfterPreposition(seconds: seconds)
        return Phrase(
            "Waiting events: \(count), the oldest for \(time).",
            "Wartende Ereignisse: \(count), das älteste seit \(time).")
    }
    fileprivate static let checkReceiver = Phrase(
        "Check that the receiver runs and answers within its time limit.",
        "Prüfen Sie, ob der Empfänger läuft und rechtzeitig antwortet.")
    fileprivate static let testReceiver = Phrase(
        "Send a test event from the webhook's page.",
        "Senden Sie auf der Seite des Webhooks ein Testereignis.")
    fileprivate static let showWebhook = Phrase("Show the webhook", "Webhook zeigen")
    fileprivate static let unknown = Phrase("Registrations that fail", "Fehlgeschlagene Registrierungen")
    fileprivate static func unknownText(_ count: Int) -> Phrase {
        .counted(
            count,
            one: Phrase(
                "1 registration named an integration key that no app has.",
                "1 Registrierung nannte einen Integrationsschlüssel, den keine App hat.")
        ) {
            Phrase(
                "\($0) registrations named an integration key that no app has.",
                "\($0) Registrierungen nannten einen Integrationsschlüssel, den keine App hat.")
        }
    }
    fileprivate static let showKeys = Phrase("Show the keys", "Schlüssel zeigen")
    fileprivate static let outside = Phrase(
        "To receive alarms outside this page, let your monitoring read the metrics; see Metrics.md.",
        "Damit Sie Alarme auch außerhalb dieser Seite erreichen, lassen Sie Ihre Überwachung die Metriken "
            + "lesen; siehe Metrics.md.")
}
