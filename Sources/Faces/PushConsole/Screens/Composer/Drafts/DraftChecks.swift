internal import PushAPI
internal import PushModel
internal import PushWire

/// What is wrong, or probably wrong, with a draft, step by step.
extension Composer {
    /// What must be corrected in one step, whatever is wrong in the others.
    func faults(in step: ComposerStep) -> [DraftFault] {
        var faults: [DraftFault] = []
        // If nothing is wrong with the whole document, nothing is wrong with a part of it.
        if check()?.fault != nil, let part = document.part(of: step, apps: apps) {
            var composer = self
            composer.document = part
            let error = composer.check()?.fault
            faults = error.map(DraftFaultReader(composer: self).faults) ?? []
            faults.removeAll { $0.step != step }
        }
        if step == .timing, let start, start.advanced(bySeconds: 60) < visit.now.time {
            faults.append(
                DraftFault(
                    step: .timing, field: TimingForm.startAt, text: Phrase.startIsPast(start).text))
        }
        return faults
    }

    var faults: [DraftFault] { ComposerStep.allCases.flatMap { faults(in: $0) } }

    /// The time at which the delivery begins; `nil` if it begins at once.
    var start: WallTime? { WallTime(rfc3339: document.text("schedule.startAt")) }

    /// Texts with placeholders in the syntax of other systems, which would be sent as they are, and texts
    /// that were not written.
    var probableMistakes: [DraftFault] {
        let empty = document.languages.filter { tag in
            let path = DocumentPath.content(in: tag)
            return document.text(path + "title").isEmpty && document.text(path + "body").isEmpty
        }.map { tag in
            DraftFault(
                language: tag, field: (DocumentPath.content(in: tag) + "title").name,
                place: LanguageNames.title(tag), text: Phrase.emptyLanguage.text)
        }
        return emptyMainText + empty + foreignPlaceholders
    }

    /// What devices show if the main text is empty, or has no title.
    private var emptyMainText: [DraftFault] {
        let isSilent = ["content.ios.type", "content.android.type"].contains { document.text($0) == "silent" }
        let hasKeys = (document.keys("content.ios") + document.keys("content.android"))
            .contains { $0.hasSuffix("LocKey") }
        guard !isSilent, !hasKeys, document.text("content.title").isEmpty, document[.content] != nil else {
            return []
        }
        let hasBody = !document.text("content.body").isEmpty
        guard hasBody || !document.languages.isEmpty else { return [] }
        return [
            DraftFault(
                field: "content.title", place: hasBody ? nil : .mainContent,
                text: (hasBody ? Phrase.noTitle : .noMainText).text)
        ]
    }

    private var foreignPlaceholders: [DraftFault] {
        document.texts.compactMap { place in
            let found = ForeignPlaceholder.all(in: place.text)
            guard !found.isEmpty else { return nil }
            return DraftFault(
                language: place.language, field: place.path.name,
                place: DocumentPlace(place.path.keys).title,
                text: Phrase.probableMistake(found.prefix(4).map { ($0.spelling, $0.name) }).text)
        }
    }

    /// The warnings of use cases, without those that ``probableMistakes`` states.
    static func others(_ warnings: [String]) -> [String] {
        var others: [String] = []
        for line in warnings where !line.contains("sent literally: ") && !others.contains(line) {
            others.append(line)
        }
        return others
    }
}

extension DraftDocument {
    /// A text into which values can be inserted.
    struct Text {
        var language: String
        var path: DocumentPath
        var text: String
    }

    /// The texts of all languages.
    var texts: [Text] {
        ([""] + languages).flatMap { language -> [Text] in
            let content = DocumentPath.content(in: language)
            let variables = keys(content + "variables").map { DocumentPath(["variables", $0]) }
            return (["title", "ios.subtitle", "body"] + variables).compactMap { key -> Text? in
                let text = text(content + key)
                return text.isEmpty ? nil : Text(language: language, path: content + key, text: text)
            }
        }
    }

    /// A document that is valid if one step of this document is; `nil` if the step changes no document.
    func part(of step: ComposerStep, apps: [AppView]) -> DraftDocument? {
        guard case .object(let members) = value else { return nil }
        let kept: [String]
        switch step {
        case .content:
            // The recipients of a target can have values for the texts.
            let target = value["target"]?["recipients"] == nil ? "target" : ""
            return DraftDocument(
                .object(members.filter { ![target, "schedule", "retry"].contains($0.key) }))
        case .audience:
            kept = ["service", "apps", "environments", "target", "allowEmpty", "ignoreFrequencyCap"]
        case .timing: kept = ["service", "apps", "environments", "schedule", "retry", "tracking"]
        case .proof, .review: return nil
        }
        var part = DraftDocument(.object(members.filter { kept.contains($0.key) }))
        part["label"] = .string("x")
        part["content.title"] = .string("x")
        for variable in apps.flatMap(\.variables) where variable.defaultValue == nil && !variable.isOptional {
            part["content.variables" + DocumentPath([variable.name])] = .string("x")
        }
        return part
    }
}

extension Phrase {
    static func startIsPast(_ start: WallTime) -> Phrase {
        let time = Moments.text(WallMoment(start))
        return Phrase(
            "\(time) is in the past. Choose a later time, or Now.",
            "\(time) liegt in der Vergangenheit. Wählen Sie eine spätere Zeit oder „Sofort“.")
    }
    fileprivate static let noTitle = Phrase(
        "There is no title: devices show the text only.",
        "Es gibt keinen Titel: Geräte zeigen nur den Text.")
    fileprivate static let noMainText = Phrase(
        "Write a title or a text, because people with other languages would get an empty message.",
        "Schreiben Sie einen Titel oder einen Text, weil Personen mit anderen Sprachen eine leere Nachricht "
            + "erhielten.")
    fileprivate static let emptyLanguage = Phrase(
        "Without a text of its own, this language gets the main text.",
        "Ohne eigenen Text erhält diese Sprache den Haupttext.")
    fileprivate static func probableMistake(_ found: [(spelling: String, name: String?)]) -> Phrase {
        let written = found.map { isolated("\($0.spelling)") }.joined(separator: ", ")
        let right = found.map { isolated("{{\($0.name ?? "name")}}") }.joined(separator: ", ")
        return Phrase(
            "Probable mistake: write \(right) instead of \(written), which is sent as it is.",
            "Wahrscheinlich ein Fehler: Schreiben Sie \(right) statt \(written), das so gesendet wird.")
    }
}
