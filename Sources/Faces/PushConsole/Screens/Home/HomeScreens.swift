internal import PushAPI
internal import PushModel
internal import PushWire

/// The first page: what needs a person, what is running, and what comes next.
enum HomeScreens: ScreenGroup {
    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/", needs: .read) { visit in
            let live: HTML = HTML.live("/home/live", try HomeOverview(visit).html(actions(visit)))
            let body = HTML.stack(live, try drafts(visit))
            return .page(Page(title: NavigationItem.home.title, current: .home, body: body))
        },
        ConsoleRoute(.get, "/home/live", needs: .read) { visit in
            .fragment(try HomeOverview(visit).html(actions(visit)))
        },
    ]

    /// The newest drafts. They are not part of the content that the page requests again, because reading them
    /// reads their documents.
    private static func drafts(_ visit: Visit) throws -> HTML {
        guard visit.isPermitted(SaveDraft.self) else { return .empty }
        var list = ListDrafts()
        list.limit = maxDrafts
        let page = try visit.carryOut(list)
        let drafts = page.items.filter { visit.mayUse(service: $0.service) }
        guard !drafts.isEmpty else { return .empty }
        let rows = drafts.map { draft -> [HTML] in
            [
                draft.link, "\(name: draft.service)", "\(name: draft.changedBy.personName)",
                "\(moment: draft.updatedAt)",
            ]
        }
        let columns: [HTML.Column] = [.init(.draft), .init(.service), .init(.savedBy), .init(.savedAt)]
        return HTML.card(
            .draftsTitle, id: "drafts", table: HTML.table(columns, rows),
            foot: page.next == nil ? nil : HTML.link(.allDrafts, "/drafts", classes: "button-small"))
    }

    private static let maxDrafts = 5

    private static func actions(_ visit: Visit) -> HTML {
        let path: ConsolePath = "/deliveries/new"
        guard visit.table.hasPage(path), visit.isPermitted(SubmitDelivery.self) else { return .empty }
        return HTML.link(.newDelivery, path, classes: "button-primary")
    }
}

/// The content of the first page. It reads the deliveries that have not ended, a few that have, and the
/// master's alarms, whatever the size of the store.
private struct HomeOverview {
    private static let maxListed = 20
    private let visit: Visit
    private let overview: Overview
    private let recent: [DeliveryView]
    private let tasks: [(title: HTML, text: HTML, action: HTML)]

    init(_ visit: Visit) throws {
        self.visit = visit
        overview = try visit.recently(ShowOverview.name, of: "") {
            try visit.operations.carryOut(ShowOverview(limit: Self.maxListed))
        }
        recent = overview.ended.filter { delivery in
            guard let finished = delivery.finishedAt else { return false }
            return visit.now.seconds(since: finished) < 7 * 86_400
        }
        tasks = try Self.tasks(visit, overview)
    }

    func html(_ actions: HTML) -> HTML {
        let summary = Phrase.summary(overview.runningCount, overview.scheduledCount, tasks.count)
        return """
            \(HTML.pageHead(
                NavigationItem.home.title, meta: [HTML(Moments.long(visit.now)), "\(summary)"],
                actions: actions))\
            \(needs)\(runningCards)\(scheduledCard)\(recentCard)
            """
    }

    private static func tasks(
        _ visit: Visit, _ overview: Overview
    ) throws -> [(title: HTML, text: HTML, action: HTML)] {
        var tasks: [(title: HTML, text: HTML, action: HTML)] = []
        // A person who is bound to services does not see the master.
        if visit.isPermitted(.admin), visit.isPermitted(ShowMaster.self) {
            let alarms = (try? visit.recently(ShowMaster()))?.alarms ?? []
            for alarm in alarms.prefix(maxListed) {
                tasks.append(
                    (
                        title: "\(Phrase.alarm(alarm.about.isEmpty ? alarm.kind : alarm.about))",
                        text: HTML.inEnglish(alarm.cause),
                        action: HTML.link(
                            .show, NavigationItem.alarms.path,
                            subject: alarm.about.isEmpty ? alarm.kind : alarm.about)
                    ))
            }
        }
        for delivery in overview.waiting.prefix(maxListed) {
            guard let why = delivery.held ?? delivery.damage else { continue }
            tasks.append(
                (
                    title: "\(Phrase.waits(delivery.shownLabel))", text: HTML.inEnglish(why),
                    action: HTML.link(.show, delivery.path, subject: delivery.shownLabel)
                ))
        }
        return tasks + stops(visit, overview)
    }

    /// The deliveries that send nothing until a person acts.
    private static func stops(
        _ visit: Visit, _ overview: Overview
    ) -> [(title: HTML, text: HTML, action: HTML)] {
        let known = Set(overview.waiting.map(\.id))
        // A delivery can be paused before it begins.
        let paused = overview.scheduled.filter { $0.state == .paused }
        return (overview.running + paused).compactMap { delivery in
            let limit: SendingLimit? = delivery.state == .paused ? .paused : delivery.limitedBy
            guard let limit, [.paused, .held].contains(limit), !known.contains(delivery.id),
                limit == .held || visit.isPermitted(ResumeDelivery.self)
            else { return nil }
            let title: Phrase = limit == .paused ? .waits(delivery.shownLabel) : .stands(delivery.shownLabel)
            return (
                title: "\(title)", text: "\(limit.explanation)",
                action: HTML.link(.show, delivery.path, subject: delivery.shownLabel)
            )
        }
    }

    /// The link to the other deliveries of a list.
    private static func more(_ count: Int, than shown: Int, _ path: ConsolePath) -> HTML? {
        count > shown ? "<a href=\"\(path)\">\(Phrase.more(count - shown))</a>" : nil
    }

    private var needs: HTML {
        tasks.isEmpty ? .empty : HTML.card(.needsYou, id: "needs", table: HTML.tasks(tasks))
    }

    private var runningCards: HTML {
        let running = overview.running
        guard !running.isEmpty else { return HTML.emptyState(.nothingRuns, .nothingRunsText) }
        let rows = running.map { delivery -> HTML in
            let counts = delivery.counts
            return """
                <div class="stack-tight running"><div class="row row-between"><h3>\(delivery.link)</h3>\
                \(HTML.announced("delivery-\(delivery.id.rawValue)", delivery.badges))</div>\
                \(HTML.bar(
                    [(counts.sent, .main), (counts.retrying, .retrying), (counts.failed, .failed)],
                    of: counts.targeted, thickness: .thick))\
                \(HTML.figures([
                    (.sent, "\(count: counts.sent)", "\(Phrase.of(counts.targeted))"),
                    (.done, HTML(Formats.share(delivery.ended, of: counts.targeted) ?? "–"), nil),
                    (
                        .rate, HTML(delivery.messagesPerSecond.map(Formats.decimal) ?? "–"),
                        "\(Phrase.perSecond)"
                    ),
                    (
                        .clicked, "\(count: counts.clicked)",
                        Formats.share(counts.clicked, of: counts.sent).map { "\(Phrase.ofSent($0))" }
                    ),
                ]))</div>
                """
        }
        return HTML.card(
            .runningNow, id: "running", note: "\(Phrase.updated)", body: rows.joined(),
            foot: Self.more(overview.runningCount, than: running.count, DeliveryListPage.path))
    }

    private var scheduledCard: HTML {
        let scheduled = overview.scheduled
        guard !scheduled.isEmpty else { return .empty }
        let rows = scheduled.map { delivery -> [HTML] in
            let chosen = overview.starts[delivery.id].map { WallMoment($0) }
            let start = chosen.flatMap { start -> HTML? in
                guard start > visit.now else { return nil }
                return "\(moment: start)<small>\(Moments.distance(start))</small>"
            }
            return [
                delivery.link, delivery.badges(startingAt: chosen ?? delivery.createdAt), start ?? "\(.now)",
                "\(moment: delivery.createdAt)",
            ]
        }
        let columns: [HTML.Column] = [
            .init(.delivery), .init(.state), .init(.start), .init(.submitted),
        ]
        let path = DeliveryListPage.path.with("state", DeliveryState.startPending.rawValue)
        return HTML.card(
            .scheduled, id: "scheduled", note: "\(Phrase.zone(Presentation.current.zoneName))",
            table: HTML.table(columns, rows),
            foot: Self.more(overview.scheduledCount, than: scheduled.count, path))
    }

    private var recentCard: HTML {
        guard !recent.isEmpty else { return .empty }
        let rows = recent.map { delivery -> [HTML] in
            let counts = delivery.counts
            return [
                "\(delivery.link)<small>\(delivery.finishedAt.map { "\(moment: $0)" as HTML })</small>",
                delivery.state.badge, "\(count: counts.sent)",
                HTML(Formats.share(counts.received, of: counts.sent) ?? "–"),
                HTML(Formats.share(counts.clicked, of: counts.sent) ?? "–"), "\(count: counts.failed)",
            ]
        }
        let columns: [HTML.Column] = [
            .init(.delivery), .init(.state), .init(.sent, .number), .init(.received, .number),
            .init(.clicked, .number), .init(.failed, .number),
        ]
        return HTML.card(.recent, id: "recent", table: HTML.table(columns, rows))
    }
}

extension Phrase {
    fileprivate static let newDelivery = Phrase("New delivery", "Neue Zustellung")
    fileprivate static let needsYou = Phrase("Needs you", "Handlungsbedarf")
    fileprivate static let runningNow = Phrase("Running now", "Läuft gerade")
    fileprivate static let updated = Phrase("Updated every 2 seconds", "Alle 2 Sekunden aktualisiert")
    fileprivate static let scheduled = Phrase("Scheduled", "Geplant")
    fileprivate static let recent = Phrase("Finished in the last 7 days", "In den letzten 7 Tagen beendet")
    fileprivate static let nothingRuns = Phrase("Nothing is running", "Es läuft nichts")
    fileprivate static let nothingRunsText = Phrase(
        "A delivery appears here as soon as it is being sent.",
        "Eine Zustellung erscheint hier, sobald sie gesendet wird.")
    fileprivate static let show = Phrase("Show", "Zeigen")
    fileprivate static let delivery = Phrase("Delivery", "Zustellung")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let submitted = Phrase("Submitted", "Eingereicht")
    fileprivate static let start = Phrase("Starts", "Beginn")
    fileprivate static let now = Phrase("Now", "Sofort")
    fileprivate static func more(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("Show 1 more", "1 weitere zeigen")) {
            Phrase("Show \($0) more", "\($0) weitere zeigen")
        }
    }
    fileprivate static let sent = Phrase("Sent", "Gesendet")
    fileprivate static let done = Phrase("Done", "Erledigt")
    fileprivate static let rate = Phrase("Rate", "Rate")
    fileprivate static let received = Phrase("Received", "Empfangen")
    fileprivate static let clicked = Phrase("Clicked", "Geklickt")
    fileprivate static let failed = Phrase("Failed", "Fehlgeschlagen")
    fileprivate static let perSecond = Phrase("a second", "pro Sekunde")
    fileprivate static func of(_ whole: Int) -> Phrase {
        let count = Formats.count(whole)
        return Phrase("of \(count)", "von \(count)")
    }
    fileprivate static func ofSent(_ share: String) -> Phrase {
        Phrase("\(share) of sent", "\(share) der gesendeten")
    }
    fileprivate static func zone(_ name: String) -> Phrase {
        Phrase("Times are in \(name)", "Zeiten in \(name)")
    }
    fileprivate static func alarm(_ about: String) -> Phrase {
        Phrase("Alarm: \(isolated(about))", "Alarm: \(isolated(about))")
    }
    fileprivate static func waits(_ label: String) -> Phrase {
        let label = isolated(label)
        return Phrase("\(label) waits for a decision", "\(label) wartet auf eine Entscheidung")
    }
    fileprivate static func stands(_ label: String) -> Phrase {
        let label = isolated(label)
        return Phrase("Nothing of \(label) is being sent", "Von \(label) wird nichts gesendet")
    }
    fileprivate static let draft = Phrase("Draft", "Entwurf")
    fileprivate static let service = Phrase("Service", "Dienst")
    fileprivate static let savedBy = Phrase("Saved by", "Gespeichert von")
    fileprivate static let savedAt = Phrase("Saved", "Gespeichert")
    fileprivate static let allDrafts = Phrase("Show all drafts", "Alle Entwürfe zeigen")
    fileprivate static func summary(_ running: Int, _ scheduled: Int, _ tasks: Int) -> Phrase {
        let (run, wait, need) = (
            Formats.count(running), Formats.count(scheduled), Formats.count(tasks)
        )
        return Phrase(
            "\(run) running, \(wait) scheduled, \(need) \(tasks == 1 ? "needs" : "need") you",
            "\(run) \(running == 1 ? "läuft" : "laufen"), \(wait) geplant, "
                + "\(need) mit Handlungsbedarf")
    }
}
