internal import PushAPI
internal import PushModel
internal import PushWire

/// How a delivery chooses its recipients, as a form shows it.
enum TargetKind: String, CaseIterable {
    case all, rules = "where", list, delivery, expert

    /// Returns how the form shows a target.
    init(_ target: JSONValue?) {
        guard case .object(let members)? = target else {
            self = .all
            return
        }
        let base = members.map(\.key).filter { !["exclude", "sample", "oncePerUser"].contains($0) }
        switch base {
        case ["all"], []: self = .all
        case ["userKeys"]: self = .list
        case ["where"]: self = RuleSet(target?["where"] ?? .null) == nil ? .expert : .rules
        case ["recipientsOf"], ["openersOf"], ["nonOpenersOf"]: self = .delivery
        default: self = .expert
        }
        if self != .expert, !Self.isSimple(target?["exclude"], target?["sample"]) { self = .expert }
    }

    private static func isSimple(_ exclude: JSONValue?, _ sample: JSONValue?) -> Bool {
        if case .object? = sample { return false }
        guard case .object(let members)? = exclude else { return exclude == nil }
        return members.allSatisfy { ["userKeys", "openersOf", "recipientsOf"].contains($0.key) }
    }
}

/// Conditions that a form can show as rows: all or any of them must be true.
struct RuleSet: Equatable {
    struct Rule: Equatable {
        var field: String
        var comparison: String
        var value: String
    }

    var isAny = false
    var rules: [Rule] = []

    static let comparisons: [(word: String, title: Phrase)] = [
        ("=", Phrase("is", "ist")), ("!=", Phrase("is not", "ist nicht")),
        ("in", Phrase("is one of", "ist eines von")),
        ("contains", Phrase("contains", "enthält")), ("startsWith", Phrase("begins with", "beginnt mit")),
        ("<", Phrase("is less than", "ist kleiner als")), ("<=", Phrase("is at most", "ist höchstens")),
        (">", Phrase("is greater than", "ist größer als")), (">=", Phrase("is at least", "ist mindestens")),
        ("between", Phrase("is between", "liegt zwischen")),
        ("exists", Phrase("is known", "ist bekannt")),
        ("missing", Phrase("is not known", "ist nicht bekannt")),
    ]

    init() {}

    /// `nil` if rows cannot show the condition.
    init?(_ condition: JSONValue) {
        guard case .object(let members) = condition else { return nil }
        if members.count == 1, let only = members.first, ["and", "or"].contains(only.key),
            case .array(let parts) = only.value
        {
            isAny = only.key == "or"
            for part in parts {
                guard case .object(let inner) = part, inner.count == 1, let found = Self.rules(inner),
                    found.count == 1
                else { return nil }
                rules += found
            }
            return
        }
        guard let found = Self.rules(members) else { return nil }
        rules = found
    }

    private static func rules(_ members: [JSONMember]) -> [Rule]? {
        var rules: [Rule] = []
        for member in members {
            if ["and", "or", "not"].contains(member.key) {
                switch member.value {
                case .object, .array: return nil
                default: break
                }
            }
            guard case .object(let comparisons) = member.value else {
                if case .array = member.value { return nil }
                rules.append(Rule(field: member.key, comparison: "=", value: member.value.fieldText))
                continue
            }
            for comparison in comparisons {
                guard Self.comparisons.contains(where: { $0.word == comparison.key }),
                    comparison.key != "missing"
                else { return nil }
                var (word, text) = (comparison.key, comparison.value.fieldText)
                switch comparison.value {
                case .array(let elements): text = elements.map(\.fieldText).joined(separator: ", ")
                case .boolean(let isPresent) where word == "exists":
                    (word, text) = (isPresent ? "exists" : "missing", "")
                default: break
                }
                rules.append(Rule(field: member.key, comparison: word, value: text))
            }
        }
        return rules
    }

    /// - Parameter kinds: The kinds of the parameters that apps declare.
    func condition(_ kinds: [String: ParameterDeclaration.Kind]) -> JSONValue {
        let parts = rules.map { rule in
            JSONValue.object([JSONMember(key: rule.field, value: Self.value(of: rule, kinds[rule.field]))])
        }
        return .object([JSONMember(key: isAny ? "or" : "and", value: .array(parts))])
    }

    private static func value(of rule: Rule, _ kind: ParameterDeclaration.Kind?) -> JSONValue {
        let isOrdered = ["<", "<=", ">", ">=", "between"].contains(rule.comparison)
        func typed(_ text: String) -> JSONValue {
            switch kind {
            case .number?: return .number(text)
            case .boolean?:
                return text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : .string(text)
            case .text?, .date?: return .string(text)
            case nil: return isOrdered ? .number(text) : .string(text)
            }
        }
        let parts = rule.value.split(separator: ",").map { String($0).trimmed }
        let value: JSONValue =
            switch rule.comparison {
            case "exists": .boolean(true)
            case "missing": .boolean(false)
            case "in", "between": .array(parts.map(typed))
            default: typed(rule.value)
            }
        let word = rule.comparison == "missing" ? "exists" : rule.comparison
        return .object([JSONMember(key: word, value: value)])
    }
}

/// Reads the second step's form.
struct AudienceForm {
    static let kind = "target"
    static let join = "rule.join"
    static let field = "rule.field"
    static let comparison = "rule.comparison"
    static let value = "rule.value"
    static let keys = "list.keys"
    static let file = "list.file"
    static let group = "delivery.group"
    static let delivery = "delivery.id"
    static let expert = "expert"
    static let excludedKeys = "exclude.keys"
    static let excludedDelivery = "exclude.delivery"
    static let excludedGroup = "exclude.group"
    static let sample = "sample"
    static let oncePerUser = "oncePerUser"
    static let ignoreCap: DocumentPath = "ignoreFrequencyCap"
    /// The maximum number of user keys that a document can list.
    static let maxKeys = 10_000
    static let maxRules = 100

    let visit: Visit
    let kinds: [String: ParameterDeclaration.Kind]

    private var form: FormFields { visit.form }

    /// Changes the document to what the form contains.
    func apply(to document: inout DraftDocument) -> FormErrors {
        var errors = FormErrors()
        guard let kind = form[Self.kind].flatMap(TargetKind.init(rawValue:)) else { return errors }
        document[Self.ignoreCap] = form.isOn(Self.ignoreCap.name) ? .boolean(true) : nil
        if kind == .expert {
            let text = form.exact(Self.expert) ?? ""
            guard let value = try? JSONParser.parse(Array(text.utf8)), case .object = value else {
                return FormErrors(Self.expert, .notAnObject)
            }
            document[.target] = value
            return errors
        }
        var members = [base(kind, &errors)]
        members += refinement(&errors)
        if errors.isEmpty { document[.target] = .object(members) }
        return errors
    }

    private func base(_ kind: TargetKind, _ errors: inout FormErrors) -> JSONMember {
        switch kind {
        case .all, .expert: return JSONMember(key: "all", value: .boolean(true))
        case .rules:
            let set = rules
            if set.rules.isEmpty { errors.add(Self.join, .noRule) }
            return JSONMember(key: "where", value: set.condition(kinds))
        case .list:
            let keys = listedKeys
            if keys.isEmpty { errors.add(Self.keys, .noKeys) }
            if keys.count > Self.maxKeys { errors.add(Self.keys, .tooManyKeys(keys.count)) }
            return JSONMember(key: "userKeys", value: .array(keys.map { .string($0) }))
        case .delivery:
            let groups = ["recipientsOf", "openersOf", "nonOpenersOf"]
            let group = form[Self.group].flatMap { groups.contains($0) ? $0 : nil } ?? groups[0]
            guard let id = form.number(Self.delivery), id > 0 else {
                errors.add(Self.delivery, .noDelivery)
                return JSONMember(key: group, value: .null)
            }
            return JSONMember(key: group, value: .integer(Int64(id)))
        }
    }

    var rules: RuleSet {
        var set = RuleSet()
        set.isAny = form[Self.join] == "any"
        let (fields, words) = (form.all(Self.field), form.all(Self.comparison))
        for (index, value) in form.all(Self.value).enumerated().prefix(Self.maxRules) {
            guard index < fields.count, index < words.count else { break }
            let field = fields[index].trimmed
            guard !field.isEmpty else { continue }
            set.rules.append(.init(field: field, comparison: words[index], value: value.trimmed))
        }
        return set
    }

    /// The user keys in the field and in the uploaded file, one on each line.
    var listedKeys: [String] {
        let file = visit.request.files.first { $0.field == Self.file }
        let uploaded = file.flatMap { String(validating: $0.bytes, as: UTF8.self) } ?? ""
        return Self.lines((form.exact(Self.keys) ?? "") + "\n" + uploaded)
    }

    /// Returns the lines of a text, without repetitions.
    static func lines(_ text: String) -> [String] {
        var known: Set<String> = []
        return text.split(whereSeparator: \.isNewline).map { String($0).trimmed }
            .filter { !$0.isEmpty && known.insert($0).inserted }
    }

    private func refinement(_ errors: inout FormErrors) -> [JSONMember] {
        var members: [JSONMember] = []
        var excluded: [JSONMember] = []
        let keys = Self.lines(form.exact(Self.excludedKeys) ?? "")
        if keys.count > Self.maxKeys { errors.add(Self.excludedKeys, .tooManyKeys(keys.count)) }
        if !keys.isEmpty { excluded.append(.init(key: "userKeys", value: .array(keys.map { .string($0) }))) }
        if let id = form.number(Self.excludedDelivery), id > 0 {
            let group = form[Self.excludedGroup] == "openersOf" ? "openersOf" : "recipientsOf"
            excluded.append(.init(key: group, value: .integer(Int64(id))))
        }
        if !excluded.isEmpty { members.append(.init(key: "exclude", value: .object(excluded))) }
        if let text = form.given(Self.sample) {
            if let share = JSONValue.share(percent: text) {
                if share != .real(1) { members.append(.init(key: "sample", value: share)) }
            } else {
                errors.add(Self.sample, .notPercent)
            }
        }
        if form.isOn(Self.oncePerUser) { members.append(.init(key: "oncePerUser", value: .boolean(true))) }
        return members
    }
}

extension Phrase {
    fileprivate static let notAnObject = Phrase(
        "This is not a JSON object. Example: {\"where\": {\"city\": \"Paris\"}}.",
        "Das ist kein JSON-Objekt. Beispiel: {\"where\": {\"city\": \"Paris\"}}.")
    fileprivate static let noRule = Phrase(
        "Fill in at least one condition.", "Füllen Sie mindestens eine Bedingung aus.")
    fileprivate static let noKeys = Phrase(
        "Enter at least one user key, or choose a file.",
        "Geben Sie mindestens einen Nutzerschlüssel ein, oder wählen Sie eine Datei.")
    fileprivate static func tooManyKeys(_ count: Int) -> Phrase {
        let (found, most) = (Formats.count(count), Formats.count(AudienceForm.maxKeys))
        return Phrase(
            "There are \(found) user keys; a draft can list \(most). An operator can submit a file.",
            "Es sind \(found) Nutzerschlüssel; ein Entwurf kann \(most) enthalten. Der Betrieb kann eine "
                + "Datei einreichen.")
    }
    fileprivate static let noDelivery = Phrase(
        "Choose an earlier delivery.", "Wählen Sie eine frühere Zustellung.")
    fileprivate static let notPercent = Phrase(
        "Enter a number greater than 0 and at most 100.", "Geben Sie eine Zahl über 0 und höchstens 100 ein.")
}
