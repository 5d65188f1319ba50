package import PushAPI
internal import PushWire

/// What is wrong with a submitted form: texts for fields, which the page shows next to them, and other texts,
/// which it shows above the form.
package struct FormErrors: Sendable, Equatable {
    package private(set) var fields: [String: [String]] = [:]
    package private(set) var others: [String] = []
    /// Whether the texts are in English even if the reader's language is another one.
    package private(set) var isForeign = false
    /// What the texts mean, for readers of another language; `nil` if the texts are in the reader's language.
    package private(set) var meaning: Phrase?
    /// The texts that are in English although ``isForeign`` is false.
    package private(set) var english: Set<String> = []

    package init() {}
    package init(_ field: String, _ text: Phrase) { fields[field] = [text.text] }
    package init(_ text: Phrase) { others = [text.text] }

    /// Creates the errors of a use case.
    /// - Parameter names: The form's fields by the use case's members, if the names differ.
    package init(_ error: OperationError, names: [String: String] = [:]) {
        isForeign = true
        meaning = error.kind.meaning
        var described: Set<String> = []
        for fault in error.faults {
            described.insert("\(fault)")
            let member = fault.path.prefix { $0 != "." && $0 != "[" }
            guard !member.isEmpty else {
                others.append(fault.problem)
                continue
            }
            let field = names[fault.path] ?? names[String(member)] ?? fault.path
            fields[field, default: []].append(fault.problem)
        }
        others += error.peopleLines.filter { !described.contains($0) }
    }

    package var isEmpty: Bool { fields.isEmpty && others.isEmpty }
    package var all: [String] { others + fields.keys.sorted().flatMap { fields[$0] ?? [] } }

    /// Adds a text for a field.
    package mutating func add(_ field: String, _ text: Phrase) {
        fields[field, default: []].append(text.text)
    }

    /// Adds a text that concerns no field.
    package mutating func add(_ text: Phrase) { others.append(text.text) }

    /// Adds a text of a use case, which is in English, for a field.
    package mutating func add(_ field: String, english text: String) {
        fields[field, default: []].append(text)
        english.insert(text)
    }

    /// Assigns the texts that concern no field to the only field of a form.
    package mutating func assignOthers(to field: String) {
        guard !others.isEmpty else { return }
        fields[field, default: []] += others
        others = []
    }

    /// Returns the errors of fields that a form does not have, and all other errors that concern no field.
    package func outside(_ names: Set<String>) -> [String] {
        others
            + fields.keys.sorted().filter { !names.contains($0) }.flatMap { name in
                (fields[name] ?? []).map { "\(name): \($0)" }
            }
    }
}

extension OperationError.Kind {
    /// What an error of this kind means. The error's own text, which is in English, follows it.
    package var meaning: Phrase {
        switch self {
        case .failed: Phrase("This was not possible:", "Das war nicht möglich. Die Meldung auf Englisch:")
        case .unavailable:
            Phrase(
                "This is not possible at present. Nothing was changed. Try again:",
                "Das ist im Moment nicht möglich. Nichts wurde geändert. Versuchen Sie es erneut. Die "
                    + "Meldung auf Englisch:")
        case .usage, .malformed, .refused:
            Phrase(
                "Something in your input is not valid. Nothing was changed:",
                "Etwas in Ihrer Eingabe ist nicht gültig. Nichts wurde geändert. Die Meldung auf Englisch:")
        case .forbidden:
            Phrase(
                "Your role does not permit this. Nothing was changed:",
                "Ihre Rolle erlaubt das nicht. Nichts wurde geändert. Die Meldung auf Englisch:")
        case .absent:
            Phrase(
                "Something that is named does not exist. Nothing was changed:",
                "Etwas, das genannt ist, gibt es nicht. Nichts wurde geändert. Die Meldung auf Englisch:")
        case .noMatch:
            Phrase(
                "Nothing matches. Nothing was changed:",
                "Nichts passt dazu. Nichts wurde geändert. Die Meldung auf Englisch:")
        case .conflict:
            Phrase(
                "It does not fit the present state. Nothing was changed:",
                "Es passt nicht zum jetzigen Zustand. Nichts wurde geändert. Die Meldung auf Englisch:")
        case .cancelled: Phrase("It was cancelled:", "Es wurde abgebrochen. Die Meldung auf Englisch:")
        }
    }
}
