internal import PushAPI
internal import PushModel
internal import PushWire

/// What needs a decision, what did not arrive, and why.
extension DeliveryPage {
    /// What holds the delivery up, each with what to do.
    var problems: HTML {
        let alarms = damage + holds + storms
        guard !alarms.isEmpty else { return .empty }
        return HTML.card(.problems, id: "problems", table: alarms.joined())
    }

    private var damage: [HTML] {
        var alarms: [HTML] = []
        if let damage = delivery.damage {
            alarms.append(
                HTML.alarm(
                    state: HTML.badge(.bad, .damaged), since: nil, title: "\(.damagedTitle)",
                    cause: HTML.inEnglish(damage), steps: ["\(.recountStep)"],
                    actions: visit.isPermitted(RecountDelivery.self)
                        ? visit.button(
                            .recount, action: action("recount"), subject: delivery.shownLabel) : .empty))
        }
        if let held = delivery.held {
            alarms.append(
                HTML.alarm(
                    state: HTML.badge(.warn, .onHold), since: nil, title: "\(.heldTitle)",
                    cause: HTML.inEnglish(held), steps: ["\(.heldStep)", "\(.releaseStep)"],
                    actions: visit.isPermitted(ReleaseDeliveries.self)
                        ? HTML.link(.release, action("release"), subject: delivery.shownLabel) : .empty))
        }
        return alarms
    }

    private var holds: [HTML] {
        details.waitsFor.prefix(20).map { hold in
            let app: HTML? = hold.app.map { " (\(name: $0))" }
            let until: HTML? = hold.until.map { "\(.until) \(moment: $0)" }
            let canSee = visit.isPermitted(.admin) && visit.table.hasPage("/accounts")
            return HTML.alarm(
                state: HTML.badge(.warn, .accountWaits), since: until,
                title: "\(name: hold.topic ?? hold.account)\(app)",
                cause: HTML.inEnglish(hold.reason),
                steps: ["\(canSee ? Phrase.accountStep : Phrase.askStep)"],
                actions: canSee ? HTML.link(.showAccounts, "/accounts") : .empty)
        }
    }

    private var storms: [HTML] {
        let canDecide = visit.isPermitted(DecideStorm.self) && visit.table.hasPage("/quarantine")
        let action = canDecide ? HTML.link(.showStorms, "/quarantine") : .empty
        let step: HTML = "\(canDecide ? Phrase.stormStep : Phrase.askStep)"
        let storms = (details.outcome?.storms ?? []).prefix(20).map { storm in
            HTML.alarm(
                state: HTML.badge(.bad, .storm), since: nil, title: "\(.stormTitle)",
                cause: "\(.stormCause) <code>\(storm)</code>", steps: [step], actions: action)
        }
        let verdicts = (details.outcome?.waitingVerdicts ?? []).prefix(20).map { waiting in
            HTML.alarm(
                state: HTML.badge(.neutral, .verdicts), since: "\(moment: waiting.since)",
                title: "\(Phrase.verdictsTitle(waiting.held))", cause: "\(.verdictsCause)",
                steps: waiting.appliesAt.map { ["\(.appliesAt) \(moment: $0)"] } ?? [step], actions: .empty)
        }
        return Array(storms) + Array(verdicts)
    }

    /// The progress of a retry.
    var jobCard: HTML {
        guard let job else { return .empty }
        let found = Formats.count(job.done ?? 0)
        guard job.endedAt != nil else {
            return HTML.note(
                "\(HTML.announced("job", "\(.retryRuns)")) \(Phrase.examined(found))", tone: .good)
        }
        guard job.errors.isEmpty else {
            let lines = job.errors.prefix(20).map { "<li lang=\"en\">\($0)</li>" as HTML }
            return HTML.note(
                "\(HTML.announced("job", "\(.retryFailed)"))<ul>\(Array(lines))</ul>", tone: .bad)
        }
        guard case .integer(let retried)? = job.result?.value["retried"] else {
            return HTML.note("\(HTML.announced("job", "\(.retryEnded)"))")
        }
        let parts: [(String, Phrase)] = [
            ("excluded", .notExcluded), ("gone", .notGone), ("hopeless", .notHopeless),
        ]
        let left = parts.compactMap { member, text -> HTML? in
            guard case .integer(let count)? = job.result?.value[member], count > 0 else { return nil }
            return "<li>\(count: Int(count)) \(text)</li>"
        }
        let list: HTML? = left.isEmpty ? nil : "<ul>\(left)</ul>"
        return HTML.note("\(HTML.announced("job", "\(Phrase.sentAgain(Int(retried)))"))\(list)")
    }

    // MARK: Failures

    var failures: HTML {
        var rows = (details.outcome?.failures ?? []).prefix(50).map(row)
        if counts.retrying > 0 { rows.insert(retryingRow, at: 0) }
        guard !rows.isEmpty else {
            guard delivery.startedAt != nil else { return .empty }
            return HTML.card(.failed, id: "failed", body: "<p>\(.nothingFailed)</p>")
        }
        var foot: HTML?
        if mayRetry {
            foot = HTML.link(.retryAll(counts.failed), "/deliveries/\(delivery.id.rawValue)/retry")
        }
        return HTML.card(
            .failed, id: "failed", note: "\(Phrase.failedNote(counts.failed, counts.retrying, tried))",
            table: HTML.table(
                [.init(.reason), .init(.devices, .number), .init(.whatToDo), .actions], rows), foot: foot)
    }

    private var tried: String? {
        Formats.share(counts.failed, of: counts.sent + counts.failed + counts.retrying)
    }

    private var mayRetry: Bool {
        counts.failed > 0 && delivery.state != .stopped && delivery.state != .stopping
            && visit.isPermitted(RetryFailed.self)
    }

    private func row(_ reason: DeliveryOutcomeView.Reason) -> [HTML] {
        let advice = ReasonAdvice(reason.providerReason, failureReason: reason.failureReason)
        let word = ReasonText.word(of: reason.providerReason)
        let retry =
            mayRetry && !word.isEmpty
            ? HTML.link(
                .retry(reason.count),
                ("/deliveries/\(delivery.id.rawValue)/retry" as ConsolePath).with("reason", word),
                classes: "button-small", subject: word) : .empty
        return [
            "\(advice.meaning)<small lang=\"en\"><code>\(reason.providerReason)</code></small>",
            "\(count: reason.count)", "\(advice.advice)", retry,
        ]
    }

    private var retryingRow: [HTML] {
        let next: HTML? = details.outcome?.nextRetryAt.map { " \(.nextAttempt) \(moment: $0)." }
        return [
            "\(.retrying)", "\(count: counts.retrying)", "\(.nothingToDo)\(next)", .empty,
        ]
    }

    var exclusions: HTML {
        let reasons = details.outcome?.exclusions ?? []
        guard !reasons.isEmpty else { return .empty }
        let items = reasons.prefix(50).map { reason -> (label: HTML, count: Int) in
            let advice = ReasonAdvice(reason.providerReason, failureReason: reason.failureReason)
            return (
                label: "\(advice.meaning) <small lang=\"en\"><code>\(reason.providerReason)</code></small>",
                count: reason.count
            )
        }
        return HTML.card(
            .excluded, id: "excluded", note: "\(Phrase.deviceCount(counts.excluded))",
            body: HTML.breakdown(Array(items)))
    }
}

extension Phrase {
    fileprivate static let problems = Phrase("Needs a decision", "Braucht eine Entscheidung")
    fileprivate static let damaged = Phrase("Damaged", "Beschädigt")
    fileprivate static let damagedTitle = Phrase(
        "Some of the delivery's data is damaged", "Einige Daten der Zustellung sind beschädigt")
    fileprivate static let recountStep = Phrase(
        "Recount the delivery. It corrects the counts and lets the delivery continue.",
        "Zählen Sie die Zustellung neu. Das korrigiert die Zahlen und setzt die Zustellung fort.")
    fileprivate static let recount = Phrase("Recount", "Neu zählen")
    fileprivate static let onHold = Phrase("On hold", "Zurückgehalten")
    fileprivate static let heldTitle = Phrase(
        "The delivery waits to be released", "Die Zustellung wartet auf ihre Freigabe")
    fileprivate static let heldStep = Phrase(
        "Find out which messages were sent after the backup: they are sent again.",
        "Klären Sie, was nach der Sicherung gesendet wurde: Es wird noch einmal gesendet.")
    fileprivate static let releaseStep = Phrase(
        "Release the delivery, or stop it.", "Geben Sie die Zustellung frei, oder stoppen Sie sie.")
    fileprivate static let release = Phrase("Release…", "Freigeben…")
    fileprivate static let until = Phrase("until", "bis")
    fileprivate static let accountWaits = Phrase("Account waits", "Konto wartet")
    fileprivate static let accountStep = Phrase(
        "See what the account waits for.", "Sehen Sie nach, worauf das Konto wartet.")
    fileprivate static let askStep = Phrase(
        "Ask an operator. Messages wait until then.",
        "Fragen Sie den Betrieb. Die Nachrichten warten so lange.")
    fileprivate static let showAccounts = Phrase("Show accounts", "Konten zeigen")
    fileprivate static let storm = Phrase("Storm", "Sturm")
    fileprivate static let stormTitle = Phrase(
        "The gateway rejects most devices", "Das Gateway lehnt die meisten Geräte ab")
    fileprivate static let stormCause = Phrase(
        "No device is disabled until an operator decides. The account is",
        "Kein Gerät wird deaktiviert, bis der Betrieb entscheidet. Das Konto ist")
    fileprivate static let stormStep = Phrase(
        "Confirm the answers, or discard them.", "Bestätigen oder verwerfen Sie die Antworten.")
    fileprivate static let showStorms = Phrase("Show storms", "Stürme zeigen")
    fileprivate static let verdicts = Phrase("Waiting", "Wartet")
    fileprivate static func verdictsTitle(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 answer about a device waits", "1 Antwort zu einem Gerät wartet")) {
            Phrase("\($0) answers about devices wait", "\($0) Antworten zu Geräten warten")
        }
    }
    fileprivate static let verdictsCause = Phrase(
        "The devices stay enabled until the answers are certain.",
        "Die Geräte bleiben aktiv, bis die Antworten sicher sind.")
    fileprivate static let appliesAt = Phrase(
        "Nothing. They are applied:", "Nichts. Sie werden angewendet:")
}

extension Phrase {
    fileprivate static let retryRuns = Phrase(
        "Failed messages are being sent again.", "Es wird erneut gesendet.")
    fileprivate static func examined(_ count: String) -> Phrase {
        Phrase("\(count) examined so far.", "Bisher geprüft: \(count).")
    }
    fileprivate static let retryFailed = Phrase("The retry failed.", "Das erneute Senden schlug fehl.")
    fileprivate static let retryEnded = Phrase(
        "The retry has ended.", "Das erneute Senden ist abgeschlossen.")
    fileprivate static func sentAgain(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 message is sent again.", "1 Nachricht wird erneut gesendet.")) {
            Phrase("\($0) messages are sent again.", "\($0) Nachrichten werden erneut gesendet.")
        }
    }
    fileprivate static let notExcluded = Phrase(
        "are left out: their devices are in quarantine or disabled",
        "werden ausgelassen: Ihre Geräte sind in Quarantäne oder deaktiviert")
    fileprivate static let notGone = Phrase(
        "are left out: their devices were removed", "werden ausgelassen: Ihre Geräte wurden entfernt")
    fileprivate static let notHopeless = Phrase(
        "are left out: the gateway would reject them again. Retry them by their reason",
        "werden ausgelassen: Das Gateway würde sie wieder ablehnen. Senden Sie diese nach Grund erneut")
    fileprivate static let failed = Phrase("What did not arrive", "Was nicht ankam")
    fileprivate static let nothingFailed = Phrase("Nothing has failed.", "Nichts ist fehlgeschlagen.")
    fileprivate static func failedNote(_ failed: Int, _ retrying: Int, _ share: String?) -> Phrase {
        let (failed, retrying) = (Formats.count(failed), Formats.count(retrying))
        guard let share else {
            return Phrase("\(failed) failed", "\(failed) fehlgeschlagen")
        }
        return Phrase(
            "\(failed) failed, \(retrying) retrying. \(share) of what was tried failed.",
            "\(failed) fehlgeschlagen, \(retrying) mit neuem Versuch. \(share) der Versuche schlugen fehl.")
    }
    fileprivate static let reason = Phrase("Reason", "Grund")
    fileprivate static let devices = Phrase("Devices", "Geräte")
    fileprivate static let whatToDo = Phrase("What to do", "Was zu tun ist")
    fileprivate static func retry(_ count: Int) -> Phrase {
        let count = Formats.count(count)
        return Phrase("Retry \(count)…", "\(count) erneut senden…")
    }
    fileprivate static func retryAll(_ count: Int) -> Phrase {
        let count = Formats.count(count)
        return Phrase("Retry all \(count)…", "Alle \(count) erneut senden…")
    }
    fileprivate static let retrying = Phrase(
        "The gateway gave no final answer yet", "Das Gateway hat noch nicht endgültig geantwortet")
    fileprivate static let nothingToDo = Phrase("Nothing.", "Nichts.")
    fileprivate static let nextAttempt = Phrase("Next attempt:", "Der nächste Versuch:")
    fileprivate static let excluded = Phrase("Left out before sending", "Vor dem Senden ausgelassen")
    fileprivate static func deviceCount(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 device", "1 Gerät")) { Phrase("\($0) devices", "\($0) Geräte") }
    }
}
