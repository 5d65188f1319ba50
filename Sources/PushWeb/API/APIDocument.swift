internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

/// The API's description, OpenAPI 3.1, from the same table that requests are answered by.
enum APIDocument {
    static let value: JSONValue = [
        "openapi": .string("3.1.0"),
        "info": [
            "title": .string("PushMTA"), "version": .string("1"),
            "description": .string("Services, apps, subscribers, deliveries and single messages."),
        ],
        "servers": .array([["url": .string(APIRoutes.root)]]),
        "security": .array([["token": .array([])]]),
        "paths": .object(paths),
        "components": [
            "securitySchemes": ["token": ["type": .string("http"), "scheme": .string("bearer")]],
            "schemas": .object(components.map { JSONMember(key: $0.name, value: $0.schema.value) }),
        ],
    ]

    /// What routes take and answer, by name.
    static let components: [(name: String, schema: Schema)] = {
        var found: [(name: String, schema: Schema)] = []
        Problem.schema.collect(into: &found)
        for route in routes {
            route.body?.collect(into: &found)
            route.answer.collect(into: &found)
        }
        return found
    }()

    private static var routes: [APIRoute] { APIRoute.all.filter { !$0.operation.isLocal } }

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
        let parameters = parameters(of: route)
        return [
            "summary": .string(route.operation.summary),
            "description": .string("Needs the scope `\(route.operation.scope.rawValue)`."),
            "parameters": parameters.isEmpty ? nil : .array(parameters),
            "requestBody": route.body.map { body in
                ["required": .boolean(route.needsBody), "content": content("application/json", body)]
            },
            "responses": .object(responses(of: route)),
        ]
    }

    private static func parameters(of route: APIRoute) -> [JSONValue] {
        func parameter(_ name: String, in place: String, isRequired: Bool, _ schema: Schema) -> JSONValue {
            [
                "name": .string(name), "in": .string(place), "required": .boolean(isRequired),
                "schema": schema.value,
            ]
        }
        let key = parameter(
            "Idempotency-Key", in: "header", isRequired: false, .key(longest: RequestKey.longest))
        let inPath = route.path.names.compactMap { name in route.parameters.first { $0.name == name } }
        return inPath.map { parameter($0.name, in: "path", isRequired: true, $0.schema) }
            + route.parameters.filter { $0.place == .query }.map {
                parameter($0.name, in: "query", isRequired: false, $0.schema)
            } + (route.takesKey ? [key] : [])
    }

    private static func responses(of route: APIRoute) -> [JSONMember] {
        func response(_ status: HTTPResponse.Status, _ text: String, _ content: JSONValue) -> JSONMember {
            JSONMember(key: "\(status.code)", value: ["description": .string(text), "content": content])
        }
        // A table, with a line that names its columns; preferred where a request's Accept says so.
        let table = route.hasCSV ? typed(Schema.string) : nil
        let answer: JSONValue = [APIAnswer.json: typed(route.answer), APIAnswer.csv: table]
        var responses = [response(HTTPResponse.Status(code: route.operation.status), "done", answer)]
        if route.mayContinue {
            responses.append(response(.accepted, "it continues: ask again for the rest", answer))
        }
        return responses
            + problems(of: route).map {
                response($0, $0.reasonPhrase, content(APIProblem.contentType, Problem.schema))
            }
    }

    /// What a caller has to reckon with.
    static func problems(of route: APIRoute) -> [HTTPResponse.Status] {
        var all: [HTTPResponse.Status] = [.badRequest, .unauthorized, .forbidden, .notFound]
        if route.takesKey { all.append(.conflict) }
        if route.body != nil { all += [.contentTooLarge, .unsupportedMediaType] }
        return all + [.unprocessableContent, .internalServerError, .serviceUnavailable]
    }

    private static func content(_ type: String, _ schema: Schema) -> JSONValue { [type: typed(schema)] }

    private static func typed(_ schema: Schema) -> JSONValue { ["schema": schema.value] }
}

/// The API's description.
struct DescribeAPI: ShortOperation, UseCase {
    static let name = "api.describe"
    static let operation = Operation(.get, "/openapi.json", .read, "This description.")
    static let members: [Member<Self>] = []

    func perform(in operations: Operations) -> JSONValue { APIDocument.value }
}

extension Schema {
    /// The components that this schema refers to, and those that they refer to.
    /// - Parameter found: by their names; those that are in it are not looked into again.
    fileprivate func collect(into found: inout [(name: String, schema: Schema)]) {
        switch self {
        case .component(let name, let schema):
            guard !found.contains(where: { $0.name == name }) else { return }
            found.append((name, schema()))
            schema().collect(into: &found)
        case .list(let schema, _), .map(let schema, _), .orNull(let schema): schema.collect(into: &found)
        case .object(let members, _): for member in members { member.schema.collect(into: &found) }
        case .oneOf(let schemas): for schema in schemas { schema.collect(into: &found) }
        case .string, .text, .integer, .integers, .number, .numbers, .boolean, .key, .time, .words, .any:
            break
        }
    }
}
