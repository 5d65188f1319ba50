internal import PushAPI
internal import PushModel
internal import PushWire

/// The size of the store, how fast it grows, and how long it keeps data.
enum StoreScreens: ScreenGroup {
    static let notices = [purging]
    private static let purging = Notice("store.purging", .purging)

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/store", needs: .admin) { visit in
            let status = try visit.carryOut(ShowStatus())
            let title = NavigationItem.store.title
            let trouble: HTML? = status.storeTrouble.map { HTML.note(HTML.inEnglish($0), tone: .bad) }
            let body: HTML = """
                \(HTML.pageHead(title, meta: [HTML.code(status.store)]))\(trouble)
                \(HTML.stack(size(status.size), growth(status.size), try retention(visit), queues(status)))
                """
            return .page(Page(title: title, current: .store, body: body))
        },
        ConsoleRoute(.post, "/store/estimate", needs: .admin, once: true) { visit in
            job(try visit.start(PurgeStore(isDryRun: true)), visit)
        },
        ConsoleRoute(.get, "/store/purge", needs: .admin) { visit in
            let estimate = visit.button(.estimate, action: "/store/estimate")
            let body: HTML = """
                \(HTML.confirmation(
                    visit, title: "\(Phrase.purgeTitle)", consequence: "\(Phrase.purgeText)",
                    action: "/store/purge", label: .purge, back: "/store"))
                \(HTML.card(.first, id: "first", body: "<p>\(Phrase.estimateText)</p>", foot: estimate))
                """
            return .page(Page(title: .purgeTitle, current: .store, body: body))
        },
        ConsoleRoute(.post, "/store/purge", needs: .admin, guarded: true, once: true) { visit in
            job(try visit.start(PurgeStore()), visit)
        },
    ]

    private static func job(_ job: JobView, _ visit: Visit) -> Reply {
        let path: ConsolePath = "/jobs/\(job.id)"
        return .redirect(visit.table.hasPage(path) ? path : "/store", notice: purging)
    }

    private static func size(_ size: StoreSize?) -> HTML {
        guard let size else { return HTML.emptyState(.noSize, .noSizeText) }
        let used = size.bytes - (size.freeBytes ?? 0)
        let free: HTML? = size.freeBytes.map { "\(Phrase.emptyPart(Formats.bytes($0)))" }
        let disk: HTML = size.diskFreeBytes.map { HTML(Formats.bytes($0)) } ?? "\(Phrase.unknown)"
        return HTML.card(
            .size, id: "size",
            body: """
                \(HTML.figures([
                    (.used, HTML(Formats.bytes(used)), nil),
                    (.database, HTML(Formats.bytes(size.bytes)), free),
                    (.log, HTML(Formats.bytes(size.logBytes)), nil), (.diskFree, disk, nil),
                ]))
                """)
    }

    private static func growth(_ size: StoreSize?) -> HTML {
        guard let size, let bytes = size.bytesPerMillionMessages, bytes > 0 else {
            return HTML.card(.growth, id: "growth", body: "<p>\(Phrase.noGrowth)</p>")
        }
        var facts: [(term: Phrase, value: HTML)] = [(.perMillion, HTML(Formats.bytes(bytes)))]
        if let free = size.diskFreeBytes {
            let room = Double(free + (size.freeBytes ?? 0)) / Double(bytes) * 1_000_000
            facts.append((.room, "\(count: Int(min(room, 1e15))) \(Phrase.messages)"))
        }
        return HTML.card(.growth, id: "growth", note: "\(Phrase.estimated)", body: HTML.facts(facts))
    }

    private static func retention(_ visit: Visit) throws -> HTML {
        let settings = try visit.carryOut(ShowConfiguration()).map(\.values)
        func value(_ path: String) -> String { settings.first { $0.path == path }?.value ?? "–" }
        let foot: HTML? =
            visit.isPermitted(PurgeStore.self) ? HTML.link(.purgeLink, "/store/purge") : nil
        let days = value("nmac/@retentionDays")
        let quarantine = settings.first { $0.path.hasSuffix("quarantine/@purgeDelay") }?.value ?? "–"
        return HTML.card(
            .retention, id: "retention", note: "\(Phrase.retentionNote)",
            body: HTML.facts([
                (
                    .messages,
                    "\(days) \(days == "1" ? Phrase.day : .days) \(HTML.code("nmac/@retentionDays"))"
                ),
                (.excluded, "\(quarantine) \(HTML.code("nmac/quarantine/@purgeDelay"))"),
                (.auditLines, "\(Phrase.auditDays)"),
            ]), foot: foot)
    }

    private static func queues(_ status: StatusView) -> HTML {
        guard !status.queues.isEmpty else { return .empty }
        let rows = status.queues.prefix(50).map { queue -> [HTML] in
            let oldest: HTML = queue.oldestSeconds.map { HTML(Formats.duration(seconds: $0)) } ?? "–"
            // The account has a page as soon as the master uses it.
            let hasPage = status.master?.accounts.contains { $0.mark == queue.mark } == true
            let path: ConsolePath = "/accounts/\(queue.mark)"
            return [
                hasPage
                    ? "<a href=\"\(path)\">\(name: queue.account)</a>" : "\(name: queue.account)",
                "\(count: queue.pending)", "\(count: queue.retrying)", "\(count: queue.paused)", oldest,
            ]
        }
        let columns: [HTML.Column] = [
            .init(.account), .init(.pending, .number), .init(.retrying, .number), .init(.paused, .number),
            .init(.oldest, .number),
        ]
        return HTML.card(.queues, id: "queues", table: HTML.table(columns, Array(rows)))
    }
}

extension Phrase {
    fileprivate static let purging = Phrase(
        "The job was started. It runs in the background.",
        "Der Auftrag wurde gestartet. Er läuft im Hintergrund."
    )
    fileprivate static let purgeLink = Phrase("Remove old data now…", "Alte Daten jetzt entfernen…")
    fileprivate static let purgeTitle = Phrase("Remove old data now?", "Alte Daten jetzt entfernen?")
    fileprivate static let purgeText = Phrase(
        "Everything whose retention period has ended is removed. The running service does this by itself; "
            + "use this only if space is needed now. This cannot be undone.",
        "Alles, dessen Aufbewahrungszeit abgelaufen ist, wird entfernt. Der laufende Dienst tut das von "
            + "selbst; nötig ist es nur, wenn Platz gebraucht wird. Das lässt sich nicht rückgängig machen."
    )
    fileprivate static let purge = Phrase("Remove old data", "Alte Daten entfernen")
    fileprivate static let first = Phrase("Estimate first", "Zuerst schätzen")
    fileprivate static let estimateText = Phrase(
        "An estimate removes nothing and shows how much would be removed.",
        "Eine Schätzung entfernt nichts und zeigt, wie viel entfernt würde.")
    fileprivate static let estimate = Phrase("Estimate", "Schätzen")
    fileprivate static let noSize = Phrase("The size is unknown", "Die Größe ist unbekannt")
    fileprivate static let noSizeText = Phrase(
        "The store does not answer now. Open the page again in a moment.",
        "Der Speicher antwortet gerade nicht. Öffnen Sie die Seite gleich noch einmal.")
    fileprivate static func emptyPart(_ bytes: String) -> Phrase {
        Phrase("\(bytes) of it are free for new data", "davon \(bytes) frei für neue Daten")
    }
    fileprivate static let size = Phrase("Size", "Größe")
    fileprivate static let used = Phrase("Data", "Daten")
    fileprivate static let database = Phrase("Database", "Datenbank")
    fileprivate static let log = Phrase("Log", "Log")
    fileprivate static let diskFree = Phrase("Free on the disk", "Frei auf dem Datenträger")
    fileprivate static let unknown = Phrase("unknown", "unbekannt")
    fileprivate static let growth = Phrase("Growth", "Wachstum")
    fileprivate static let noGrowth = Phrase(
        "An estimate appears after the first messages.",
        "Eine Schätzung erscheint nach den ersten Nachrichten.")
    fileprivate static let estimated = Phrase(
        "Estimated from the newest messages", "Geschätzt nach den neuesten Nachrichten")
    fileprivate static let perMillion = Phrase("For a million messages", "Für eine Million Nachrichten")
    fileprivate static let room = Phrase("Room on the disk for about", "Platz auf dem Datenträger für etwa")
    fileprivate static let messages = Phrase("messages", "Nachrichten")
    fileprivate static let retention = Phrase("Retention", "Aufbewahrung")
    fileprivate static let retentionNote = Phrase(
        "A delivery can have its own period", "Eine Zustellung kann eine eigene Frist haben")
    fileprivate static let day = Phrase("day after the delivery has ended", "Tag nach Ende der Zustellung")
    fileprivate static let days = Phrase("days after the delivery has ended", "Tage nach Ende der Zustellung")
    fileprivate static let excluded = Phrase("Excluded devices", "Ausgelassene Geräte")
    fileprivate static let auditLines = Phrase("Lines of the audit trail", "Zeilen des Protokolls")
    fileprivate static let auditDays = Phrase("400 days", "400 Tage")
    fileprivate static let queues = Phrase("Waiting messages", "Wartende Nachrichten")
    fileprivate static let account = Phrase("Account", "Konto")
    fileprivate static let pending = Phrase("Waiting", "Wartend")
    fileprivate static let retrying = Phrase("To be retried", "Zu wiederholen")
    fileprivate static let paused = Phrase("Paused", "Angehalten")
    fileprivate static let oldest = Phrase("Oldest", "Älteste")
}
