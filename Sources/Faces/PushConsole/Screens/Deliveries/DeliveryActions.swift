internal import PushAPI
internal import PushModel

/// What a person can do with a delivery. Each action answers with the delivery's page; what cannot be undone
/// is confirmed on a page of its own.
enum DeliveryActions {
    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.post, "/deliveries/{id}/pause", needs: .send) { visit in
            let paused = try visit.carryOut(PauseDelivery(id: id(of: visit)))
            return .redirect(try path(of: visit), notice: paused.changed ? .paused : .unchanged)
        },
        ConsoleRoute(.post, "/deliveries/{id}/resume", needs: .send) { visit in
            let resumed = try visit.carryOut(ResumeDelivery(id: id(of: visit)))
            return .redirect(try path(of: visit), notice: resumed.changed ? .resumed : .unchanged)
        },
        ConsoleRoute(.get, "/deliveries/{id}/stop", needs: .send) { try stopPage($0) },
        ConsoleRoute(.post, "/deliveries/{id}/stop", needs: .send, lengthy: true) { visit in
            let stopped = try visit.carryOut(StopDelivery(id: id(of: visit)))
            return .redirect(try path(of: visit), notice: stopped.changed ? .stopped : .unchanged)
        },
        ConsoleRoute(.get, "/deliveries/{id}/retry", needs: .send) { try retryPage($0) },
        ConsoleRoute(.post, "/deliveries/{id}/retry", needs: .send, once: true) { visit in
            let job = try visit.start(
                RetryFailed(id: id(of: visit), reason: visit.form.given("reason")))
            return .redirect(try path(of: visit).with("job", "\(job.id)"))
        },
        ConsoleRoute(.get, "/deliveries/{id}/release", needs: .send) { try releasePage($0) },
        ConsoleRoute(.post, "/deliveries/{id}/release", needs: .send) { visit in
            _ = try visit.carryOut(ReleaseDeliveries(ids: [id(of: visit)]))
            return .redirect(try path(of: visit), notice: .released)
        },
        ConsoleRoute(.post, "/deliveries/{id}/recount", needs: .send, lengthy: true) { visit in
            let result = try visit.carryOut(RecountDelivery(id: id(of: visit)))
            return .redirect(
                try path(of: visit), notice: result.problem == nil ? .recounted : .stillDamaged)
        },
    ]

    static let notices: [Notice] = [
        .paused, .resumed, .stopped, .unchanged, .released, .recounted, .stillDamaged,
    ]

    static func id(of visit: Visit) throws(Refusal) -> DeliveryID {
        DeliveryID(rawValue: try visit.number("id"))
    }

    static func path(of visit: Visit) throws(Refusal) -> ConsolePath {
        "/deliveries/\(try visit.number("id"))"
    }

    /// The delivery without what only its own page shows.
    static func delivery(of visit: Visit) throws -> DeliveryView {
        try visit.carryOut(ShowDelivery(id: id(of: visit), looksForHolds: false, looksFurther: false))
            .delivery
    }

    private static func page(_ title: Phrase, _ body: HTML) -> Reply {
        .page(Page(title: title, current: .deliveries, body: body))
    }

    private static func stopPage(_ visit: Visit) throws -> Reply {
        let delivery = try delivery(of: visit)
        let back = delivery.path
        guard !delivery.state.isFinal, delivery.state != .stopping else {
            return .redirect(back, notice: .unchanged)
        }
        let pause: ConsolePath = "/deliveries/\(delivery.id.rawValue)/pause"
        let milder: HTML =
            delivery.state == .paused
            ? .empty : "<button class=\"button\" formaction=\"\(pause)\">\(.pauseInstead)</button>"
        return page(
            .stopTitle(delivery.shownLabel),
            HTML.confirmation(
                visit, title: "\(Phrase.stopTitle(delivery.shownLabel))", consequence: "\(.stopText)",
                facts: HTML.facts([
                    (.sent, "\(count: delivery.counts.sent)"),
                    (.willNotBeSent, "\(count: delivery.waiting)"),
                ]),
                action: "/deliveries/\(delivery.id.rawValue)/stop", label: .stopForGood, back: back,
                alternative: milder))
    }

    private static func retryPage(_ visit: Visit) throws -> Reply {
        let details = try visit.carryOut(ShowDelivery(id: id(of: visit), looksForHolds: false))
        let (delivery, reason) = (details.delivery, visit.query.given("reason"))
        let failures = details.outcome?.failures ?? []
        let count =
            reason.map { reason in
                failures.reduce(0) { sum, failure in
                    failure.providerReason == reason || failure.providerReason.hasPrefix("\(reason): ")
                        ? sum + failure.count : sum
                }
            } ?? delivery.counts.failed
        var facts: [(term: Phrase, value: HTML)] = [(.failed, "\(count: count)")]
        if let reason { facts.append((.reason, "<code>\(reason)</code>")) }
        let hidden: HTML? = reason.map { "<input type=\"hidden\" name=\"reason\" value=\"\($0)\">" }
        let form = visit.form(action: "/deliveries/\(delivery.id.rawValue)/retry") {
            """
            <p>\(reason == nil ? Phrase.retryText : Phrase.retryReasonText)</p>\(HTML.facts(facts))\(hidden)\
            <div class="row"><a class="button" href="\(delivery.path)">\(.backUnchanged)</a>\
            <button class="button button-primary">\(Phrase.retry(count))</button></div>
            """
        }
        return page(
            .retryTitle(delivery.shownLabel),
            """
            \(HTML.pageHead("\(Phrase.retryTitle(delivery.shownLabel))" as HTML))\(HTML.card(body: form))
            """)
    }

    private static func releasePage(_ visit: Visit) throws -> Reply {
        let delivery = try delivery(of: visit)
        let text: HTML = "\(.releaseText) \(HTML.inEnglish(delivery.held ?? ""))"
        return page(
            .releaseTitle(delivery.shownLabel),
            HTML.confirmation(
                visit, title: "\(Phrase.releaseTitle(delivery.shownLabel))", consequence: text,
                facts: HTML.facts([
                    (.sent, "\(count: delivery.counts.sent)"), (.willBeSent, "\(count: delivery.waiting)"),
                ]),
                action: "/deliveries/\(delivery.id.rawValue)/release", label: .release, back: delivery.path))
    }
}

extension Notice {
    fileprivate static let paused = Notice("delivery.paused", .paused)
    fileprivate static let resumed = Notice("delivery.resumed", .resumed)
    fileprivate static let stopped = Notice("delivery.stopped", .stopped)
    fileprivate static let unchanged = Notice("delivery.unchanged", .unchanged, tone: .warn)
    fileprivate static let released = Notice("delivery.released", .released)
    fileprivate static let recounted = Notice("delivery.recounted", .recounted)
    fileprivate static let stillDamaged = Notice("delivery.stillDamaged", .stillDamaged, tone: .bad)
}

extension Phrase {
    fileprivate static let paused = Phrase(
        "The delivery is paused. Its validity continues to elapse.",
        "Die Zustellung ist angehalten. Ihre Gültigkeit läuft weiter.")
    fileprivate static let resumed = Phrase("The delivery continues.", "Die Zustellung läuft weiter.")
    fileprivate static let stopped = Phrase(
        "The delivery is stopped. No further messages are sent.",
        "Die Zustellung ist gestoppt. Es werden keine weiteren Nachrichten gesendet.")
    fileprivate static let unchanged = Phrase(
        "Nothing was changed: the delivery was already in this state.",
        "Nichts wurde geändert: Die Zustellung war schon in diesem Zustand.")
    fileprivate static let released = Phrase("The delivery is released.", "Die Zustellung ist freigegeben.")
    fileprivate static let recounted = Phrase(
        "The counts are correct now.", "Die Zahlen sind jetzt richtig.")
    fileprivate static let stillDamaged = Phrase(
        "The counts were corrected as far as possible. The reason below remains.",
        "Die Zahlen wurden so weit wie möglich korrigiert. Der Grund unten besteht weiter.")
    fileprivate static func stopTitle(_ label: String) -> Phrase {
        Phrase("Stop \(isolated(label))?", "\(isolated(label)) stoppen?")
    }
    fileprivate static let stopText = Phrase(
        "No further messages are sent, and the delivery cannot be resumed. To interrupt it, choose Pause "
            + "instead.",
        "Es werden keine weiteren Nachrichten gesendet, und die Zustellung lässt sich "
            + "nicht fortsetzen. Zum Unterbrechen wählen Sie Anhalten.")
    fileprivate static let pauseInstead = Phrase("Pause", "Anhalten")
    fileprivate static let stopForGood = Phrase("Stop for good", "Endgültig stoppen")
    fileprivate static let sent = Phrase("Already sent", "Schon gesendet")
    fileprivate static let willNotBeSent = Phrase("Will not be sent", "Wird nicht gesendet")
    fileprivate static let willBeSent = Phrase("Will be sent", "Wird gesendet")
    fileprivate static func retryTitle(_ label: String) -> Phrase {
        Phrase(
            "Retry what failed in \(isolated(label))",
            "Fehlgeschlagene von \(isolated(label)) erneut senden")
    }
    fileprivate static let retryText = Phrase(
        "The delivery is reopened, and its validity starts again. Devices in quarantine, removed devices and "
            + "messages that the gateway would reject again are left out.",
        "Die Zustellung wird wieder geöffnet, und ihre Gültigkeit beginnt neu. Geräte in Quarantäne, "
            + "entfernte Geräte und Nachrichten, die das Gateway wieder ablehnen würde, werden ausgelassen.")
    fileprivate static let retryReasonText = Phrase(
        "Retry these only after you have corrected the cause. The delivery is reopened, and its validity "
            + "starts again.",
        "Senden Sie diese erst erneut, wenn die Ursache behoben ist. Die Zustellung wird wieder geöffnet, "
            + "und ihre Gültigkeit beginnt neu.")
    fileprivate static func retry(_ count: Int) -> Phrase {
        let count = Formats.count(count)
        return Phrase("Retry \(count)", "\(count) erneut senden")
    }
    fileprivate static let failed = Phrase("Failed", "Fehlgeschlagen")
    fileprivate static let reason = Phrase("Reason", "Grund")
    fileprivate static func releaseTitle(_ label: String) -> Phrase {
        Phrase("Release \(isolated(label))?", "\(isolated(label)) freigeben?")
    }
    fileprivate static let releaseText = Phrase(
        "Messages that were sent after the backup are sent again, and this cannot be undone. The reason:",
        "Was nach der Sicherung gesendet wurde, wird noch einmal gesendet. Das lässt sich nicht "
            + "rückgängig machen. Der Grund:")
    fileprivate static let release = Phrase("Release and send", "Freigeben und senden")
}
