internal import PushAPI
internal import PushModel
internal import PushWire

/// The third step: when the delivery is sent, and how fast.
struct TimingStep {
    var composer: Composer

    init(_ visit: Visit) throws { composer = try Composer(visit, .timing) }

    private var visit: Visit { composer.visit }
    private var document: DraftDocument { composer.document }

    static func show(_ visit: Visit) throws -> Reply {
        let step = try TimingStep(visit)
        return .page(step.page(FormErrors()))
    }

    static func submit(_ visit: Visit) throws -> Reply {
        var step = try TimingStep(visit)
        let errors = TimingForm(form: visit.form).apply(to: &step.composer.document)
        guard errors.isEmpty else { return .refused(422, step.page(errors)) }
        if step.composer.isRefused { return .refused(422, step.page(step.faults)) }
        return try step.composer.save()
    }

    /// The form that was submitted; `nil` if the page shows the draft.
    private var submitted: FormFields? { visit.request.method == .post ? visit.form : nil }

    private func value(_ name: String, _ saved: String) -> String { submitted?.exact(name) ?? saved }

    private static let names: Set<String> = Set(TimingForm.bound.map(\.path.name)).union([
        TimingForm.startAt, TimingForm.quietTo,
    ])

    /// The errors of the times, such as a validity that is not a duration.
    private var faults: FormErrors { FormErrors(composer.faults(in: .timing), fields: Self.names) }

    private func page(_ errors: FormErrors) -> Page {
        let isTyped = !errors.isEmpty
        let shown = isTyped || composer.isUntouched ? errors : faults
        let fields = Fields(shown)
        return composer.page(
            visit.form(action: composer.path, id: Composer.formID, attributes: Composer.asksBeforeLeaving) {
                """
                \(Composer.defaultButton)<div class="stack">\(fields.others(besides: Self.names))\
                \(startCard(fields))\(wavesCard(fields))\(localCard(fields))\(moreCard(fields))</div>\
                \(composer.foot(next: .toProof))
                """
            })
    }

    private func startCard(_ fields: Fields) -> HTML {
        let presentation = Presentation.current
        let saved = WallTime(rfc3339: document.text("schedule.startAt"))
        let local = saved.map { TimingForm.local($0, in: presentation.zone) } ?? ""
        let isTimed = submitted.map { $0[TimingForm.start] == "at" } ?? (document["schedule.startAt"] != nil)
        let zone = presentation.zoneName
        let text = fields.text(
            .startAt, TimingForm.startAt, value: value(TimingForm.startAt, local), kind: "datetime-local",
            hint: .inZone(zone))
        let rate = fields.text(
            .rate, "schedule.ratePerSecond", value: document.text("schedule.ratePerSecond"),
            hint: .rateHint, autocomplete: "off", attributes: " inputmode=\"numeric\"")
        let validity = fields.text(
            .validity, "schedule.validity", value: document.text("schedule.validity"), hint: .validityHint,
            autocomplete: "off")
        return HTML.card(
            .start, id: "start",
            body: """
                <div class="stack">\(fields.choices(.begin, TimingForm.start, [
                    .init("now", Phrase.now), .init("at", Phrase.atTime),
                ], value: isTimed ? "at" : "now"))\
                <input type="hidden" name="\(TimingForm.zone)" value="\(zone)">\
                <div class="when-timed">\(text)</div><div class="pair">\(validity)\(rate)</div></div>
                """)
    }

    private func wavesCard(_ fields: Fields) -> HTML {
        guard let saved = TimingForm.waves(of: document) else {
            return HTML.card(.waves, id: "waves", body: "<p>\(.wavesOfSizes)</p>")
        }
        let waves = submitted.map { TimingForm(form: $0).waves } ?? saved
        let rows = (waves + [TimingForm.Wave(), TimingForm.Wave()]).prefix(TimingForm.maxWaves).enumerated()
            .map { index, wave -> HTML in
                """
                <div class="pair wave"><b>\(.wave(index + 1))</b>\
                <label class="field"><span>\(.waveAfter)</span><input class="input" \
                name="\(TimingForm.waveAfter)" value="\(wave.after)" autocomplete="off" placeholder="30m" \
                aria-label="\(Phrase.waveAfter(index + 1))"></label>\
                <label class="field"><span>\(.waveShare)</span><input class="input" \
                name="\(TimingForm.waveShare)" value="\(wave.percent)" inputmode="decimal" \
                autocomplete="off" placeholder="%" aria-label="\(Phrase.waveShare(index + 1))"></label></div>
                """
            }
        return HTML.card(
            .waves, id: "waves", note: "\(.wavesNote)",
            body:
                "<div class=\"rules\">\(rows)</div><p class=\"hint\">\(.wavesHint)</p>"
        )
    }

    private func localCard(_ fields: Fields) -> HTML {
        let quiet: DocumentPath = "schedule.quietHours"
        return HTML.card(
            .localTimes, id: "local",
            body: """
                <div class="stack"><div class="pair">\
                \(fields.text(.localTime, "schedule.localTime", value: document.text("schedule.localTime"),
                    kind: "time", hint: .localTimeHint))\
                \(fields.text(.timeZone, "schedule.timeZone", value: document.text("schedule.timeZone"),
                    hint: .timeZoneHint, autocomplete: "off"))\
                \(fields.text(.quietFrom, TimingForm.quietFrom,
                    value: value(TimingForm.quietFrom, document.text(quiet + "from")), kind: "time"))\
                \(fields.text(.quietTo, TimingForm.quietTo,
                    value: value(TimingForm.quietTo, document.text(quiet + "to")), kind: "time",
                    hint: .quietHint))</div></div>
                """)
    }

    private func moreCard(_ fields: Fields) -> HTML {
        let priorities: [(String, Phrase)] =
            [
                ("", .usual)
            ] + DeliveryPriority.allCases.map { ($0.rawValue, $0.title) }
        let isUntracked = submitted?.isOn(TimingForm.untracked) ?? (document["tracking"] == .boolean(false))
        return HTML.card(
            .more, id: "more",
            body: """
                <div class="stack"><div class="pair">\
                \(fields.select(.priority, "schedule.priority", priorities.map { .init($0.0, $0.1) },
                    value: document.text("schedule.priority"), hint: .priorityHint))\
                \(fields.text(.retention, "schedule.retentionDays",
                    value: document.text("schedule.retentionDays"), hint: .retentionHint, autocomplete: "off",
                    attributes: " inputmode=\"numeric\""))\
                \(fields.text(.retries, "retry.count", value: document.text("retry.count"),
                    hint: .asUsual, autocomplete: "off", attributes: " inputmode=\"numeric\""))\
                \(fields.text(.retryPeriod, "retry.period", value: document.text("retry.period"),
                    hint: .asUsual, autocomplete: "off"))</div>\
                \(fields.check(.untracked, TimingForm.untracked, isOn: isUntracked, hint: .untrackedHint))\
                </div>
                """)
    }
}

extension Phrase {
    fileprivate static let toProof = Phrase("Continue to proof", "Weiter zur Probe")
    fileprivate static let start = Phrase("Start", "Beginn")
    fileprivate static let begin = Phrase("When it begins", "Wann sie beginnt")
    fileprivate static let now = Phrase("Now", "Sofort")
    fileprivate static let atTime = Phrase("At a time", "Zu einer Zeit")
    fileprivate static let startAt = Phrase("Day and time", "Tag und Uhrzeit")
    fileprivate static func inZone(_ name: String) -> Phrase {
        Phrase("In the time zone \(name).", "In der Zeitzone \(name).")
    }
    fileprivate static let rate = Phrase("Messages per second", "Nachrichten pro Sekunde")
    fileprivate static let rateHint = Phrase(
        "If empty: as fast as possible.", "Wenn leer: so schnell wie möglich.")
    fileprivate static let validity = Phrase("Valid for", "Gültig für")
    fileprivate static let validityHint = Phrase(
        "For example 30m, 12h or 5d, counted from the start. If empty: 5 days. 0: now or never.",
        "Zum Beispiel 30m, 12h oder 5d ab dem Beginn. Wenn leer: 5 Tage. 0: jetzt oder nie.")
    fileprivate static let waves = Phrase("Waves", "Wellen")
    fileprivate static let wavesNote = Phrase(
        "Sends to parts of the audience, one after the other.",
        "Sendet nacheinander an Teile der Zielgruppe.")
    fileprivate static let wavesHint = Phrase(
        "For each wave: the time after the wave before it, such as 30m or 2h (the first one has none), and "
            + "its share in percent. The last wave has no share and takes everyone who is left. No rows: one "
            + "wave.",
        "Für jede Welle: die Zeit nach der vorigen Welle, etwa 30m oder 2h (die erste hat keine), und ihr "
            + "Anteil in Prozent. Die letzte Welle hat keinen Anteil und umfasst alle Übrigen. Keine Zeilen: "
            + "eine Welle.")
    fileprivate static let wavesOfSizes = Phrase(
        "The waves of this draft have sizes in numbers, which this form does not change.",
        "Die Wellen dieses Entwurfs haben feste Größen, die dieses Formular nicht ändert.")
    fileprivate static func wave(_ number: Int) -> Phrase { Phrase("Wave \(number)", "Welle \(number)") }
    fileprivate static let waveAfter = Phrase("Time after the wave before", "Zeit nach der vorigen Welle")
    fileprivate static let waveShare = Phrase("Share in percent", "Anteil in Prozent")
    fileprivate static func waveAfter(_ number: Int) -> Phrase {
        Phrase(
            "Time after the wave before, wave \(number)", "Zeit nach der vorigen Welle, Welle \(number)")
    }
    fileprivate static func waveShare(_ number: Int) -> Phrase {
        Phrase("Share in percent, wave \(number)", "Anteil in Prozent, Welle \(number)")
    }
    fileprivate static let localTimes = Phrase("Local time and quiet hours", "Ortszeit und Ruhezeiten")
    fileprivate static let localTime = Phrase("At this time on each device", "Um diese Zeit auf jedem Gerät")
    fileprivate static let localTimeHint = Phrase(
        "Each device gets the message at this time of its own day.",
        "Jedes Gerät erhält die Nachricht zu dieser Zeit seines Tages.")
    fileprivate static let timeZone = Phrase("Time zone of other devices", "Zeitzone der übrigen Geräte")
    fileprivate static let timeZoneHint = Phrase(
        "For devices that report none, for example Europe/Berlin.",
        "Für Geräte, die keine melden, zum Beispiel Europe/Berlin.")
    fileprivate static let quietFrom = Phrase("Quiet from", "Ruhe von")
    fileprivate static let quietTo = Phrase("Quiet until", "Ruhe bis")
    fileprivate static let quietHint = Phrase(
        "In these hours of each device, messages wait.",
        "In diesen Stunden jedes Geräts warten Nachrichten.")
    fileprivate static let usual = Phrase("Default", "Standard")
    fileprivate static let more = Phrase("More", "Weitere")
    fileprivate static let priority = Phrase("Priority", "Priorität")
    fileprivate static let priorityHint = Phrase(
        "Deliveries of a higher priority are sent first.",
        "Zustellungen höherer Priorität werden zuerst gesendet.")
    fileprivate static let retention = Phrase("Keep messages for days", "Nachrichten aufbewahren (Tage)")
    fileprivate static let retentionHint = Phrase("0 keeps them forever.", "0 behält sie für immer.")
    fileprivate static let retries = Phrase("Retries on the first day", "Wiederholungen am ersten Tag")
    fileprivate static let retryPeriod = Phrase("Time between retries", "Zeit zwischen Wiederholungen")
    fileprivate static let asUsual = Phrase("If empty: the default.", "Wenn leer: der Standardwert.")
    fileprivate static let untracked = Phrase(
        "Do not count receipts and clicks", "Empfang und Klicks nicht zählen")
    fileprivate static let untrackedHint = Phrase(
        "Devices then get no ids to report.", "Geräte erhalten dann keine Kennungen zum Melden.")
}
