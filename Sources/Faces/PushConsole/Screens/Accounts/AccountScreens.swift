internal import PushAPI
internal import PushModel
internal import PushWire

/// The accounts at gateways: how they work, what limits them, and what to do.
enum AccountScreens: ScreenGroup {
    static let notices = [resumed, notWaiting]
    private static let resumed = Notice("account.resumed", .resumed)
    private static let notWaiting = Notice("account.not-waiting", .notWaiting, tone: .warn)

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/accounts", needs: .admin) { visit in
            let title = NavigationItem.accounts.title
            let text = visit.query["q"] ?? ""
            let search = HTML.search("/accounts", label: .search, value: text)
            let live = ("/accounts/live" as ConsolePath).with("q", text.isEmpty ? nil : text)
                .with("cursor", visit.query.given("cursor"))
            let body: HTML = """
                \(HTML.pageHead(title, meta: ["\(Phrase.about)"]))
                \(HTML.stack(search, HTML.live(live, try AccountList(visit).html)))
                """
            return .page(Page(title: title, current: .accounts, body: body))
        },
        ConsoleRoute(.get, "/accounts/live", needs: .admin) { visit in
            .fragment(try AccountList(visit).html)
        },
        ConsoleRoute(.get, "/accounts/{name}", needs: .admin) { visit in
            let name = visit.name("name")
            let page = try AccountPage(visit)
            let crumbs: [(title: HTML, path: ConsolePath)] = [
                ("\(NavigationItem.accounts.title)", "/accounts")
            ]
            let body: HTML = """
                \(HTML.pageHead("\(name: page.title)", crumbs: crumbs, meta: page.meta))
                \(HTML.stack(HTML.live("/accounts/\(name)/live", page.activity), page.settings))
                """
            return .page(Page(title: page.title, current: .accounts, body: body))
        },
        ConsoleRoute(.get, "/accounts/{name}/live", needs: .admin) { visit in
            .fragment(try AccountPage(visit).activity)
        },
        ConsoleRoute(.post, "/accounts/{name}/resume", needs: .admin) { visit in
            let name = visit.name("name")
            let answer = try visit.carryOut(ResumeAccount(account: name))
            let didResume = answer.changed || answer.otherHosts > 0
            return .redirect("/accounts/\(name)", notice: didResume ? resumed : notWaiting)
        },
    ]
}

extension Visit {
    /// The waiting messages of each account, by the account's key.
    fileprivate func queues() throws -> [String: QueueView] {
        guard isPermitted(ShowStatus.self) else { throw Refusal.forbidden(ShowStatus.operation.scope) }
        let queues = try recently(ShowQueues.name, of: "") { try operations.carryOut(ShowQueues()) }
        return Dictionary(queues.map { ($0.mark, $0) }) { first, _ in first }
    }
}

extension MasterStatus {
    fileprivate func figures(of account: AccountStatus) -> MasterFigures.Account? {
        figures?.accounts.first { $0.name == account.name }
    }
}

/// The table of accounts. What needs a person is first.
private struct AccountList {
    private let visit: Visit
    private let master: MasterStatus?
    private let found: [AccountStatus]
    private let queues: [String: QueueView]

    init(_ visit: Visit) throws {
        self.visit = visit
        master = try visit.recently(ShowMaster())
        queues = master == nil ? [:] : try visit.queues()
        let text = (visit.query["q"] ?? "").lowercased()
        found = (master?.accounts ?? [])
            .filter { account in
                text.isEmpty
                    || ([account.name, account.mark] + account.apps).contains {
                        $0.lowercased().contains(text)
                    }
            }
            .sorted { ($0.order, $0.name, $0.mark) < ($1.order, $1.name, $1.mark) }
    }

    var html: HTML {
        guard master != nil else {
            return HTML.emptyState(.noMaster, .noMasterText, action: HTML.link(.alarms, "/alarms"))
        }
        guard !found.isEmpty else {
            guard visit.query.given("q") == nil else {
                return HTML.emptyState(.noMatch, .noMatchText, action: HTML.link(.showAll, "/accounts"))
            }
            return HTML.emptyState(.nothing, .nothingText)
        }
        let part = ListPart(of: found, visit)
        let working = found.count { ["working"].contains($0.state) && $0.topics.isEmpty }
        let path = ("/accounts" as ConsolePath).with("q", visit.query.given("q"))
        let table = HTML.table(Self.columns, part.items.map(row))
        let note: HTML = "\(Phrase.working(working, of: found.count))"
        return """
            \(HTML.card(.all, id: "accounts", note: note, table: table))
            \(part.pager(path))
            """
    }

    private static let columns: [HTML.Column] = [
        .init(.account), .init(.state), .init(.limitedBy), .init(.waiting, .number), .init(.rate, .number),
        .init(.inFlight, .number), .actions,
    ]

    private func row(_ account: AccountStatus) -> [HTML] {
        [
            """
            <a href="\(account.page)">\(name: account.name)</a><small>\(HTML.names(account.apps))</small>
            """,
            AccountParts.badge(account), AccountParts.limit(account),
            AccountParts.queue(queues[account.mark]),
            AccountParts.rate(account, master?.figures(of: account)), AccountParts.inFlight(account),
            """
            \(HTML.link(.explain, account.page, classes: "button-small", subject: account.name))\
            \(AccountParts.resume(account, visit, classes: "button-small"))
            """,
        ]
    }
}

/// One account: its activity, its problems, and its settings with their origins.
private struct AccountPage {
    private let visit: Visit
    private let explanation: AccountExplanation
    private let master: MasterStatus?

    init(_ visit: Visit) throws {
        self.visit = visit
        let name = visit.name("name")
        explanation = try visit.recently(
            ExplainApp.request(names: ["name": name], query: [:], body: []), of: name)
        master = try visit.recently(ShowMaster())
    }

    var title: String { explanation.account }
    private var account: AccountStatus? { explanation.master?.account }

    var meta: [HTML] {
        [HTML.names(account?.apps ?? [explanation.app]), HTML.code(explanation.mark)]
    }

    var activity: HTML {
        guard let account else { return HTML.emptyState(.noActivity, .noActivityText) }
        return HTML.stack(
            HTML.card(.now, id: "activity", body: figures(account), foot: actions(account)),
            AccountParts.topics(account), AccountParts.troubles(account))
    }

    private func figures(_ account: AccountStatus) -> HTML {
        let queue = try? visit.queues()[account.mark]
        return """
            <p class="row">\(AccountParts.badge(account))\
            \(account.reason.isEmpty ? nil : HTML.inEnglish(account.reason))</p>
            \(HTML.figures([
                (.waiting, AccountParts.queue(queue), nil),
                (.rate, AccountParts.rate(account, master?.figures(of: account)), nil),
                (.inFlight, AccountParts.inFlight(account), nil),
                (.limitedBy, AccountParts.limit(account), nil),
            ]))
            """
    }

    private func actions(_ account: AccountStatus) -> HTML? {
        let storm: HTML? =
            account.state == "stopped" || account.topics.contains { $0.app != nil }
            ? HTML.link(.decideStorm, "/quarantine", classes: "button-primary") : nil
        let app = HTML.link(.showApp, "/apps/of/\(explanation.app)")
        return "<div class=\"row\">\(storm)\(AccountParts.resume(account, visit))\(app)</div>"
    }

    var settings: HTML {
        let rows = explanation.settings.map { setting -> [HTML] in
            [HTML.inEnglish(setting.setting), HTML.inEnglish(setting.value), HTML.inEnglish(setting.why)]
        }
        let warning: HTML? = explanation.credential.warning.map { HTML.note(HTML.inEnglish($0), tone: .warn) }
        return HTML.stack(
            warning ?? .empty,
            HTML.card(
                .settings, id: "settings", note: "\(Phrase.settingsNote)",
                table: HTML.table([.init(.setting), .init(.value), .init(.origin)], rows)), answers)
    }

    private var answers: HTML {
        guard let answers = explanation.answers else { return .empty }
        let dead = Formats.decimal(answers.normalDeadShare * 100)
        return HTML.card(
            .trust, id: "trust",
            body: HTML.facts([
                (.proved, "\(answers.isProved ? Phrase.yes : Phrase.no)"),
                (.accepted, "\(count: answers.accepted)"), (.rejected, "\(count: answers.aboutTokens)"),
                (.deadShare, "\(dead) %"), (.held, "\(count: answers.held)"),
                (.known, "\(moment: answers.firstSeenAt)"),
            ]))
    }
}

extension Phrase {
    fileprivate static let resumed = Phrase(
        "The account tries again now.", "Das Konto versucht es jetzt erneut.")
    fileprivate static let notWaiting = Phrase(
        "The account was not waiting.", "Das Konto hat nicht gewartet.")
    fileprivate static let search = Phrase("Account or app", "Konto oder App")
    fileprivate static let about = Phrase(
        "An account is a connector, an environment and a credential. Apps that share it share its limits.",
        "Ein Konto besteht aus Konnektor, Umgebung und Zugangsdaten. Apps mit demselben Konto teilen dessen "
            + "Grenzen.")
    fileprivate static let noMaster = Phrase("No master runs", "Kein Master läuft")
    fileprivate static let noMasterText = Phrase(
        "Accounts appear as soon as the service sends.", "Konten erscheinen, sobald der Dienst sendet.")
    fileprivate static let alarms = Phrase("Show the alarms", "Alarme zeigen")
    fileprivate static let noMatch = Phrase("No account matches", "Kein passendes Konto")
    fileprivate static let noMatchText = Phrase(
        "Search for a part of an account's or an app's name.",
        "Suchen Sie nach einem Teil des Namens eines Kontos oder einer App.")
    fileprivate static let showAll = Phrase("Show all accounts", "Alle Konten zeigen")
    fileprivate static let nothing = Phrase("No account has had work yet", "Noch kein Konto hatte Arbeit")
    fileprivate static let nothingText = Phrase(
        "An account appears here with its first message since the service started.",
        "Ein Konto erscheint hier mit seiner ersten Nachricht seit dem Start des Dienstes.")
    fileprivate static let all = Phrase("All accounts", "Alle Konten")
    fileprivate static func working(_ count: Int, of whole: Int) -> Phrase {
        let all = Formats.count(whole)
        return .counted(count, one: Phrase("1 of \(all) works", "1 von \(all) arbeitet")) {
            Phrase("\($0) of \(all) work", "\($0) von \(all) arbeiten")
        }
    }
    fileprivate static let account = Phrase("Account", "Konto")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let limitedBy = Phrase("Limited by", "Begrenzt durch")
    fileprivate static let waiting = Phrase("Waiting messages", "Wartende Nachrichten")
    fileprivate static let rate = Phrase("Answers a second", "Antworten pro Sekunde")
    fileprivate static let inFlight = Phrase("In flight", "Unterwegs")
    fileprivate static let explain = Phrase("Explain", "Erklären")
    fileprivate static let noActivity = Phrase("No activity", "Keine Aktivität")
    fileprivate static let noActivityText = Phrase(
        "The account has had no message since the service started.",
        "Das Konto hatte seit dem Start des Dienstes keine Nachricht.")
    fileprivate static let now = Phrase("Activity now", "Aktivität jetzt")
    fileprivate static let decideStorm = Phrase("Decide about the storm", "Über den Sturm entscheiden")
    fileprivate static let showApp = Phrase("Show the app", "App zeigen")
    fileprivate static let settings = Phrase("Settings in effect", "Geltende Einstellungen")
    fileprivate static let settingsNote = Phrase(
        "With the origin of each value", "Mit der Herkunft jedes Werts")
    fileprivate static let setting = Phrase("Setting", "Einstellung")
    fileprivate static let value = Phrase("Value", "Wert")
    fileprivate static let origin = Phrase("Origin", "Herkunft")
    fileprivate static let trust = Phrase("Answers about tokens", "Antworten zu Token")
    fileprivate static let proved = Phrase("Known to work", "Funktioniert nachweislich")
    fileprivate static let yes = Phrase("yes", "ja")
    fileprivate static let no = Phrase("no", "nein")
    fileprivate static let accepted = Phrase("Recently accepted", "Zuletzt angenommen")
    fileprivate static let rejected = Phrase("Recently rejected tokens", "Zuletzt abgelehnte Token")
    fileprivate static let deadShare = Phrase(
        "Usual share of dead tokens", "Üblicher Anteil ungültiger Token")
    fileprivate static let held = Phrase("Held-back verdicts", "Zurückgehaltene Urteile")
    fileprivate static let known = Phrase("Known since", "Bekannt seit")
}
