package import PushAPI
internal import PushWire

/// What is wrong with a submitted form: texts for fields, which the page shows next to them, and other texts,
/// which it shows above the form.
package struct FormErrors: Sendable, Equatable {
    package private(set) var fields: [String: [String]] = [:]
    package private(set) var others: [String] = []
    /// Whether the texts are in English even if the reader's language is another one.
    package private(set) var isForeign = false
    /// The texts that are in English although ``isForeign`` is false.
    package private(set) var english: Set<String> = []

    package init() {}
    package init(_ field: String, _ text: Phrase) { fields[field] = [text.text] }
    package init(_ text: Phrase) { others = [text.text] }

    /// Creates the errors of a use case.
    /// - Parameter names: The form's fields by the use case's members, if the names differ.
    package init(_ error: OperationError, names: [String: String] = [:]) {
        isForeign = true
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
