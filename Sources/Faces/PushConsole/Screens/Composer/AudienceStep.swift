internal import PushAPI
internal import PushModel
internal import PushWire

/// What the second step's form shows: the values of the document, or those that the person typed.
private struct AudienceValues {
    var kind = TargetKind.all
    var rules = RuleSet()
    var keys = ""
    var group = "recipientsOf"
    var delivery = ""
    var expert = ""
    var excludedKeys = ""
    var excludedDelivery = ""
    var excludedGroup = "recipientsOf"
    var sample = ""
    var oncePerUser = false
    var ignoresCap = false

    init(_ document: DraftDocument) {
        let target = document[.target]
        kind = TargetKind(target)
        rules = target?["where"].flatMap(RuleSet.init) ?? RuleSet()
        keys = (target?["userKeys"]?.strings ?? []).joined(separator: "\n")
        for name in ["recipientsOf", "openersOf", "nonOpenersOf"] {
            if let id = target?[name] { (group, delivery) = (name, id.fieldText) }
        }
        expert = target?.text ?? "{\"all\": true}"
        let exclude = target?["exclude"]
        excludedKeys = (exclude?["userKeys"]?.strings ?? []).joined(separator: "\n")
        for name in ["recipientsOf", "openersOf"] {
            if let id = exclude?[name] { (excludedGroup, excludedDelivery) = (name, id.fieldText) }
        }
        sample = target?["sample"]?.percentText ?? ""
        oncePerUser = target?["oncePerUser"] == .boolean(true)
        ignoresCap = document.isOn(AudienceForm.ignoreCap)
    }

    init(_ audience: AudienceForm) {
        let form = audience.visit.form
        kind = form[AudienceForm.kind].flatMap(TargetKind.init(rawValue:)) ?? .all
        rules = audience.rules
        keys = audience.listedKeys.prefix(AudienceForm.maxKeys + 1).joined(separator: "\n")
        group = form[AudienceForm.group] ?? group
        delivery = form[AudienceForm.delivery] ?? ""
        expert = form.exact(AudienceForm.expert) ?? ""
        excludedKeys = form.exact(AudienceForm.excludedKeys) ?? ""
        excludedDelivery = form[AudienceForm.excludedDelivery] ?? ""
        excludedGroup = form[AudienceForm.excludedGroup] ?? excludedGroup
        sample = form[AudienceForm.sample] ?? ""
        oncePerUser = form.isOn(AudienceForm.oncePerUser)
        ignoresCap = form.isOn(AudienceForm.ignoreCap.name)
    }
}

/// The second step: who gets the delivery, and how many devices that are.
struct AudienceStep {
    var composer: Composer
    private let audience: AudienceForm

    init(_ visit: Visit) throws {
        composer = try Composer(visit, .audience)
        let declared = composer.apps.flatMap(\.parameters).map { ($0.name, $0.kind) }
        audience = AudienceForm(
            visit: visit, kinds: Dictionary(declared) { first, _ in first })
    }

    private var visit: Visit { composer.visit }

    static func show(_ visit: Visit) throws -> Reply {
        let step = try AudienceStep(visit)
        let count = visit.query.isOn(ComposerStep.count) ? AudienceCount(step.composer) : nil
        return .page(try step.page(AudienceValues(step.composer.document), FormErrors(), count))
    }

    static func submit(_ visit: Visit) throws -> Reply {
        var step = try AudienceStep(visit)
        let errors = step.audience.apply(to: &step.composer.document)
        guard errors.isEmpty else {
            return .refused(422, try step.page(AudienceValues(step.audience), errors, nil))
        }
        if step.composer.isRefused {
            let faults = FormErrors(step.composer.faults(in: .audience), fields: [])
            return .refused(422, try step.page(AudienceValues(step.audience), faults, nil))
        }
        let counts = visit.form[Composer.action] == "count"
        return try step.composer.save(staying: counts ? step.composer.path.with("count", "1") : nil)
    }

    static func count(_ visit: Visit) throws -> Reply {
        var step = try AudienceStep(visit)
        let errors = step.audience.apply(to: &step.composer.document)
        return .fragment(errors.isEmpty ? AudienceCount(step.composer).html : HTML.errors(errors))
    }

    // MARK: The page

    private func page(_ values: AudienceValues, _ errors: FormErrors, _ count: AudienceCount?) throws -> Page
    {
        let fields = Fields(errors)
        let names: Set<String> = [
            AudienceForm.join, AudienceForm.keys, AudienceForm.delivery, AudienceForm.expert,
            AudienceForm.excludedKeys, AudienceForm.sample,
        ]
        let deliveries = try visit.carryOut(ListDeliveries(limit: 50)).items
        let attributes: HTML = """
             data-preview="\("/drafts/\(composer.draft.id)/audience/count" as ConsolePath)" \
            data-preview-target="reach-body"\("data-preview-first", if: count == nil && errors.isEmpty)\
            \(Composer.asksBeforeLeaving)
            """
        let form = visit.form(
            action: composer.path, id: Composer.formID, hasFiles: true, attributes: " \(attributes)"
        ) {
            """
            \(Composer.defaultButton)<div class="split split-wide"><div class="stack">\
            \(fields.others(besides: names))\(whoCard(values, fields, deliveries))\
            \(limitsCard(values, fields, deliveries))</div>\(countCard(count))</div>\
            \(composer.foot(next: .toTiming))
            """
        }
        return composer.page(form)
    }

    private func countCard(_ count: AudienceCount?) -> HTML {
        """
        <aside class="card" role="region" aria-labelledby="reach"><div class="card-head">\
        <h2 id="reach">\(Phrase.audienceSentTo)</h2></div>\
        <div class="card-body stack" aria-live="polite"><div class="stack" id="reach-body">\
        \(count?.html ?? AudienceCount.none)</div>\
        <button class="button button-small" name="\(Composer.action)" value="count">\
        \(Phrase.saveAndCount)</button></div></aside>
        """
    }

    private func whoCard(_ values: AudienceValues, _ fields: Fields, _ deliveries: [DeliveryView]) -> HTML {
        let kinds = TargetKind.allCases.map { Fields.Choice($0.rawValue, $0.title) }
        let body: HTML = """
            <div class="stack kinds">\
            \(fields.choices(.sendTo, AudienceForm.kind, kinds, value: values.kind.rawValue))\
            \(part(.rules, values, rules(values.rules, fields)))\
            \(part(.list, values, """
                \(fields.area(.keys, AudienceForm.keys, value: values.keys, rows: 5, hint: .keysHint))\
                \(fields.file(.file, AudienceForm.file, accept: ".txt,.csv,text/plain", hint: .fileHint))
                """))\
            \(part(.delivery, values, """
                <div class="pair">\(fields.select(.group, AudienceForm.group, [
                    .init("recipientsOf", Phrase.recipients), .init("openersOf", Phrase.openers),
                    .init("nonOpenersOf", Phrase.nonOpeners),
                ], value: values.group))\
                \(fields.select(.delivery, AudienceForm.delivery, choices(deliveries, values.delivery),
                    value: values.delivery))</div>
                """))\
            \(part(.expert, values, fields.area(
                .expertLabel, AudienceForm.expert, value: values.expert, rows: 6, hint: .expertHint,
                attributes: " spellcheck=\"false\"")))</div>
            """
        return HTML.card(.who, id: "who", body: body)
    }

    /// The fields of one way to choose recipients. Browsers show those of the chosen way, and browsers that
    /// cannot follow the choice show those of the saved way.
    private func part(_ kind: TargetKind, _ values: AudienceValues, _ content: HTML) -> HTML {
        let chosen: HTML = kind == values.kind ? " chosen" : ""
        return """
            <div class="stack kind kind-\(kind.rawValue)\(chosen)" role="group" \
            aria-label="\(kind.title)">\(content)</div>
            """
    }

    private func rules(_ set: RuleSet, _ fields: Fields) -> HTML {
        var known: Set<String> = []
        let names = audience.kinds.keys.sorted() + CollectedFact.allCases.map(\.rawValue)
        let options = names.filter { known.insert($0).inserted }.prefix(200).map { name -> HTML in
            "<option value=\"\(name)\"></option>"
        }
        // Empty rows are for further conditions.
        let rows = set.rules + Array(repeating: RuleSet.Rule(field: "", comparison: "=", value: ""), count: 2)
        let lines = rows.enumerated().map { index, rule in row(index + 1, rule, isAny: set.isAny) }
        return """
            \(fields.choices(.join, AudienceForm.join, [
                .init("all", Phrase.allTrue), .init("any", Phrase.anyTrue),
            ], value: set.isAny ? "any" : "all"))\
            <datalist id="parameters">\(Array(options))</datalist><div class="rules">\(Self.heads)\(lines)\
            <div class="row add"><button class="button button-small" name="\(Composer.action)" value="stay">\
            \(.addRule)</button></div></div><p class="hint">\(.ruleHint)</p>
            """
    }

    /// The heads of the conditions' columns. Screen readers read out the label of each field instead.
    private static var heads: HTML {
        """
        <p class="rule rule-heads" aria-hidden="true"><span></span><span>\(.parameterHead)</span>\
        <span>\(.comparisonHead)</span><span>\(.valueHead)</span></p>
        """
    }

    private func row(_ number: Int, _ rule: RuleSet.Rule, isAny: Bool) -> HTML {
        let options = RuleSet.comparisons.map { comparison -> HTML in
            """
            <option value="\(comparison.word)"\("selected", if: comparison.word == rule.comparison)>\
            \(comparison.title)</option>
            """
        }
        let join: Phrase = number == 1 ? .joinFirst : isAny ? .joinOr : .joinAnd
        return """
            <div class="rule"><span class="join">\(join)</span>\
            <input class="input" name="\(AudienceForm.field)" list="parameters" value="\(rule.field)" \
            autocomplete="off" placeholder="\(.parameterHead)" \
            aria-label="\(Phrase.parameter(number))">\
            <select class="input" name="\(AudienceForm.comparison)" \
            aria-label="\(Phrase.comparison(number))">\(options)</select>\
            <input class="input value" name="\(AudienceForm.value)" value="\(rule.value)" autocomplete="off" \
            placeholder="\(.valueHead)" aria-label="\(Phrase.value(number))"></div>
            """
    }

    private func limitsCard(
        _ values: AudienceValues, _ fields: Fields, _ deliveries: [DeliveryView]
    ) -> HTML {
        let body: HTML = """
            <div class="stack"><div class="stack-tight">\
            \(fields.check(.oncePerUser, AudienceForm.oncePerUser, isOn: values.oncePerUser,
                hint: .oncePerUserHint))\
            \(fields.check(.ignoreCap, AudienceForm.ignoreCap.name, isOn: values.ignoresCap,
                hint: .ignoreCapHint))</div>\
            <div class="pair">\(fields.text(.sample, AudienceForm.sample, value: values.sample,
                hint: .sampleHint, autocomplete: "off", attributes: " inputmode=\"decimal\""))</div>\
            <div class="pair">\(fields.select(.excluded, AudienceForm.excludedDelivery,
                [.init("", Phrase.noDelivery)]
                    + choices(deliveries, values.excludedDelivery, isOptional: true),
                value: values.excludedDelivery))\
            \(fields.select(.excludedGroup, AudienceForm.excludedGroup, [
                .init("recipientsOf", Phrase.recipients), .init("openersOf", Phrase.openers),
            ], value: values.excludedGroup))</div>\
            \(fields.area(.excludedKeys, AudienceForm.excludedKeys, value: values.excludedKeys,
                hint: .keysHint))</div>
            """
        return HTML.card(.limits, id: "limits", body: body)
    }

    /// The newest deliveries, and the chosen one.
    private func choices(
        _ deliveries: [DeliveryView], _ chosen: String, isOptional: Bool = false
    ) -> [Fields.Choice] {
        var choices = deliveries.map { delivery in
            Fields.Choice(
                "\(delivery.id.rawValue)",
                "\(name: String(delivery.shownLabel.prefix(80))) (#\(number: delivery.id.rawValue))" as HTML)
        }
        if !chosen.isEmpty, !choices.contains(where: { $0.value == chosen }) {
            choices.append(Fields.Choice(chosen, "#\(chosen)" as HTML))
        }
        return isOptional ? choices : [Fields.Choice("", Phrase.choose)] + choices
    }
}

extension TargetKind {
    var title: Phrase {
        switch self {
        case .all: Phrase("Everyone", "Alle")
        case .rules: Phrase("Subscribers who match", "Abonnenten, auf die es zutrifft")
        case .list: Phrase("A list of subscribers", "Eine Liste von Abonnenten")
        case .delivery: Phrase("An earlier delivery", "Eine frühere Zustellung")
        case .expert: Phrase("JSON for experts", "JSON für Fachleute")
        }
    }
}

extension Phrase {
    fileprivate static let parameterHead = Phrase("Parameter", "Parameter")
    fileprivate static let comparisonHead = Phrase("Comparison", "Vergleich")
    fileprivate static let valueHead = Phrase("Value", "Wert")
    static let audienceSentTo = Phrase("Will be sent to", "Wird gesendet an")
    fileprivate static let saveAndCount = Phrase("Save and count", "Speichern und zählen")
    fileprivate static let toTiming = Phrase("Continue to timing", "Weiter zum Zeitpunkt")
    fileprivate static let who = Phrase("Who gets it", "Wer sie erhält")
    fileprivate static let sendTo = Phrase("Send to", "Senden an")
    fileprivate static let keys = Phrase("User keys", "Nutzerschlüssel")
    fileprivate static let keysHint = Phrase("One on each line.", "Einer pro Zeile.")
    fileprivate static let file = Phrase("Or a file of user keys", "Oder eine Datei mit Nutzerschlüsseln")
    fileprivate static let fileHint = Phrase(
        "Text in UTF-8, one user key on each line. It is added to the list above.",
        "Text in UTF-8, ein Nutzerschlüssel pro Zeile. Er kommt zur Liste oben hinzu.")
    fileprivate static let delivery = Phrase("Delivery", "Zustellung")
    fileprivate static let group = Phrase("Which recipients", "Welche Empfänger")
    fileprivate static let recipients = Phrase("All to whom it was sent", "Alle, an die gesendet wurde")
    fileprivate static let openers = Phrase("All who clicked", "Alle, die geklickt haben")
    fileprivate static let nonOpeners = Phrase("All who did not click", "Alle, die nicht geklickt haben")
    fileprivate static let choose = Phrase("Choose a delivery", "Zustellung wählen")
    fileprivate static let expertLabel = Phrase("Target as JSON", "Ziel als JSON")
    fileprivate static let expertHint = Phrase(
        "The whole target of the delivery document, with and, or and not.",
        "Das ganze Ziel des Zustellungsdokuments, mit and, or und not.")
    fileprivate static let join = Phrase("Which conditions must be true", "Welche Bedingungen gelten müssen")
    fileprivate static let allTrue = Phrase("All of them", "Alle")
    fileprivate static let anyTrue = Phrase("At least one", "Mindestens eine")
    fileprivate static let joinFirst = Phrase("where", "wenn")
    fileprivate static let joinAnd = Phrase("and", "und")
    fileprivate static let joinOr = Phrase("or", "oder")
    fileprivate static let addRule = Phrase("Add a condition", "Bedingung hinzufügen")
    fileprivate static let ruleHint = Phrase(
        "Separate several values with commas. A condition without a parameter is left out. Dates: 2026-01-31 "
            + "or -7d.",
        "Trennen Sie mehrere Werte mit Kommas. Eine Bedingung ohne Parameter wird weggelassen. Daten: "
            + "2026-01-31 oder -7d.")
    fileprivate static func parameter(_ number: Int) -> Phrase {
        Phrase("Parameter of condition \(number)", "Parameter der Bedingung \(number)")
    }
    fileprivate static func comparison(_ number: Int) -> Phrase {
        Phrase("Comparison of condition \(number)", "Vergleich der Bedingung \(number)")
    }
    fileprivate static func value(_ number: Int) -> Phrase {
        Phrase("Value of condition \(number)", "Wert der Bedingung \(number)")
    }
    fileprivate static let limits = Phrase("Limits", "Grenzen")
    fileprivate static let oncePerUser = Phrase("One device per person", "Ein Gerät pro Person")
    fileprivate static let oncePerUserHint = Phrase(
        "The device that registered last.", "Das zuletzt registrierte Gerät.")
    fileprivate static let ignoreCap = Phrase("Ignore the frequency cap", "Häufigkeitsgrenze ignorieren")
    fileprivate static let ignoreCapHint = Phrase(
        "Also reaches devices that have had the maximum number of messages.",
        "Erreicht auch Geräte, die schon die Höchstzahl an Nachrichten erhalten haben.")
    fileprivate static let sample = Phrase("Sample, in percent", "Stichprobe in Prozent")
    fileprivate static let sampleHint = Phrase("If empty: everyone.", "Wenn leer: alle.")
    fileprivate static let excluded = Phrase(
        "Leave out subscribers of an earlier delivery", "Abonnenten einer früheren Zustellung auslassen")
    fileprivate static let excludedGroup = Phrase("Who is left out", "Wer ausgelassen wird")
    fileprivate static let noDelivery = Phrase("Nobody", "Niemanden")
    fileprivate static let excludedKeys = Phrase("Leave out user keys", "Nutzerschlüssel auslassen")
}
