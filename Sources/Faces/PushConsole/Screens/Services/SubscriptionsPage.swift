internal import PushAPI
internal import PushModel

/// The subscriptions of a service over time. All subscribers are read, so a person must ask for this page.
enum SubscriptionsPage {
    private static let maxDays = 90
    private static let maxApps = 20

    static func reply(_ visit: Visit, _ service: ServiceView) throws -> Reply {
        let statistics = try visit.ask(ShowServiceStatistics.self, ["name": service.name])
        let content =
            statistics.apps.isEmpty
            ? HTML.emptyState(.noApp, .noAppText)
            : HTML.stack(states(statistics.apps), chart(statistics.apps), devices(statistics.apps))
        let body: HTML = """
            \(HTML.pageHead(
                .title,
                crumbs: [
                    ("\(NavigationItem.services.title)", NavigationItem.services.path),
                    ("\(name: service.label)", service.path),
                ]))
            \(content)
            """
        return .page(Page(title: .title, of: service.label, current: .services, body: body))
    }

    private static func states(_ apps: [ServiceStatistics.AppCounts]) -> HTML {
        let rows = apps.prefix(ListPart<AppView>.size).map { app -> [HTML] in
            let all = app.valid + app.optedOut + app.quarantined + app.disabled
            return [
                "\(name: app.app)<small>\(app.platform)</small>", "\(count: all)",
                HTML.count(app.valid, of: all), HTML.count(app.optedOut, of: all),
                HTML.count(app.quarantined, of: all),
                HTML.count(app.disabled, of: all),
            ]
        }
        return HTML.card(
            .now, id: "now",
            table: HTML.table(
                [
                    .init(.app), .init(.all, .number), .init(SubscriberState.valid.title, .number),
                    .init(SubscriberState.optedOut.title, .number),
                    .init(SubscriberState.quarantined.title, .number),
                    .init(SubscriberState.disabled.title, .number),
                ], Array(rows)))
    }

    /// New subscriptions of all apps in the last days. Days without registrations are shown, too.
    private static func chart(_ apps: [ServiceStatistics.AppCounts]) -> HTML {
        let today = Presentation.current.now.time.secondsSince1970 / 86_400
        let days = (0..<Int64(maxDays)).map { today - Int64(maxDays) + 1 + $0 }
        var counts: [String: Int] = [:]
        for day in apps.flatMap(\.days) { counts[day.day, default: 0] += day.registered }
        let values = days.map { day in
            counts[String(WallTime(secondsSince1970: day * 86_400).utcText.prefix(10))] ?? 0
        }
        let sum = values.reduce(0, +)
        let top = max(values.max() ?? 0, 1)
        let step = 240 / Double(maxDays)
        let bars = values.enumerated().map { index, count -> HTML in
            let height = Double(count) / Double(top) * 100
            return """
                <rect x="\(length: (Double(index) + 0.12) * step)" y="\(length: 100 - height)" \
                width="\(length: step * 0.76)" height="\(length: height)"/>
                """
        }
        var utc = Presentation.current
        (utc.zone, utc.zoneName) = (.utc, "UTC")
        let presentation = utc
        // The days are those of UTC, in every time zone.
        func label(_ index: Int) -> HTML {
            Presentation.$current.withValue(presentation) {
                HTML(Moments.day(WallMoment(WallTime(secondsSince1970: days[index] * 86_400))))
            }
        }
        let axis = [0, maxDays / 2, maxDays - 1].map { "<span>\(label($0))</span>" as HTML }
        let levels = [top, top / 2, 0].map { "<span>\(count: $0)</span>" as HTML }
        let rows = days.indices.reversed().filter { values[$0] > 0 }.map {
            (head: label($0), cells: [values[$0]])
        }
        let table = HTML.plainTable([.day, .registered], rows)
        let figure: HTML = """
            <figure><div class="chart"><p class="chart-title">\(Phrase.registeredByDay)</p>\
            <div class="chart-y" aria-hidden="true">\(levels)</div>\
            <svg class="plot" viewBox="0 0 240 100" preserveAspectRatio="none" role="img" \
            aria-label="\(Phrase.summary(sum))"><line x2="240" y1="0" y2="0"/>\
            <line x2="240" y1="50" y2="50"/><g>\(bars)</g>\
            <line class="base" x2="240" y1="100" y2="100"/></svg>\
            <p class="chart-x" aria-hidden="true">\(axis)</p></div></figure>\
            \(HTML.details(.asTable, id: "days-table", table))
            """
        return HTML.card(.overTime, id: "over-time", note: "\(Phrase.summary(sum))", body: figure)
    }

    private static func devices(_ apps: [ServiceStatistics.AppCounts]) -> HTML {
        let cards = apps.prefix(maxApps).enumerated().compactMap { index, app -> HTML? in
            guard !app.devices.isEmpty else { return nil }
            let items = app.devices.prefix(10).map { device -> (label: HTML, count: Int) in
                let words = [device.os, device.language].filter { !$0.isEmpty }.joined(separator: ", ")
                return (words.isEmpty ? "\(Phrase.unknownDevice)" : "\(name: words)", device.count)
            }
            return HTML.card(
                .devices(app.app), id: "devices-\(index)", body: HTML.breakdown(Array(items)))
        }
        return cards.joined()
    }
}

extension Phrase {
    fileprivate static let title = Phrase("Subscriptions over time", "Abonnements im Zeitverlauf")
    fileprivate static let noApp = Phrase("There is no app yet", "Es gibt noch keine App")
    fileprivate static let noAppText = Phrase(
        "Create an app for this service first.", "Legen Sie zuerst eine App für diesen Dienst an.")
    fileprivate static let now = Phrase("Devices now", "Geräte jetzt")
    fileprivate static let app = Phrase("App", "App")
    fileprivate static let all = Phrase("All", "Alle")
    fileprivate static let overTime = Phrase("New subscriptions", "Neue Abonnements")
    fileprivate static let registeredByDay = Phrase(
        "Current devices by the day of their first registration",
        "Heutige Geräte nach dem Tag ihrer ersten Registrierung")
    fileprivate static let day = Phrase("Day (UTC)", "Tag (UTC)")
    fileprivate static let registered = Phrase("Registered", "Registriert")
    fileprivate static let asTable = Phrase("Show as a table", "Als Tabelle zeigen")
    fileprivate static func summary(_ count: Int) -> Phrase {
        .counted(
            count, one: Phrase("1 new one in 90 days", "1 neues in 90 Tagen")
        ) { Phrase("\($0) new ones in 90 days", "\($0) neue in 90 Tagen") }
    }
    fileprivate static func devices(_ app: String) -> Phrase {
        Phrase("Devices of \(isolated(app))", "Geräte von \(isolated(app))")
    }
    fileprivate static let unknownDevice = Phrase("Not reported", "Nicht gemeldet")
}
