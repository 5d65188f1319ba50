internal import PushAPI
internal import PushModel
internal import PushWire

/// The recipients of a delivery: the result of each message, page by page, by user key or token, and as a
/// file.
enum RecipientScreens {
    static let pageSize = 50
    /// The maximum number of messages in a file.
    static let fileRows = 50_000
    private static let rowsOfStep = 5_000

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/deliveries/{id}/recipients", needs: .read, lengthy: true) { try recipients($0) },
        ConsoleRoute(.get, "/deliveries/{id}/csv", needs: .read, lengthy: true) { try files($0) },
        ConsoleRoute(.get, "/deliveries/{id}/csv/file", needs: .read, lengthy: true) { try file($0) },
    ]

    // MARK: The page

    private static func recipients(_ visit: Visit) throws -> Reply {
        let delivery = try DeliveryActions.delivery(of: visit)
        let (key, cursor) = (visit.query.given("q"), visit.query.given("cursor"))
        var log = try log(visit, delivery.id, ["userKey": key, "cursor": cursor], limit: pageSize)
        // If the text is not a user key of the delivery, it can be the token of a device.
        if let key, log.items.isEmpty {
            log = try self.log(visit, delivery.id, ["token": key], limit: pageSize)
        }
        let path: ConsolePath = "/deliveries/\(delivery.id.rawValue)/recipients"
        let shown = log.items.prefix(pageSize)
        let content: HTML
        if !shown.isEmpty {
            content = HTML.card(
                note: log.items.count > shown.count ? "\(Phrase.first(shown.count))" : nil,
                table: table(Array(shown)))
        } else if key != nil {
            content = HTML.emptyState(.noneOfKey, .noneOfKeyText, action: HTML.link(.showAll, path))
        } else {
            content = HTML.emptyState(.noneYet, .noneYetText)
        }
        let body: HTML = """
            \(HTML.pageHead(
                .recipients, crumbs: crumbs(delivery), actions: HTML.link(
                    .download, "/deliveries/\(delivery.id.rawValue)/csv")))
            <div class="stack">\(HTML.search(path, label: .keyOrToken, value: key ?? ""))\(content)\
            \(HTML.pager(path.with("q", key), cursor: cursor, next: log.next))</div>
            """
        return .page(Page(title: .recipients, of: delivery.shownLabel, current: .deliveries, body: body))
    }

    static func crumbs(_ delivery: DeliveryView) -> [(title: HTML, path: ConsolePath)] {
        [
            (title: "\(NavigationItem.deliveries.title)", path: DeliveryListPage.path),
            (title: "\(name: delivery.shownLabel)", path: delivery.path),
        ]
    }

    private static func table(_ rows: [MessageLogRow]) -> HTML {
        HTML.table(
            [
                .init(.userKey), .init(.app), .init(.state), .init(.reason), .init(.received),
                .init(.clicked),
            ], rows.map(cells), caption: .recipients)
    }

    private static func cells(_ row: MessageLogRow) -> [HTML] {
        let state = MessageState(named: row.state)
        let reason = row.providerReason.map { text -> HTML in
            let advice = ReasonAdvice(text, failureReason: row.failureReason)
            return "\(advice.meaning)<small lang=\"en\"><code>\(text)</code></small>"
        }
        let attempts: HTML? = row.attempts > 1 ? "<small>\(Phrase.attempts(row.attempts))</small>" : nil
        let person = PersonAddress(.userKey(row.userKey)).path
        let clicks: HTML? = row.clicks > 1 ? "<small>\(Phrase.clicks(row.clicks))</small>" : nil
        return [
            """
            \(row.userKey.isEmpty
                ? "\(.noKey)" as HTML : "<a href=\"\(person)\">\(name: row.userKey)</a>")\
            <small>\(row.token.map(HTML.shortened(token:)) ?? "\(.removed)")</small>
            """,
            "\(name: row.app)",
            "\(state?.badge ?? HTML(row.state))<small>\(moment: row.updatedAt)</small>\(attempts)",
            reason ?? "–", row.receivedAt.map { "\(moment: $0)" } ?? "–",
            row.clickedAt.map { "\(moment: $0)\(clicks)" } ?? "–",
        ]
    }

    private static func log(
        _ visit: Visit, _ id: DeliveryID, _ query: [String: String?], limit: Int
    ) throws -> PushAPI.Page<MessageLogRow> {
        try visit.ask(
            ReadDeliveryLogPage.self, ["id": "\(id.rawValue)"],
            query: query.merging(["limit": "\(limit)"]) { $1 })
    }

    // MARK: The file

    /// A delivery that is too large for one file is offered in parts, because the whole file is in memory.
    private static func files(_ visit: Visit) throws -> Reply {
        let delivery = try DeliveryActions.delivery(of: visit)
        let file: ConsolePath = "/deliveries/\(delivery.id.rawValue)/csv/file"
        let cursor = visit.query.given("cursor")
        let part = max(1, visit.query.number("part") ?? 1)
        let total = delivery.counts.targeted + delivery.counts.excluded
        if total <= fileRows, cursor == nil { return .redirect(file) }
        let parts = max(part, (total + fileRows - 1) / fileRows)
        var links = HTML.link(
            .downloadPart(part), file.with("cursor", cursor).with("part", "\(part)"),
            classes: "button-primary")
        if part < parts, part < 10_000, let next = try end(visit, delivery.id, after: cursor) {
            links += HTML.link(
                .nextPart,
                ("/deliveries/\(delivery.id.rawValue)/csv" as ConsolePath).with("cursor", next)
                    .with("part", "\(part + 1)"))
        }
        let content: HTML = """
            <div class="stack"><p>\(Phrase.parts(total, parts))</p><p>\(.tokens)</p>\
            <div class="row">\(links)</div></div>
            """
        let body: HTML = "\(HTML.pageHead(.file, crumbs: crumbs(delivery)))\(HTML.card(body: content))"
        return .page(Page(title: .file, of: delivery.shownLabel, current: .deliveries, body: body))
    }

    private static func file(_ visit: Visit) throws -> Reply {
        let delivery = try DeliveryActions.delivery(of: visit)
        let part = max(1, visit.query.number("part") ?? 1)
        var bytes = Array(MessageLogRow.header.utf8)
        _ = try end(visit, delivery.id, after: visit.query.given("cursor")) { rows in
            bytes += MessageLogRow.csv(
                rows.map { row in
                    var row = row
                    row.token = row.token.map(Formats.shortened(token:))
                    return row
                })
        }
        return .file(
            bytes, type: "text/csv; charset=utf-8",
            name: part > 1
                ? "delivery-\(delivery.id.rawValue)-\(part).csv" : "delivery-\(delivery.id.rawValue).csv")
    }

    /// Reads the messages of one file.
    /// - Returns: The cursor of the next file; `nil` if this is the last one.
    private static func end(
        _ visit: Visit, _ id: DeliveryID, after cursor: String?, _ take: ([MessageLogRow]) -> Void = { _ in }
    ) throws -> String? {
        var cursor = cursor
        var count = 0
        repeat {
            let page = try log(visit, id, ["cursor": cursor], limit: rowsOfStep)
            take(page.items)
            count += page.items.count
            cursor = page.next
        } while cursor != nil && count < fileRows
        return cursor
    }
}

extension Phrase {
    fileprivate static let recipients = Phrase("Recipients", "Empfänger")
    fileprivate static let userKey = Phrase("User key", "Nutzerschlüssel")
    fileprivate static let keyOrToken = Phrase("User key or token", "Nutzerschlüssel oder Token")
    fileprivate static let app = Phrase("App", "App")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let reason = Phrase("Reason", "Grund")
    fileprivate static let received = Phrase("Received", "Empfangen")
    fileprivate static let clicked = Phrase("Clicked", "Geklickt")
    fileprivate static let noKey = Phrase("no user key", "ohne Nutzerschlüssel")
    fileprivate static let removed = Phrase("The device was removed", "Das Gerät wurde entfernt")
    fileprivate static func attempts(_ count: Int) -> Phrase {
        Phrase("\(count) attempts", "\(count) Versuche")
    }
    fileprivate static func clicks(_ count: Int) -> Phrase {
        Phrase("\(count) clicks", "\(count) Klicks")
    }
    fileprivate static func first(_ count: Int) -> Phrase {
        Phrase("The first \(count)", "Die ersten \(count)")
    }
    fileprivate static let noneOfKey = Phrase(
        "No message to this user key or token",
        "Keine Nachricht an diesen Nutzerschlüssel oder dieses Token")
    fileprivate static let noneOfKeyText = Phrase(
        "Enter the whole user key or token, with the same upper and lower case.",
        "Geben Sie den ganzen Nutzerschlüssel oder das ganze Token mit gleicher Groß- und Kleinschreibung "
            + "ein.")
    fileprivate static let showAll = Phrase("Show all recipients", "Alle Empfänger zeigen")
    fileprivate static let noneYet = Phrase(
        "No message is prepared yet", "Noch ist keine Nachricht vorbereitet")
    fileprivate static let noneYetText = Phrase(
        "Recipients appear here after the delivery has started.",
        "Empfänger erscheinen hier, sobald die Zustellung begonnen hat.")
    fileprivate static let download = Phrase("Download CSV", "CSV herunterladen")
    fileprivate static let file = Phrase("Download CSV", "CSV herunterladen")
    fileprivate static func downloadPart(_ part: Int) -> Phrase {
        Phrase("Download part \(part)", "Teil \(part) herunterladen")
    }
    fileprivate static let nextPart = Phrase("Next part", "Nächster Teil")
    fileprivate static func parts(_ total: Int, _ parts: Int) -> Phrase {
        let total = Formats.count(total)
        let rows = Formats.count(RecipientScreens.fileRows)
        return Phrase(
            "The delivery has \(total) messages. They are in \(parts) files of \(rows) each.",
            "Die Zustellung hat \(total) Nachrichten. Sie verteilen sich auf \(parts) Dateien zu je \(rows).")
    }
    fileprivate static let tokens = Phrase(
        "Device tokens are shortened. 'pushmta delivery log' and the API provide them.",
        "Gerätetoken sind gekürzt. „pushmta delivery log“ und die API liefern sie vollständig.")
}
