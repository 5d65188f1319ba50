internal import PushAPI
internal import PushModel
internal import PushWire

/// What pages show about an account: its state, what limits it, and the buttons for it.
enum AccountParts {
    static func badge(_ account: AccountStatus) -> HTML {
        let badge =
            switch account.state {
            case "working": HTML.badge(account.isIdle ? .neutral : .active, account.isIdle ? .idle : .working)
            case "stalled": HTML.badge(.warn, .stalled)
            case "waiting": HTML.badge(.warn, .waiting)
            case "probing": HTML.badge(.warn, .probing)
            case "stopped": HTML.badge(.bad, .stopped)
            default: HTML.badge(.neutral, Phrase(same: account.state))
            }
        return HTML.announced("account-\(account.mark)", badge)
    }

    /// What limits the account, with its cause.
    static func limit(_ account: AccountStatus) -> HTML {
        let cause: HTML? = account.reason.isEmpty ? nil : "<small>\(HTML.inEnglish(account.reason))</small>"
        guard let limit = account.limitedBy else { return "–\(cause)" }
        let note: HTML? = cause ?? note(limit, account).map { "<small>\($0)</small>" }
        return "\(title(limit))\(note)"
    }

    private static func title(_ limit: SendingLimit) -> Phrase {
        switch limit {
        case .store: .limitStore
        case .held: .limitHeld
        case .paused: .limitPaused
        case .children: .limitChildren
        case .quota: .limitQuota
        case .rate: .limitRate
        case .window: .limitWindow
        case .gatewayLatency: .limitGateway
        case .nothingToDo: .limitNothing
        }
    }

    private static func note(_ limit: SendingLimit, _ account: AccountStatus) -> Phrase? {
        switch limit {
        case .store: .seeStore
        case .children: .seeChildren
        case .quota: account.ratePerSecond.map(Phrase.perSecond)
        case .window: .requests(account.window)
        case .nothingToDo: .noneDue
        case .held, .paused, .rate, .gatewayLatency: nil
        }
    }

    static func inFlight(_ account: AccountStatus) -> HTML {
        """
        \(count: account.inFlight)<small>\(Phrase.ofWindow(account.window)), \
        \(Phrase.connections(account.connections))</small>
        """
    }

    /// - Parameter figures: The account's figures; `nil` if the master has none.
    static func rate(_ account: AccountStatus, _ figures: MasterFigures.Account?) -> HTML {
        let answers = figures?.gateway
        let average: HTML? = answers.flatMap { answers -> HTML? in
            guard answers.total > 0 else { return nil }
            let milliseconds = Double(answers.sumMicroseconds) / Double(answers.total) / 1_000
            return "<small>\(Phrase.average(Formats.decimal(milliseconds)))</small>"
        }
        return "\(Formats.decimal(account.answersPerSecond))\(average)"
    }

    static func queue(_ queue: QueueView?) -> HTML {
        guard let queue else { return "0" }
        let waiting = queue.pending + queue.retrying
        let oldest: HTML? = queue.oldestSeconds.map {
            "<small>\(Phrase.oldest(Formats.duration(seconds: $0)))</small>"
        }
        let paused: HTML? = queue.paused > 0 ? "<small>\(Phrase.paused(queue.paused))</small>" : nil
        return "\(count: waiting)\(waiting > 0 ? oldest : nil)\(paused)"
    }

    /// The button that makes a waiting account try again.
    static func resume(_ account: AccountStatus, _ visit: Visit, classes: StaticString = "") -> HTML {
        let isWaiting =
            ["waiting", "probing"].contains(account.state) || account.topics.contains { $0.app == nil }
        guard isWaiting, account.state != "stopped", visit.isPermitted(ResumeAccount.self) else {
            return .empty
        }
        return visit.button(
            .tryNow, action: "/accounts/\(account.mark)/resume", subject: account.name, classes: classes)
    }

    static func topics(_ account: AccountStatus) -> HTML {
        guard !account.topics.isEmpty else { return .empty }
        let rows = account.topics.map { topic -> [HTML] in
            let stops = topic.state == "stopped"
            let next: HTML? = topic.secondsUntilProbe.map {
                "<small>\(Phrase.nextTry(Formats.durationAfterPreposition(seconds: $0)))</small>"
            }
            return [
                "\(name: topic.name)", HTML.badge(stops ? .bad : .warn, stops ? .stopped : .waiting),
                "\(HTML.inEnglish(topic.reason))\(next)", "\(count: topic.waitingRanges)",
            ]
        }
        let table = HTML.table(
            [.init(.topic), .init(.state), .init(.reason), .init(.ranges, .number)], rows)
        return HTML.card(.topics, id: "topics", table: table)
    }

    static func troubles(_ account: AccountStatus) -> HTML {
        guard !account.troubles.isEmpty else { return .empty }
        let rows = account.troubles.map { trouble -> [HTML] in
            [HTML.inEnglish(trouble.text), "\(count: trouble.count)", "\(moment: trouble.lastAt)"]
        }
        let table = HTML.table([.init(.problem), .init(.times, .number), .init(.lastAt)], rows)
        return HTML.card(.troubles, id: "troubles", table: table)
    }
}

extension AccountStatus {
    var page: ConsolePath { "/accounts/\(mark)" }
    var isIdle: Bool { state == "working" && outstanding == 0 && answersPerSecond == 0 }

    /// The place in lists: what needs a person is first, then what works.
    var order: Int {
        switch state {
        case "stopped": 0
        case "stalled": 1
        case "waiting", "probing": 2
        default: topics.isEmpty ? (isIdle ? 5 : 4) : 3
        }
    }
}

extension Phrase {
    fileprivate static let idle = Phrase("Idle", "Ohne Arbeit")
    fileprivate static let working = Phrase("Working", "Arbeitet")
    fileprivate static let stalled = Phrase("Stalled", "Stockt")
    fileprivate static let waiting = Phrase("Waiting", "Wartet")
    fileprivate static let probing = Phrase("Trying", "Versucht es")
    fileprivate static let stopped = Phrase("Stopped", "Gestoppt")
    fileprivate static let limitStore = Phrase("The store", "Der Speicher")
    fileprivate static let limitHeld = Phrase("On hold", "Zurückgehalten")
    fileprivate static let limitPaused = Phrase("Paused deliveries", "Angehaltene Zustellungen")
    fileprivate static let limitChildren = Phrase("The sending processes", "Die Sendeprozesse")
    fileprivate static let limitQuota = Phrase("The account's quota", "Das Kontingent des Kontos")
    fileprivate static let limitRate = Phrase("A delivery's rate", "Die Rate einer Zustellung")
    fileprivate static let limitWindow = Phrase("The window", "Das Fenster")
    fileprivate static let limitGateway = Phrase("The gateway's answers", "Die Antworten des Gateways")
    fileprivate static let limitNothing = Phrase("Nothing", "Nichts")
    fileprivate static let seeStore = Phrase("See the page Store", "Siehe die Seite Speicher")
    fileprivate static let seeChildren = Phrase("See the page Hosts", "Siehe die Seite Rechner")
    fileprivate static let noneDue = Phrase("No work is due", "Keine Arbeit ist fällig")
    fileprivate static func perSecond(_ rate: Int) -> Phrase {
        let rate = Formats.count(rate)
        return Phrase("\(rate) a second", "\(rate) pro Sekunde")
    }
    fileprivate static func requests(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 request at a time", "1 Anfrage zugleich")) {
            Phrase("\($0) requests at a time", "\($0) Anfragen zugleich")
        }
    }
    fileprivate static func ofWindow(_ window: Int) -> Phrase {
        let count = Formats.count(window)
        return Phrase("of \(count)", "von \(count)")
    }
    fileprivate static func connections(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 connection", "1 Verbindung")) {
            Phrase("\($0) connections", "\($0) Verbindungen")
        }
    }
    fileprivate static func average(_ milliseconds: String) -> Phrase {
        Phrase("average \(milliseconds) ms", "im Mittel \(milliseconds) ms")
    }
    fileprivate static func oldest(_ time: String) -> Phrase {
        Phrase("oldest \(time)", "älteste \(time)")
    }
    fileprivate static func paused(_ count: Int) -> Phrase {
        let count = Formats.count(count)
        return Phrase("and \(count) paused", "und \(count) angehalten")
    }
    fileprivate static let tryNow = Phrase("Try now", "Jetzt versuchen")
    fileprivate static func nextTry(_ time: String) -> Phrase {
        Phrase("tries again in \(time)", "neuer Versuch in \(time)")
    }
    fileprivate static let topics = Phrase("Parts that wait", "Teile, die warten")
    fileprivate static let topic = Phrase("Topic or app", "Topic oder App")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let reason = Phrase("Reason", "Grund")
    fileprivate static let ranges = Phrase("Waiting ranges", "Wartende Bereiche")
    fileprivate static let troubles = Phrase("Recent problems", "Letzte Probleme")
    fileprivate static let problem = Phrase("Problem", "Problem")
    fileprivate static let times = Phrase("Times", "Anzahl")
    fileprivate static let lastAt = Phrase("Last", "Zuletzt")
}
