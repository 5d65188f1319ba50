internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

extension APIRoute {
    /// The route of a use case, by its declarations. A list is answered as a page.
    convenience init<Use: UseCase>(_ type: Use.Type) {
        let operation = Use.operation
        let declarations = Use.declarations
        var answer = Use.Answer.schema
        if case .list(let item) = answer { answer = .page(of: item) }
        self.init(
            HTTPRequest.Method(operation.method), operation.path, operation.scope, operation.summary,
            places: Dictionary(
                uniqueKeysWithValues: declarations.filter { $0.place == .path }.map { ($0.name, $0.schema) }),
            query: declarations.filter { $0.place == .query }.map { .declared($0) },
            body: Use.body, status: operation.creates ? .created : .ok, answer: answer,
            .done { call in
                let request = try Use.request(names: call.names, query: call.query, body: call.body)
                let value = try call.operations.carryOut(request).json ?? .null
                if case .array = value { return APIAnswer(APIAnswer.page(value, next: nil)) }
                guard operation.creates, case .string(let name)? = value["name"] else {
                    return APIAnswer(value)
                }
                return APIAnswer(value, location: "\(operation.path)/\(APIAddress.encoded(name))")
            })
    }
}

extension HTTPRequest.Method {
    fileprivate init(_ method: Operation.Method) {
        self =
            switch method {
            case .get: .get
            case .post: .post
            case .put: .put
            case .patch: .patch
            case .delete: .delete
            }
    }
}

extension Schema {
    /// The types with declared members that this schema refers to, and those that they refer to.
    /// - Parameter found: by their names; those that are in it are not looked into again.
    func collect(into found: inout [(name: String, schema: Schema)]) {
        switch self {
        case .declared(let type):
            guard !found.contains(where: { $0.name == type.schemaName }) else { return }
            let schema = Schema.object(type.declarations.map(\.schemaMember))
            found.append((type.schemaName, schema))
            schema.collect(into: &found)
        case .list(let schema), .map(let schema), .orNull(let schema): schema.collect(into: &found)
        case .object(let members, _): for member in members { member.schema.collect(into: &found) }
        case .oneOf(let schemas): for schema in schemas { schema.collect(into: &found) }
        case .string, .integer, .integers, .number, .boolean, .key, .time, .words, .named, .any: break
        }
    }
}
