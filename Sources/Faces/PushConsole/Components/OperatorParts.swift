internal import PushAPI
internal import PushModel
internal import PushWire

/// The result of a submitted form.
enum Attempt<Answer> {
    case done(Answer)
    case refused(FormErrors)
}

extension Visit {
    /// Carries out a submitted form. If a use case refuses, the form shows its errors.
    /// - Parameter fields: The names of the form's fields, to which the errors belong.
    func attempt<Answer>(fields: Set<String>, _ work: () throws -> Answer) throws -> Attempt<Answer> {
        do { return .done(try work()) } catch let error as OperationError {
            return .refused(FormErrors(error, ofFields: fields))
        }
    }

    /// The number in the query's cursor; `nil` on the first page.
    var cursorNumber: Int64? { query.given("cursor").flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil } }
}

extension FormErrors {
    /// Creates the errors of a use case whose lines begin with the names of members: `url: must be …`.
    /// - Parameter names: The form's fields by the use case's members, if the names differ.
    init(_ error: OperationError, ofFields fields: Set<String>, names: [String: String] = [:]) {
        guard error.faults.isEmpty else {
            self.init(error, names: names)
            return
        }
        let fields = fields.union(names.keys)
        let faults = error.peopleLines.map { line -> Fault in
            let halves = line.split(separator: ":", maxSplits: 1).map(String.init)
            guard halves.count == 2, fields.contains(halves[0]) else { return Fault(path: "", problem: line) }
            return Fault(path: halves[0], problem: halves[1].trimmed)
        }
        self.init(OperationError(error.kind, faults), names: names)
    }
}

extension UseCase {
    /// Returns the request for a part of a list. Members without a value are absent.
    static func request(list query: [String: String?]) throws(OperationError) -> Self {
        try request(names: [:], query: query.compactMapValues(\.self), body: [])
    }

    /// Returns the request with a body.
    static func request(
        _ names: [String: String] = [:], body: [JSONMember]
    ) throws(OperationError) -> Self {
        try request(names: names, query: [:], body: JSONValue.object(body).documentBytes)
    }
}

extension HTML {
    /// The first names of a list, and the number of the others.
    static func names(_ names: [String], atMost count: Int = 3) -> HTML {
        let shown = names.prefix(count).map { "\(name: $0)" as HTML }.joined(by: ", ")
        return names.count <= count ? shown : "\(shown) \(Phrase.andMore(names.count - count))"
    }

    /// A value that is shown only once, with a button that copies it.
    /// - Parameter id: A name that is unique on the page.
    static func secret(_ text: String, id: String) -> HTML {
        """
        <p><code id="\(id)">\(text)</code></p>\
        <p class="row"><button class="button button-small" type="button" data-script hidden \
        data-copy="\(id)" data-copied="\(Phrase.copied)">\(Phrase.copy)</button></p>
        """
    }
}

extension Phrase {
    fileprivate static func andMore(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("and 1 more", "und 1 weitere")) {
            Phrase("and \($0) more", "und \($0) weitere")
        }
    }
    fileprivate static let copy = Phrase("Copy", "Kopieren")
    fileprivate static let copied = Phrase("Copied", "Kopiert")
}
