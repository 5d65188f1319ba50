internal import PushAPI
internal import PushModel
internal import PushWire

/// The first page: what needs a person, what is running, and what comes next.
enum HomeScreens: ScreenGroup {
    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/", needs: .read) { visit in
            let overview = try HomeOverview(visit)
            let body: HTML = """
                \(HTML.pageHead(NavigationItem.home.title, meta: overview.meta, actions: actions(visit)))
                \(HTML.live("/home/live", overview.html))
                """
            return .page(Page(title: NavigationItem.home.title, current: .home, body: body))
        },
        ConsoleRoute(.get, "/home/live", needs: .read) { visit in
            .fragment(try HomeOverview(visit).html)
        },
    ]

    private static func actions(_ visit: Visit) -> HTML {
        let path: ConsolePath = "/deliveries/new"
        guard visit.table.hasPage(path), visit.isPermitted(SubmitDelivery.self) else { return .empty }
        return HTML.link(.newDelivery, path, classes: "button-primary")
    }
}

/// The content of the first page. It reads the status and the newest deliveries, whatever the size of the
/// store.
private struct HomeOverview {
    private static let maxListed = 20
    private let visit: Visit
    private let running: [DeliveryView]
    private let scheduled: [DeliveryView]
    private let recent: [DeliveryView]
    private let tasks: [(title: HTML, text: HTML, action: HTML)]

    init(_ visit: Visit) throws {
        self.visit = visit
        let deliveries = try visit.carryOut(ListDeliveries(limit: 200)).items
        running = deliveries.filter { !$0.state.isFinal && $0.startedAt != nil }
        scheduled = deliveries.filter { !$0.state.isFinal && $0.startedAt == nil }
        recent = deliveries.filter { delivery in
            guard let finished = delivery.finishedAt else { return false }
            return visit.now.seconds(since: finished) < 7 * 86_400
        }
        tasks = try Self.tasks(visit, deliveries)
    }

    var meta: [HTML] {
        [
            HTML(Moments.long(visit.now)),
            HTML(Phrase.summary(running.count, scheduled.count, tasks.count).text),
        ]
    }

    var html: HTML {
        """
        \(needs)\(runningCards)\(scheduledCard)\(recentCard)
        """
    }

    private static func tasks(
        _ visit: Visit, _ deliveries: [DeliveryView]
    ) throws -> [(title: HTML, text: HTML, action: HTML)] {
        var tasks: [(title: HTML, text: HTML, action: HTML)] = []
        if visit.isPermitted(.admin) {
            // The master's status alone: this page is requested often.
            let alarms = try? visit.operations.engine.status()?.alarms
            for alarm in (alarms ?? []).prefix(maxListed) {
                tasks.append(
                    (
                        title: "\(Phrase.alarm(alarm.about.isEmpty ? alarm.kind : alarm.about))",
                        text: "<span lang=\"en\">\(alarm.cause)</span>", action: .empty
                    ))
            }
        }
        for delivery in deliveries {
            guard let why = delivery.held ?? delivery.damage, tasks.count < maxListed else { continue }
            tasks.append(
                (
                    title: "\(Phrase.waits(delivery.shownLabel))", text: "<span lang=\"en\">\(why)</span>",
                    action: HTML.link(.show, delivery.path, subject: delivery.shownLabel)
                ))
        }
        return tasks
    }

    private var needs: HTML {
        tasks.isEmpty ? .empty : HTML.card(.needsYou, id: "needs", table: HTML.tasks(tasks))
    }

    private var runningCards: HTML {
        guard !running.isEmpty else { return HTML.emptyState(.nothingRuns, .nothingRunsText) }
        let rows = running.prefix(Self.maxListed).map { delivery -> HTML in
            let counts = delivery.counts
            let done = counts.sent + counts.failed + counts.cancelled
            return """
                <div class="stack-tight running"><div class="row row-between"><h3>\(delivery.link)</h3>\
                \(HTML.announced("delivery-\(delivery.id.rawValue)", delivery.state.badge))</div>\
                \(HTML.bar(
                    [(counts.sent, .main), (counts.retrying, .retrying), (counts.failed, .failed)],
                    of: counts.targeted, thickness: .thick))\
                \(HTML.figures([
                    (.sent, "\(count: counts.sent)", "\(Phrase.of(counts.targeted))"),
                    (.done, HTML(Formats.share(done, of: counts.targeted) ?? "–"), nil),
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
        return HTML.card(.runningNow, id: "running", note: "\(Phrase.updated)", body: Array(rows).joined())
    }

    private var scheduledCard: HTML {
        guard !scheduled.isEmpty else { return .empty }
        let rows = scheduled.prefix(Self.maxListed).map { delivery -> [HTML] in
            [
                delivery.link, delivery.state.badge, "\(moment: delivery.createdAt)",
                "\(count: delivery.counts.targeted)",
            ]
        }
        let columns: [HTML.Column] = [
            .init(.delivery), .init(.state), .init(.submitted), .init(.recipients, .number),
        ]
        return HTML.card(
            .scheduled, id: "scheduled", note: "\(Phrase.zone(Presentation.current.zoneName))",
            table: HTML.table(columns, Array(rows)))
    }

    private var recentCard: HTML {
        guard !recent.isEmpty else { return .empty }
        let rows = recent.prefix(Self.maxListed).map { delivery -> [HTML] in
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
        return HTML.card(.recent, id: "recent", table: HTML.table(columns, Array(rows)))
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
    fileprivate static let recipients = Phrase("Recipients", "Empfänger")
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
    fileprivate static func summary(_ running: Int, _ scheduled: Int, _ tasks: Int) -> Phrase {
        Phrase(
            "\(running) running, \(scheduled) scheduled, \(tasks) need you",
            "\(running) laufen, \(scheduled) geplant, \(tasks) mit Handlungsbedarf")
    }
}
