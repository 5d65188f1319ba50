internal import HTTPTypes
internal import PushAPI
internal import PushModel
internal import PushWire

/// The API's OpenAPI 3.1 description, generated from the same route table that serves requests.
enum APIDocument {
    fileprivate static let version = JSONValue.string("3.1.0")
    fileprivate static let information: JSONValue = [
        "title": .string("PushMTA"), "version": .string("1"),
        "description": .string("Services, apps, subscribers, deliveries and single messages."),
    ]

    static let value: JSONValue = [
        "openapi": version, "info": information,
        "servers": .array([["url": .string(APIRoutes.root)]]),
        "security": .array([["token": .array([])]]),
        "tags": .array(tags),
        "paths": .object(paths),
        "components": [
            "securitySchemes": ["token": ["type": .string("http"), "scheme": .string("bearer")]],
            "responses": .object(
                problems.map { JSONMember(key: name(of: $0.status), value: response($0.codes)) }),
            "schemas": .object(components.map { JSONMember(key: $0.name, value: $0.schema.value) }),
        ],
    ]

    /// The schemas that routes accept and return, with their names.
    static let components: [(name: String, schema: Schema)] = {
        var found: [(name: String, schema: Schema)] = []
        Problem.schema.collect(into: &found)
        for route in routes {
            let named = route.path.names
            for parameter in route.parameters
            where parameter.place == .query || named.contains(parameter.name) {
                parameter.schema.collect(into: &found)
            }
            route.body?.collect(into: &found)
            route.answer.collect(into: &found)
        }
        return found
    }()

    private static var routes: [APIRoute] { APIRoute.all.filter { !$0.operation.isLocal } }

    /// The tags that operations use, in the order of ``Noun``.
    private static var tags: [JSONValue] {
        let used = Set(routes.map(\.tag))
        return Noun.allCases.filter { used.contains($0.rawValue) }.map { noun in
            [
                "name": .string(noun.rawValue), "description": .string(noun.about),
                "x-displayName": .string(noun.title),
            ]
        }
    }

    private static var paths: [JSONMember] {
        var order: [String] = []
        var operations: [String: [JSONMember]] = [:]
        for route in routes {
            if operations[route.path.text] == nil { order.append(route.path.text) }
            operations[route.path.text, default: []].append(
                JSONMember(key: route.method.rawValue.lowercased(), value: operation(route)))
        }
        return order.map { JSONMember(key: $0, value: .object(operations[$0] ?? [])) }
    }

    private static func operation(_ route: APIRoute) -> JSONValue {
        let examples = route.examples
        let parameters = parameters(of: route, examples)
        let scope = route.operation.scope.map { "Requires the scope `\($0.rawValue)`." }
        return [
            "operationId": .string(route.identifier), "tags": .array([.string(route.tag)]),
            "summary": .string(route.operation.summary),
            "description": .string(scope ?? "Requires no token."),
            "security": scope == nil ? .array([]) : nil,
            "parameters": parameters.isEmpty ? nil : .array(parameters),
            "requestBody": requestBody(of: route, examples),
            "responses": .object(responses(of: route, examples)),
        ]
    }

    private static func requestBody(of route: APIRoute, _ examples: APIRoute.Examples) -> JSONValue? {
        if case .upload(let types, let about, _) = route.transfer {
            return [
                "description": .string(about), "required": .boolean(true),
                "content": streamed(types, as: Schema.file, examples.files),
            ]
        }
        return route.body.map { body in
            [
                "required": .boolean(route.needsBody),
                "content": [APIAnswer.json: typed(body, example: examples.body)],
            ]
        }
    }

    private static func streamed(
        _ types: [String], as schema: Schema, _ examples: [String: String]
    ) -> JSONValue {
        .object(
            types.map { type in
                JSONMember(key: type, value: typed(schema, example: examples[type].map { .string($0) }))
            })
    }

    private static func parameters(of route: APIRoute, _ examples: APIRoute.Examples) -> [JSONValue] {
        func parameter(_ member: Declaration, isRequired: Bool) -> JSONValue {
            [
                "name": .string(member.name), "in": .string(isRequired ? "path" : "query"),
                "required": .boolean(isRequired), "description": .string(member.help),
                "schema": member.schema.value(preset: member.preset),
                "example": examples.parameters[member.name],
            ]
        }
        let key: JSONValue = [
            "name": .string("Idempotency-Key"), "in": .string("header"), "required": .boolean(false),
            "description": .string(
                """
                A request that is repeated with the same key is carried out only once. Keys are kept for \
                one day.
                """
            ),
            "schema": Schema.key(longest: IdempotencyKeyText.longest).value,
        ]
        let inPath = route.path.names.compactMap { name in route.parameters.first { $0.name == name } }
        return inPath.map { parameter($0, isRequired: true) }
            + route.parameters.filter { $0.place == .query }.map { parameter($0, isRequired: false) }
            + (route.takesKey ? [key] : [])
    }

    private static func responses(of route: APIRoute, _ examples: APIRoute.Examples) -> [JSONMember] {
        func response(_ status: HTTPResponse.Status, _ text: String) -> JSONMember {
            // If the request's Accept header prefers CSV, the answer is a CSV table whose first line contains
            // the column names.
            let example = examples.files[APIAnswer.csv].map { JSONValue.string($0) }
            let table = route.hasCSV ? typed(.string, example: example) : nil
            if case .download(let types, _, _) = route.transfer {
                return JSONMember(
                    key: "\(status.code)",
                    value: [
                        "description": .string(text),
                        "content": streamed(types, as: .string, examples.files),
                    ])
            }
            let content: JSONValue = [
                APIAnswer.json: typed(route.answer, example: examples.answer), APIAnswer.csv: table,
            ]
            return JSONMember(
                key: "\(status.code)", value: ["description": .string(text), "content": content])
        }
        let status = HTTPResponse.Status(code: route.operation.status)
        return [response(status, status == .accepted ? "Accepted." : "Done.")]
            + problems(of: route).map { status in
                let reference = "#/components/responses/\(name(of: status))"
                return JSONMember(key: "\(status.code)", value: ["$ref": .string(reference)])
            }
    }

    // MARK: Problems

    /// Problems that no operation of the API returns. The server returns them only if the path or method has
    /// no operation, if a client sends too many requests, or if the request arrived on the Unix socket.
    private static let ofNoOperation: [ProblemCode] = [
        .notFound, .methodNotAllowed, .preconditionFailed, .tooManyRequests,
    ]

    /// The problems that operations return, grouped by status.
    private static let problems: [(status: HTTPResponse.Status, codes: [ProblemCode])] = {
        let codes = ProblemCode.allCases.filter { !ofNoOperation.contains($0) }
        let byStatus = Dictionary(grouping: codes) { APIProblem.status(of: $0) }
        return byStatus.map { (status: $0.key, codes: $0.value) }.sorted { $0.status.code < $1.status.code }
    }()

    /// Returns the HTTP statuses of the problems that this route can return.
    static func problems(of route: APIRoute) -> [HTTPResponse.Status] {
        var without: [HTTPResponse.Status] = []
        if route.operation.scope == nil { without += [.unauthorized, .forbidden] }
        if route.method == .get { without.append(.conflict) }
        if route.body == nil { without.append(.contentTooLarge) }
        if route.body == nil, !route.isUpload { without.append(.unsupportedMediaType) }
        return problems.map(\.status).filter { !without.contains($0) }
    }

    /// Returns the name of a shared response, such as `NotFound`.
    private static func name(of status: HTTPResponse.Status) -> String {
        status.reasonPhrase.split { !$0.isLetter }.joined()
    }

    private static func response(_ codes: [ProblemCode]) -> JSONValue {
        [
            "description": .string(codes.map { "`\($0.rawValue)`: \($0.meaning)" }.joined(separator: "; ")),
            "content": [APIProblem.contentType: typed(Problem.schema)],
        ]
    }

    private static func typed(_ schema: Schema, example: JSONValue? = nil) -> JSONValue {
        ["schema": schema.value, "example": example]
    }
}

/// The operation that returns the API's description.
struct DescribeAPI: ShortOperation, UseCase {
    static let name = "api.describe"
    static let operation = Operation(
        .get, "/openapi.json", nil, "Returns this description.", .immediate, reach: .instance)
    static let members: [Member<Self>] = []

    func perform(in operations: Operations) -> RenderedDescription { RenderedDescription() }
}

/// The rendered ``APIDocument``. It is rendered only once, because any client may request it.
struct RenderedDescription: Described, Codable {
    private static let text: [UInt8] = {
        var bytes: [UInt8] = []
        APIDocument.value.append(to: &bytes)
        return bytes
    }()

    var bytes: [UInt8] { Self.text }

    static var schema: Schema { .component("OpenAPIDocument") { .map(.any) } }
    static var sample: Self? { nil }
    /// An example: the beginning of the description.
    static var example: JSONValue? {
        ["openapi": APIDocument.version, "info": APIDocument.information, "paths": .object([])]
    }
    var json: JSONValue? { APIDocument.value }

    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws { try APIDocument.value.encode(to: encoder) }
}

extension Schema {
    /// Collects the components that this schema refers to, directly or through other components.
    /// - Parameter found: The components collected so far, with their names. They are not examined again.
    fileprivate func collect(into found: inout [(name: String, schema: Schema)]) {
        switch self {
        case .component(let name, let schema):
            guard !found.contains(where: { $0.name == name }) else { return }
            found.append((name, schema()))
            schema().collect(into: &found)
        case .list(let schema, _), .map(let schema, _, _), .orNull(let schema): schema.collect(into: &found)
        case .object(let members, _): for member in members { member.schema.collect(into: &found) }
        case .oneOf(let schemas), .anyOf(let schemas): for schema in schemas { schema.collect(into: &found) }
        case .words(let words, let name?):
            guard !found.contains(where: { $0.name == name }) else { return }
            found.append((name, .words(words)))
        case .string, .text, .integer, .integers, .number, .numbers, .boolean, .key, .file, .time,
            .words(_, nil), .any:
            break
        }
    }
}
