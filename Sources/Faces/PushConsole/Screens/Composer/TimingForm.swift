internal import PushModel
internal import PushSystem
internal import PushWire

/// Reads the third step's form.
struct TimingForm {
    static let start = "start"
    static let startAt = "schedule.startAt"
    static let zone = "_zone"
    static let quietFrom = "quiet.from"
    static let quietTo = "quiet.to"
    static let waveAfter = "wave.after"
    static let waveShare = "wave.share"
    static let untracked = "untracked"
    /// The maximum number of waves of a delivery.
    static let maxWaves = 20

    static let bound: [BoundField] = [
        BoundField("schedule.validity"), BoundField("schedule.ratePerSecond", .number),
        BoundField("schedule.priority"), BoundField("schedule.localTime"), BoundField("schedule.timeZone"),
        BoundField("schedule.retentionDays", .number), BoundField("retry.count", .number),
        BoundField("retry.period"),
    ]

    /// A wave as the form shows it. Without a share, it takes everyone who is left.
    struct Wave: Equatable {
        var after = ""
        var percent = ""
    }

    let form: FormFields

    /// Changes the document to what the form contains.
    func apply(to document: inout DraftDocument) -> FormErrors {
        var errors = FormErrors()
        for field in Self.bound { field.apply(form, to: &document) }
        applyStart(to: &document, &errors)
        let (from, to) = (form.given(Self.quietFrom), form.given(Self.quietTo))
        switch (from, to) {
        case (nil, nil): document["schedule.quietHours"] = nil
        case (let from?, let to?):
            document["schedule.quietHours"] = .object([
                .init(key: "from", value: .string(from)), .init(key: "to", value: .string(to)),
            ])
        default: errors.add(Self.quietTo, .bothHours)
        }
        document["tracking"] = form.isOn(Self.untracked) ? .boolean(false) : nil
        applyWaves(to: &document, &errors)
        return errors
    }

    private func applyStart(to document: inout DraftDocument, _ errors: inout FormErrors) {
        guard form[Self.start] == "at" else {
            document["schedule.startAt"] = nil
            return
        }
        let rules = form[Self.zone].flatMap { SystemZones.zone(named: $0) } ?? Presentation.current.zone
        guard let text = form.given(Self.startAt), let time = Self.time(local: text, in: rules) else {
            errors.add(Self.startAt, .noStart)
            return
        }
        document["schedule.startAt"] = .string(time.utcText)
    }

    var waves: [Wave] {
        let shares = form.all(Self.waveShare)
        return form.all(Self.waveAfter).enumerated().prefix(Self.maxWaves).compactMap { index, after in
            let wave = Wave(after: after.trimmed, percent: index < shares.count ? shares[index].trimmed : "")
            return wave == Wave() ? nil : wave
        }
    }

    private func applyWaves(to document: inout DraftDocument, _ errors: inout FormErrors) {
        let waves = waves
        guard !waves.isEmpty else {
            // Waves with sizes are not part of the form and stay as they are.
            if !form.all(Self.waveAfter).isEmpty { document["schedule.waves"] = nil }
            return
        }
        var hasBadShare = false
        document["schedule.waves"] = .array(
            waves.map { wave in
                var members: [JSONMember] = []
                if !wave.after.isEmpty { members.append(.init(key: "after", value: .string(wave.after))) }
                if !wave.percent.isEmpty {
                    if let share = JSONValue.share(percent: wave.percent) {
                        members.append(.init(key: "share", value: share))
                    } else {
                        hasBadShare = true
                    }
                }
                return .object(members)
            })
        if hasBadShare, errors.isEmpty { errors = FormErrors(.badShare) }
    }

    /// Returns the waves of a document for the form; `nil` if the form cannot show them.
    static func waves(of document: DraftDocument) -> [Wave]? {
        guard case .array(let elements)? = document["schedule.waves"] else { return [] }
        var waves: [Wave] = []
        for element in elements {
            guard element["size"] == nil else { return nil }
            var wave = Wave(after: element["after"]?.fieldText ?? "")
            wave.percent = element["share"]?.percentText ?? ""
            waves.append(wave)
        }
        return waves
    }

    // MARK: Local time

    /// Returns the time at which a wall clock shows a text such as `2026-11-27T09:00`; `nil` if the text is
    /// not of this form.
    static func time(local text: String, in rules: ZoneRules) -> WallTime? {
        guard text.utf8.count >= 16, let asUTC = WallTime(rfc3339: "\(text.prefix(16)):00Z") else {
            return nil
        }
        // The offset is that of the result, which is at most a day away.
        let first = asUTC.advanced(bySeconds: -Int64(rules.offset(at: asUTC)))
        return asUTC.advanced(bySeconds: -Int64(rules.offset(at: first)))
    }

    /// Returns the value of a field of the type `datetime-local`.
    static func local(_ time: WallTime, in rules: ZoneRules) -> String {
        String(time.advanced(bySeconds: Int64(rules.offset(at: time))).utcText.prefix(16))
    }
}

extension Phrase {
    fileprivate static let bothHours = Phrase(
        "Quiet hours need a beginning and an end. Fill in both, or none.",
        "Ruhezeiten brauchen Beginn und Ende. Füllen Sie beide Felder aus oder keines.")
    fileprivate static let noStart = Phrase(
        "Choose the day and the time of the start.", "Wählen Sie Tag und Uhrzeit des Beginns.")
    fileprivate static let badShare = Phrase(
        "A share is a number greater than 0 and at most 100. The last wave has none.",
        "Ein Anteil ist eine Zahl über 0 und höchstens 100. Die letzte Welle hat keinen.")
}
