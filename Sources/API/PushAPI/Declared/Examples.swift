internal import PushModel
package import PushWire

extension UseCase {
    private static var exampleRequest: JSONValue { (try? JSONParser.parse(Array(example.utf8))) ?? .null }

    /// An example of a request's body; `nil` if the request has no body.
    @_semantics("optimize.sil.specialize.generic.never")
    package static var exampleBody: JSONValue? {
        if document != nil { return exampleRequest }
        let members = declarations.filter { $0.place == .body }
        guard !members.isEmpty else { return nil }
        let example = exampleRequest
        return .object(
            members.compactMap { member in
                example[member.name].map { JSONMember(key: member.name, value: $0) }
            })
    }

    /// Returns an example value for a parameter in the path or the query; `nil` if examples omit the
    /// parameter.
    @_semantics("optimize.sil.specialize.generic.never")
    package static func example(of parameter: Declaration) -> JSONValue? {
        if document == nil, let value = exampleRequest[parameter.name] { return value }
        guard parameter.place == .path else { return nil }
        let isOwn = ["name", "id"].contains(parameter.name)
        let noun = isOwn ? noun : Noun(rawValue: parameter.name)
        return noun?.example ?? parameter.schema.words?.first.map { .string($0) } ?? .integer(1)
    }

    /// Returns an example of the answer to an operation; `nil` if none can be created.
    @_semantics("optimize.sil.specialize.generic.never")
    package static func exampleAnswer(of operation: Operation) -> JSONValue? {
        let isJob = Self.self is any Job.Type || Self.self is any Upload.Type
        let example = isJob ? exampleJob : Answer.example?.named(noun)
        return example?.exemplified(by: identifier(of: operation))
    }

    /// An example of this use case's job, as the answer to the request shows it: an upload has already ended,
    /// and any other operation has not begun.
    private static var exampleJob: JSONValue? {
        let job = JobView.example?.named(.job).merged(with: ["operation": .string(name), "result": .null])
        if Self.self is any Upload.Type { return job?.merged(with: ["result": Answer.example]) }
        return job?.merged(with: [
            "state": .string("waiting"), "done": .null, "total": .null, "endedAt": .null,
        ])
    }

    /// Examples of bodies and answers that are not JSON, by media type.
    package static var exampleFiles: [String: String] {
        if let upload = Self.self as? any Upload.Type { return upload.bodyExamples }
        if let download = Self.self as? any Download.Type { return download.answerExamples }
        guard let table = Answer.example?.named(noun).decoded(as: Answer.self) as? any CSVTable else {
            return [:]
        }
        return ["text/csv": String(decoding: table.csv, as: UTF8.self)]
    }
}

extension JSONValue {
    /// Returns an example in which members whose names indicate their meaning have their usual values.
    /// - Parameter noun: The noun that the value describes; `nil` if it describes none that has an example.
    fileprivate func named(_ noun: Noun?) -> JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.map { member in
                    let value = member.value.named(member.key == "items" ? noun : Noun(member: member.key))
                    return JSONMember(key: member.key, value: value.named(member.key, of: noun))
                })
        case .array(let values): .array(values.map { $0.named(noun) })
        default: self
        }
    }

    /// Returns the usual value of a member if its present value is meaningless.
    private func named(_ name: String, of noun: Noun?) -> JSONValue {
        switch self {
        case .array(let values):
            return .array(values.map { $0.named(String(name.dropLast()), of: noun) })
        case .string(""), .string(String.placeholder): break
        default: return self
        }
        let value: JSONValue? =
            switch name {
            case "name", "id": noun?.example
            case "userKey": .string("anna")
            case "token": .string(noun == .token ? "pmta_…" : AnswerExamples.deviceToken)
            case "url": .string("https://crm.example.com/push")
            default: Noun(rawValue: name)?.example
            }
        if case .string? = value { return value ?? self }
        return self
    }
}

extension Noun {
    /// Creates the noun that a member of this name contains, as a value or as a list.
    fileprivate init?(member name: String) {
        guard let noun = Noun(rawValue: name) ?? Noun(rawValue: String(name.dropLast())) else { return nil }
        self = noun
    }
}
