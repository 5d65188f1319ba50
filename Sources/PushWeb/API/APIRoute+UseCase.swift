internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

extension APIRoute {
    /// The routes of a use case, by its declarations. A list is answered as a page.
    static func routes<Use: UseCase>(of type: Use.Type) -> [APIRoute] {
        let declarations = Use.declarations
        var answer = Use.Answer.schema
        if case .list(let item) = answer { answer = .page(of: item) }
        return Use.operations.map { operation in
            APIRoute(
                HTTPRequest.Method(operation.method), operation.path, operation.scope, operation.summary,
                places: Dictionary(
                    uniqueKeysWithValues: declarations.filter { $0.place == .path }.map {
                        ($0.name, $0.schema)
                    }),
                query: declarations.filter { $0.place == .query }.map { .declared($0) },
                body: Use.body, mostBodyBytes: operation.maxBodyBytes, needsBody: Use.needsBody,
                hasCSV: Use.Answer.self is any CSVTable.Type, asksMaster: operation.asksMaster,
                status: operation.creates ? .created : .ok, answer: answer,
                kind: operation.isLengthy ? .lengthy : nil, work(of: Use.self, operation))
        }
    }

    private static func work<Use: UseCase>(of type: Use.Type, _ operation: Operation) -> Work {
        if let type = type as? any (UseCase & WaitingOperation).Type { return waiting(type, operation) }
        let work = { @Sendable (call: APICall) throws -> APIAnswer in
            let request = try Use.request(operation, call)
            let found = try request.carryOut(by: call.operations)
            if call.wantsCSV, let table = found as? any CSVTable { return APIAnswer(csv: table.csv) }
            return answer(to: request, found, operation)
        }
        return type is any LongOperation.Type ? .lengthy(work) : .done(work)
    }

    private static func waiting<Use: UseCase & WaitingOperation>(
        _ type: Use.Type, _ operation: Operation
    ) -> Work {
        .waiting({ try Use.request(operation, $0) }, answer: { APIAnswer($0.json ?? .null) })
    }

    private static func answer<Use: UseCase>(
        to request: Use, _ answer: Use.Answer, _ operation: Operation
    ) -> APIAnswer {
        let value = answer.json ?? .null
        if case .array = value { return APIAnswer(APIAnswer.page(value, next: nil)) }
        guard operation.creates, case .string(let name)? = request.json?["name"] else {
            return APIAnswer(value)
        }
        return APIAnswer(value, location: "\(operation.path)/\(APIAddress.encoded(name))")
    }
}

extension UseCase {
    fileprivate static func request(_ operation: Operation, _ call: APICall) throws(OperationError) -> Self {
        let names = call.names.merging(operation.given) { name, _ in name }
        return try request(names: names, query: call.query, body: call.body)
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
    /// The components that this schema refers to, and those that they refer to.
    /// - Parameter found: by their names; those that are in it are not looked into again.
    func collect(into found: inout [(name: String, schema: Schema)]) {
        switch self {
        case .declared(let type):
            guard !found.contains(where: { $0.name == type.schemaName }) else { return }
            let schema = Schema.object(type.schemaMembers)
            found.append((type.schemaName, schema))
            schema.collect(into: &found)
        case .list(let schema), .map(let schema), .orNull(let schema): schema.collect(into: &found)
        case .object(let members, _): for member in members { member.schema.collect(into: &found) }
        case .oneOf(let schemas): for schema in schemas { schema.collect(into: &found) }
        case .string, .integer, .integers, .number, .boolean, .key, .time, .words, .named, .any: break
        }
    }
}
