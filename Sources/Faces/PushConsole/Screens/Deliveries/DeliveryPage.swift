internal import PushAPI
internal import PushModel

/// The page of one delivery: whether it goes well, when it is done, and what people do with it. Its figures
/// are read together, whatever the size of the delivery.
struct DeliveryPage {
    let visit: Visit
    let details: DeliveryDetails
    let statistics: DeliveryStatistics
    /// The retry that the person has started from this page; `nil` if there is none.
    let job: JobView?

    var delivery: DeliveryView { details.delivery }
    var order: DeliveryOrderView? { details.order }
    var counts: DeliveryView.Counts { details.delivery.counts }
    var path: ConsolePath { details.delivery.path }

    init(_ visit: Visit) throws {
        self.visit = visit
        let id = DeliveryID(rawValue: try visit.number("id"))
        details = try visit.recently(ShowDelivery(id: id), of: "\(id)")
        var figures = ShowDeliveryStatistics()
        figures.id = id
        statistics = try visit.recently(figures, of: "\(id)")
        let job = visit.query.number("job").flatMap { try? visit.carryOut(ShowJob(Int64($0))) }
        self.job = job?.operation == RetryFailed.name ? job : nil
    }

    var reply: Reply {
        let address: ConsolePath = "/deliveries/\(delivery.id.rawValue)/live"
        let content =
            isLive
            ? HTML.live(address.with("job", job.map { "\($0.id)" }), html)
            : "<div class=\"stack\">\(html)</div>"
        return .page(Page(title: delivery.shownLabel, current: .deliveries, body: content))
    }

    /// Whether the figures may still change from one second to the next. Clicks may arrive for weeks.
    var isLive: Bool {
        guard delivery.state.isFinal, let finished = delivery.finishedAt else { return true }
        return visit.now.seconds(since: finished) < 3_600 || job?.endedAt == nil && job != nil
    }

    /// The page's whole content, which the script refreshes.
    var html: HTML {
        let (exclusions, asked) = (exclusions, asked)
        // A card that is alone has the whole width.
        let last: HTML =
            exclusions.isEmpty ? asked : "<div class=\"pair\">\(exclusions)\(asked)</div>"
        return """
            \(head)\(problems)\(jobCard)\(progress)\(funnel)\(chart)\(failures)\(releases)\(apps)\(last)
            """
    }

    // MARK: Head

    private var head: HTML {
        var meta: [HTML] = [HTML.announced("state", delivery.badges(startingAt: start))]
        if let finished = delivery.finishedAt {
            meta.append("\(.ended) \(moment: finished)")
        } else if let started = delivery.startedAt {
            meta.append("\(.started) \(moment: started)")
        } else if let start, start > visit.now {
            meta.append("\(.starts) \(moment: start), \(Moments.distance(start))")
        } else {
            meta.append("\(.submitted) \(moment: delivery.createdAt)")
        }
        if let order, !delivery.state.isFinal { meta.append("\(.validUntil) \(moment: order.expiresAt)") }
        if details.verifyMode { meta.append(HTML.badge(.warn, .rehearsal)) }
        return HTML.pageHead(
            "\(name: delivery.shownLabel)",
            crumbs: [(title: "\(NavigationItem.deliveries.title)", path: DeliveryListPage.path)], meta: meta,
            actions: actions)
    }

    /// The chosen start; the time of the submission if the delivery starts as soon as possible.
    private var start: WallMoment? { order.map { $0.startAt.map(WallMoment.init) ?? delivery.createdAt } }

    private var actions: HTML {
        let state = delivery.state
        var buttons = DeliveryLinks.copy(of: delivery, visit)
        if state == .paused, visit.isPermitted(ResumeDelivery.self) {
            buttons += visit.button(.resume, action: action("resume"), classes: "button-primary")
        } else if !state.isFinal, state != .stopping, visit.isPermitted(PauseDelivery.self) {
            buttons += visit.button(.pause, action: action("pause"))
        }
        if !state.isFinal, state != .stopping, visit.isPermitted(StopDelivery.self) {
            buttons += HTML.link(.stop, action("stop"), classes: "button-danger")
        }
        return buttons
    }

    /// The path of a page below this one.
    func action(_ name: String) -> ConsolePath { "/deliveries/\(delivery.id.rawValue)/\(name)" }

    // MARK: Progress

    private var progress: HTML {
        let counts = counts
        return HTML.card(
            .progress, id: "progress", note: limit,
            body: """
                <div class="stack-tight">\(HTML.figures(figures))\
                \(HTML.bar(
                    [
                        (counts.sent, .main), (counts.retrying, .retrying), (counts.failed, .failed),
                        (counts.cancelled, .quiet),
                    ], of: counts.targeted, thickness: .thick))\
                <div class="legend"><span class="key">\(.sent) <b>\(count: counts.sent)</b></span>\
                <span class="key key-retrying">\(.retrying) <b>\(count: counts.retrying)</b></span>\
                <span class="key key-failed">\(.failed) <b>\(count: counts.failed)</b></span>\
                <span class="key key-waiting">\(.waiting) <b>\(count: counts.pending)</b></span>\
                \(cancelledKey)\(excludedNote)</div></div>
                """)
    }

    private var cancelledKey: HTML? {
        guard counts.cancelled > 0 else { return nil }
        return """
            <span class="key key-quiet">\(.cancelled) <b>\(count: counts.cancelled)</b></span>
            """
    }

    private var excludedNote: HTML? {
        guard counts.excluded > 0 else { return nil }
        return """
            <span class="small muted">\(.leftOut) <a href="#excluded">\(count: counts.excluded)</a></span>
            """
    }

    private var limit: HTML? {
        guard !delivery.state.isFinal, let limit = delivery.limitedBy else { return nil }
        return "\(limit.explanation)"
    }

    private var figures: [(term: Phrase, value: HTML, note: HTML?)] {
        var hasRate = true
        var figures: [(term: Phrase, value: HTML, note: HTML?)] = [
            (
                .done, HTML(Formats.share(delivery.ended, of: counts.targeted) ?? "–"),
                "\(Phrase.of(counts.targeted))"
            )
        ]
        if let seconds = delivery.secondsLeft, !delivery.state.isFinal {
            let end = WallMoment(visit.now.time.advanced(bySeconds: Int64(seconds)))
            figures.append(
                (
                    .timeLeft, HTML(Formats.duration(seconds: seconds)),
                    "\(Phrase.until(Moments.clock(end)))"
                ))
        } else if let started = delivery.startedAt, let finished = delivery.finishedAt {
            let seconds = finished.seconds(since: started)
            // A rate of less than a second is only a number of messages.
            hasRate = seconds >= 1
            figures.append((.duration, HTML(Formats.period(seconds: seconds)), nil))
        }
        if hasRate {
            let limit = order?.ratePerSecond.map { "\(Phrase.limit(Formats.count($0)))" as HTML }
            figures.append(
                (
                    .rate, HTML(delivery.messagesPerSecond.map(Formats.decimal) ?? "–"),
                    limit ?? "\(Phrase.perSecond)"
                ))
        }
        let share: HTML? = Formats.share(counts.failed, of: delivery.ended).map { "\($0), " }
        figures.append(
            (
                .failed, "\(count: counts.failed)",
                counts.failed == 0 ? nil : "\(share)<a href=\"#failed\">\(.seeWhy)</a>"
            ))
        return figures
    }

    // MARK: Funnel

    private var funnel: HTML {
        let counts = counts
        func note(_ part: Int, _ whole: Int, _ words: (String) -> Phrase) -> HTML? {
            Formats.share(part, of: whole).map { "\(words($0))" }
        }
        let clicked = [
            note(counts.clicked, counts.sent, Phrase.ofSent),
            note(counts.clicked, counts.received, Phrase.ofReceived),
        ].compactMap(\.self)
        let stages: [HTML.FunnelStage] = [
            .init(.targeted, counts.targeted, note: "\(.devices)"),
            .init(.sent, counts.sent, note: note(counts.sent, counts.targeted, Phrase.ofTargeted) ?? "–"),
            .init(.received, counts.received, note: note(counts.received, counts.sent, Phrase.ofSent) ?? "–"),
            .init(.clicked, counts.clicked, note: clicked.isEmpty ? "–" : clicked.joined(by: "<br>")),
        ]
        return HTML.card(
            .funnel, id: "funnel", note: "\(Phrase.updatedAt(Moments.clockWithSeconds(visit.now)))",
            table: HTML.funnel(stages))
    }
}

extension Phrase {
    fileprivate static let started = Phrase("Started", "Gestartet:")
    fileprivate static let starts = Phrase("Starts", "Beginnt:")
    fileprivate static let ended = Phrase("Ended", "Beendet:")
    fileprivate static let submitted = Phrase("Submitted", "Eingereicht:")
    fileprivate static let validUntil = Phrase("Valid until", "Gültig bis")
    fileprivate static let rehearsal = Phrase("Rehearsal: nothing is sent", "Probelauf: Nichts wird gesendet")
    fileprivate static let pause = Phrase("Pause", "Anhalten")
    fileprivate static let resume = Phrase("Resume", "Fortsetzen")
    fileprivate static let stop = Phrase("Stop…", "Stoppen…")
    fileprivate static let progress = Phrase("Progress", "Fortschritt")
    fileprivate static let done = Phrase("Done", "Erledigt")
    fileprivate static let timeLeft = Phrase("Time left", "Restzeit")
    fileprivate static let duration = Phrase("Duration", "Dauer")
    fileprivate static let rate = Phrase("Rate", "Rate")
    fileprivate static let perSecond = Phrase("a second", "pro Sekunde")
    fileprivate static let sent = Phrase("Sent", "Gesendet")
    fileprivate static let retrying = Phrase("Retrying", "Neuer Versuch folgt")
    fileprivate static let failed = Phrase("Failed", "Fehlgeschlagen")
    fileprivate static let waiting = Phrase("Waiting", "Wartet")
    fileprivate static let cancelled = Phrase("Cancelled", "Abgebrochen")
    fileprivate static let leftOut = Phrase("Left out before sending:", "Vor dem Senden ausgelassen:")
    fileprivate static let seeWhy = Phrase("see why", "Gründe")
    fileprivate static let funnel = Phrase("Funnel", "Trichter")
    fileprivate static let targeted = Phrase("Targeted", "Ziele")
    fileprivate static let devices = Phrase("devices", "Geräte")
    fileprivate static let received = Phrase("Received", "Empfangen")
    fileprivate static let clicked = Phrase("Clicked", "Geklickt")
    fileprivate static func of(_ whole: Int) -> Phrase {
        let count = Formats.count(whole)
        return Phrase("of \(count)", "von \(count)")
    }
    fileprivate static func until(_ clock: String) -> Phrase {
        Phrase("until about \(clock)", "bis etwa \(clock)")
    }
    fileprivate static func limit(_ rate: String) -> Phrase {
        Phrase("a second, limit \(rate)", "pro Sekunde, Grenze \(rate)")
    }
    fileprivate static func updatedAt(_ clock: String) -> Phrase {
        Phrase("Updated at \(clock)", "Aktualisiert um \(clock)")
    }
    fileprivate static func ofTargeted(_ share: String) -> Phrase {
        Phrase("\(share) of targeted", "\(share) der Ziele")
    }
    fileprivate static func ofSent(_ share: String) -> Phrase {
        Phrase("\(share) of sent", "\(share) der gesendeten")
    }
    fileprivate static func ofReceived(_ share: String) -> Phrase {
        Phrase("\(share) of received", "\(share) der empfangenen")
    }
}
