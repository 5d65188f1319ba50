internal import PushAPI
internal import PushModel
internal import PushWire

/// Jobs: operations of many steps, with their progress.
enum JobScreens: ScreenGroup {
    static let started = Notice(
        "job.started",
        Phrase(
            "The job was started. You can leave this page.",
            "Der Auftrag wurde gestartet. Sie können diese Seite verlassen."))
    private static let cancelled = Notice(
        "job.cancelled",
        Phrase(
            "The job ends after its current step. Completed steps stay.",
            "Der Auftrag endet nach dem laufenden Schritt. Erledigte Schritte bleiben."))
    static let notices = [started, cancelled]

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/jobs", needs: .read) { visit in try list(visit) },
        ConsoleRoute(.get, "/jobs/{id}", needs: .read) { visit in try JobPage(visit).reply },
        ConsoleRoute(.get, "/jobs/{id}/live", needs: .read) { visit in
            let page = try JobPage(visit)
            return .fragment(page.html, isFinal: page.hasEnded)
        },
        ConsoleRoute(.post, "/jobs/{id}/cancel", needs: .admin) { visit in
            let job = try visit.carryOut(CancelJob(id: try visit.number("id")))
            return .redirect(job.path, notice: cancelled)
        },
    ]

    private static func list(_ visit: Visit) throws -> Reply {
        let cursor = visit.query.given("cursor")
        let page = try visit.ask(ListJobs.self, query: ["limit": "50", "cursor": cursor])
        let content =
            page.items.isEmpty
            ? HTML.emptyState(.noJobs, .noJobsText) : HTML.card(table: table(page.items))
        let body: HTML = """
            \(HTML.pageHead(NavigationItem.jobs.title))
            <div class="stack">\(content)\(HTML.pager("/jobs", cursor: cursor, next: page.next))</div>
            """
        return .page(Page(title: NavigationItem.jobs.title, current: .jobs, body: body))
    }

    static func table(_ jobs: [JobView]) -> HTML {
        let rows = jobs.map { job -> [HTML] in
            [
                "<a href=\"\(job.path)\">\(job.title) #\(number: job.id)</a>", job.badge, job.progress,
                "\(name: job.caller)", "\(moment: job.createdAt)",
            ]
        }
        return HTML.table(
            [.init(.job), .init(.state), .init(.done), .init(.by), .init(.begun)], rows, caption: .caption)
    }
}

extension JobView {
    var path: ConsolePath { "/jobs/\(id)" }
    var isImport: Bool { operation == ImportSubscribers.name }

    var title: Phrase {
        switch operation {
        case ImportSubscribers.name: Phrase("Import of subscribers", "Import von Abonnenten")
        case EraseSubscribers.name: Phrase("Erasure of a person", "Löschung einer Person")
        case "store.purge": Phrase("Cleanup of the store", "Aufräumen des Speichers")
        case "store.backup": Phrase("Backup of the store", "Sicherung des Speichers")
        default: Phrase(same: operation)
        }
    }

    var badge: HTML {
        switch state.word {
        case "waiting": HTML.badge(.neutral, .waiting)
        case "running": isCancelled ? HTML.badge(.warn, .ending) : HTML.badge(.active, .running)
        case "done": HTML.badge(.good, .finished)
        case "failed": HTML.badge(.bad, .failed)
        default: HTML.badge(.neutral, .cancelled)
        }
    }

    /// The share that is done; empty if it is unknown.
    var progress: HTML {
        guard endedAt == nil, let done, let total, let share = Formats.share(done, of: total) else {
            return .empty
        }
        return HTML(share)
    }

    /// A figure of the result so far.
    func figure(_ name: String) -> Int? {
        guard case .integer(let number)? = result?.value[name] else { return nil }
        return Int(number)
    }
}

/// The page of a job.
struct JobPage {
    private let visit: Visit
    private let job: JobView

    init(_ visit: Visit) throws {
        self.visit = visit
        job = try visit.carryOut(ShowJob(try visit.number("id")))
    }

    var reply: Reply {
        let live: ConsolePath = "/jobs/\(job.id)/live"
        let place = job.isImport ? NavigationItem.imports : .jobs
        let content = job.endedAt == nil ? HTML.live(live, html) : HTML.stack(html)
        let body: HTML = """
            \(HTML.pageHead(
                "\(job.title) #\(number: job.id)" as HTML,
                crumbs: [("\(place.title)", place.path)],
                meta: ["\(Phrase.begun) \(moment: job.createdAt)", "\(Phrase.by) \(name: job.caller)"]))
            \(content)
            """
        return .page(Page(title: job.title, current: place, body: body))
    }

    var hasEnded: Bool { job.endedAt != nil }

    var html: HTML {
        "\(progressCard)\(errors)\(figures)\(job.isImport ? RejectedRows.card(of: job, visit) : .empty)"
    }

    private var progressCard: HTML {
        let state = HTML.announced("job", job.badge)
        guard job.endedAt == nil else {
            let end: HTML? = job.endedAt.map { "<span>\(moment: $0)</span>" }
            return HTML.card(.progress, id: "progress", body: "<p class=\"row\">\(state)\(end)</p>")
        }
        let (done, total) = (job.done ?? 0, job.total ?? 0)
        let share = Formats.share(done, of: total) ?? "–"
        let rest: HTML? = job.remainingSeconds.map {
            "<span class=\"small muted\">\(Phrase.timeLeft(Formats.duration(seconds: $0)))</span>"
        }
        let bar: HTML? =
            total > 0
            ? """
            <div role="progressbar" aria-label="\(Phrase.progress)" aria-valuemin="0" aria-valuemax="100" \
            aria-valuenow="\(number: min(100, done * 100 / max(total, 1)))">\
            \(HTML.bar([(done, .main)], of: total, thickness: .thick))</div>
            """ : nil
        return HTML.card(
            .progress, id: "progress", note: "\(Phrase.updated)",
            body: """
                <div class="stack-tight"><p class="row">\(state)<b>\(share)</b>\(rest)</p>\(bar)\
                \(cancel)</div>
                """)
    }

    private var cancel: HTML {
        guard visit.isPermitted(CancelJob.self), !job.isCancelled else { return .empty }
        let button = visit.button(.cancel, action: "/jobs/\(job.id)/cancel", classes: "button-small")
        return "<div class=\"row\">\(button)</div>"
    }

    private var errors: HTML {
        guard !job.errors.isEmpty else { return .empty }
        let items = job.errors.prefix(20).map { "<li lang=\"en\">\($0)</li>" as HTML }
        let next: Phrase = job.isImport ? .repeatImport : .repeatJob
        return "<div class=\"notice notice-bad\"><ul>\(Array(items))</ul><p>\(next)</p></div>"
    }

    private static let names: [(String, Phrase)] = [
        ("rows", Phrase("Rows", "Zeilen")), ("inserted", Phrase("New", "Neu")),
        ("updated", Phrase("Updated", "Aktualisiert")), ("unchanged", Phrase("Unchanged", "Unverändert")),
        ("repeated", Phrase("Repeated", "Doppelt")), ("rejected", Phrase("Rejected", "Abgelehnt")),
        ("quarantined", Phrase("Still in quarantine", "Weiter in Quarantäne")),
        ("optedOut", Phrase("Opted out", "Abgemeldet")),
        ("removed", Phrase("Devices removed", "Geräte entfernt")),
        ("remembered", Phrase("Earlier devices", "Frühere Geräte")),
        ("listed", Phrase("Entries in lists", "Einträge in Listen")),
        ("unreadableParts", Phrase("Damaged parts", "Beschädigte Teile")),
    ]

    private var figures: HTML {
        guard case .object(let members)? = job.result?.value else { return .empty }
        let figures = members.prefix(20).compactMap { member -> (term: Phrase, value: HTML, note: HTML?)? in
            guard case .integer(let number) = member.value else { return nil }
            let title = Self.names.first { $0.0 == member.key }?.1 ?? Phrase(same: member.key)
            return (title, "\(count: Int(number))", nil)
        }
        guard !figures.isEmpty else { return .empty }
        return HTML.card(.result, id: "result", body: HTML.figures(figures))
    }
}

extension Phrase {
    fileprivate static let noJobs = Phrase("There is no job yet", "Es gibt noch keinen Auftrag")
    fileprivate static let noJobsText = Phrase(
        "Imports, erasures, backups and cleanups appear here with their progress.",
        "Importe, Löschungen, Sicherungen und Aufräumarbeiten erscheinen hier mit ihrem Fortschritt.")
    fileprivate static let job = Phrase("Job", "Auftrag")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let done = Phrase("Done", "Erledigt")
    fileprivate static let by = Phrase("By", "Von")
    fileprivate static let begun = Phrase("Started", "Gestartet")
    fileprivate static let caption = Phrase("Jobs, newest first", "Aufträge, neueste zuerst")
    fileprivate static let waiting = Phrase("Waiting", "Wartet")
    fileprivate static let running = Phrase("Running", "Läuft")
    fileprivate static let ending = Phrase("Ending", "Wird beendet")
    fileprivate static let finished = Phrase("Done", "Erledigt")
    fileprivate static let failed = Phrase("Failed", "Fehlgeschlagen")
    fileprivate static let cancelled = Phrase("Cancelled", "Abgebrochen")
    fileprivate static let progress = Phrase("Progress", "Fortschritt")
    fileprivate static let updated = Phrase("Updated every 2 seconds", "Alle 2 Sekunden aktualisiert")
    fileprivate static let cancel = Phrase("Cancel the job", "Auftrag abbrechen")
    fileprivate static let result = Phrase("Result", "Ergebnis")
    fileprivate static func timeLeft(_ duration: String) -> Phrase {
        Phrase("\(duration) left", "noch \(duration)")
    }
    fileprivate static let repeatImport = Phrase(
        "Correct the cause, and import the file again. Rows that are stored do not change again.",
        "Beheben Sie die Ursache, und importieren Sie die Datei erneut. Gespeicherte Zeilen bleiben gleich.")
    fileprivate static let repeatJob = Phrase(
        "Correct the cause, and repeat the action. Completed steps stay.",
        "Beheben Sie die Ursache, und wiederholen Sie die Aktion. Erledigte Schritte bleiben.")
}
