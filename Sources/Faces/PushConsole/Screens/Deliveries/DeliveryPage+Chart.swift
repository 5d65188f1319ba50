internal import PushAPI
internal import PushModel

/// Figures by minute, and by app.
extension DeliveryPage {
    /// The maximum number of spans of time in a chart.
    private static let maxSpans = 60
    /// The possible lengths of a span, in minutes. Longer ones are whole days.
    private static let spans: [Int64] = [1, 2, 5, 10, 15, 30, 60, 120, 240, 720]
    private static let minutesPerDay: Int64 = 1_440

    /// Counts in spans of equal length.
    private struct Spans {
        let minutes: Int64
        let moments: [WallMoment]
        var sent: [Int]
        var received: [Int]
        var clicked: [Int]

        init?(_ figures: [DeliveryStatistics.Minute]) {
            guard let first = figures.first?.minute, let last = figures.last?.minute else { return nil }
            let length = last.seconds(since: first) / 60 + 1
            let maximum = Int64(DeliveryPage.maxSpans)
            let days =
                (length + maximum * DeliveryPage.minutesPerDay - 1)
                / (maximum * DeliveryPage.minutesPerDay)
            let minutes =
                DeliveryPage.spans.first { length <= $0 * maximum } ?? days * DeliveryPage.minutesPerDay
            let count = Int(min((length + minutes - 1) / minutes, maximum))
            self.minutes = minutes
            moments = (0..<count).map { WallMoment(first.advanced(bySeconds: Int64($0) * minutes * 60)) }
            sent = Array(repeating: 0, count: count)
            (received, clicked) = (sent, sent)
            for figure in figures {
                let place = Int(figure.minute.seconds(since: first) / 60 / minutes)
                guard sent.indices.contains(place) else { continue }
                sent[place] += figure.sent
                received[place] += figure.received
                clicked[place] += figure.clicked
            }
        }
    }

    var chart: HTML {
        guard let spans = Spans(statistics.minutes) else {
            guard delivery.startedAt != nil else { return .empty }
            return HTML.card(.byMinute, id: "minutes", body: "<p>\(.noMinute)</p>")
        }
        let unit = Phrase.unit(Formats.duration(seconds: Int(spans.minutes * 60)))
        let rate = order?.ratePerSecond.map { $0.multipliedReportingOverflow(by: Int(spans.minutes) * 60) }
        let top = max(spans.sent.max() ?? 0, spans.received.max() ?? 0)
        // A limit far above the figures would make them invisible.
        let limit = rate.flatMap { $0.overflow || $0.partialValue > 3 * max(top, 1) ? nil : $0.partialValue }
        let sent = HTML.timeChart(
            id: "sent", title: .sentTitle(unit), moments: spans.moments,
            [.init(.sent, spans.sent), .init(.received, spans.received, isLine: true)], limit: limit,
            summary: summary(spans, spans.sent, Phrase.mostSent))
        let clicks = HTML.timeChart(
            id: "clicks", title: .clickedTitle(unit), moments: spans.moments,
            [.init(.clicked, spans.clicked)], summary: summary(spans, spans.clicked, Phrase.mostClicked))
        let note: HTML? = limit.map { "\(Phrase.limitLine(Formats.count($0)))" }
        return HTML.card(
            .byMinute, id: "minutes", note: note,
            body: "<div class=\"stack\">\(sent)\(spans.clicked.contains { $0 > 0 } ? clicks : nil)</div>")
    }

    private func summary(
        _ spans: Spans, _ counts: [Int], _ words: (_ count: String, _ time: String) -> Phrase
    ) -> Phrase {
        guard let most = counts.max(), let place = counts.firstIndex(of: most) else { return .noMinute }
        return words(Formats.count(most), Moments.text(spans.moments[place]))
    }

    var apps: HTML {
        guard statistics.apps.count > 1 else { return .empty }
        let shown = statistics.apps.prefix(50)
        let rows = shown.map { app -> [HTML] in
            let environment: HTML? = app.environment == .sandbox ? " \(HTML.badge(.neutral, .sandbox))" : nil
            return [
                "\(name: app.app)<small>\(app.platform)\(environment)</small>", "\(count: app.sent)",
                Self.part(app.received, of: app.sent), Self.part(app.clicked, of: app.sent),
                "\(count: app.failed)", "\(count: app.excluded)",
            ]
        }
        return HTML.card(
            .byApp, id: "apps",
            note: statistics.apps.count > shown.count ? "\(Phrase.first(shown.count))" : nil,
            table: HTML.table(
                [
                    .init(.app), .init(.sent, .number), .init(.received, .number), .init(.clicked, .number),
                    .init(.failed, .number), .init(.leftOut, .number),
                ], rows))
    }

    private static func part(_ part: Int, of whole: Int) -> HTML {
        let share: HTML? = Formats.share(part, of: whole).map { "<small>\(Phrase.ofSent($0))</small>" }
        return "\(count: part)\(part > 0 ? share : nil)"
    }

    /// The waves and times of day for which messages wait.
    var releases: HTML {
        guard !details.releases.isEmpty else { return .empty }
        let rows = details.releases.prefix(50).map { release -> [HTML] in
            ["\(moment: release.at)", "\(count: release.count)"]
        }
        return HTML.card(
            .schedule, id: "schedule", note: "\(Phrase.zone(Presentation.current.zoneName))",
            table: HTML.table([.init(.time), .init(.messages, .number)], Array(rows)))
    }
}

extension Phrase {
    fileprivate static let byMinute = Phrase("By minute", "Verlauf")
    fileprivate static let noMinute = Phrase(
        "There are no results yet.", "Es gibt noch keine Ergebnisse.")
    fileprivate static let sent = Phrase("Sent", "Gesendet")
    fileprivate static let received = Phrase("Received", "Empfangen")
    fileprivate static let clicked = Phrase("Clicked", "Geklickt")
    fileprivate static let failed = Phrase("Failed", "Fehlgeschlagen")
    fileprivate static let leftOut = Phrase("Left out", "Ausgelassen")
    fileprivate static let byApp = Phrase("By app", "Nach App")
    fileprivate static let app = Phrase("App", "App")
    fileprivate static let sandbox = Phrase("Sandbox", "Sandbox")
    fileprivate static let schedule = Phrase("Waves and waiting times", "Wellen und Wartezeiten")
    fileprivate static let time = Phrase("Will be sent at", "Wird gesendet um")
    fileprivate static let messages = Phrase("Messages", "Nachrichten")
    fileprivate static func unit(_ duration: String) -> Phrase {
        Phrase("for each \(duration)", "je \(duration)")
    }
    fileprivate static func sentTitle(_ unit: Phrase) -> Phrase {
        Phrase(
            "Messages sent and received, \(unit.english)",
            "Gesendete und empfangene Nachrichten \(unit.german)")
    }
    fileprivate static func clickedTitle(_ unit: Phrase) -> Phrase {
        Phrase("Messages clicked, \(unit.english)", "Geklickte Nachrichten \(unit.german)")
    }
    fileprivate static func mostSent(_ count: String, _ time: String) -> Phrase {
        Phrase(
            "Peak: \(count) sent, \(time). The table below has every value.",
            "Höchstwert: \(count) gesendet, \(time). Die Tabelle darunter enthält jeden Wert.")
    }
    fileprivate static func mostClicked(_ count: String, _ time: String) -> Phrase {
        Phrase(
            "Peak: \(count) clicked, \(time). The table below has every value.",
            "Höchstwert: \(count) geklickt, \(time). Die Tabelle darunter enthält jeden Wert.")
    }
    fileprivate static func limitLine(_ count: String) -> Phrase {
        Phrase("The dashed line is the chosen rate: \(count)", "Gestrichelt: die gewählte Rate, \(count)")
    }
    fileprivate static func first(_ count: Int) -> Phrase {
        Phrase("The first \(count)", "Die ersten \(count)")
    }
    fileprivate static func ofSent(_ share: String) -> Phrase {
        Phrase("\(share) of sent", "\(share) der gesendeten")
    }
    fileprivate static func zone(_ name: String) -> Phrase {
        Phrase("Times are in \(name)", "Zeiten in \(name)")
    }
}
