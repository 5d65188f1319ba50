internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

/// The API's description, OpenAPI 3.1, from the same table that requests are answered by.
enum APIDocument {
    static let value: JSONValue = .object([
        JSONMember(key: "openapi", value: .string("3.1.0")),
        JSONMember(
            key: "info",
            value: .object([
                JSONMember(key: "title", value: .string("PushMTA")),
                JSONMember(key: "version", value: .string("1")),
                JSONMember(
                    key: "description",
                    value: .string("Services, apps, subscribers, deliveries and single messages.")),
            ])),
        JSONMember(
            key: "servers",
            value: .array([.object([JSONMember(key: "url", value: .string(APIRoutes.root))])])),
        JSONMember(
            key: "security",
            value: .array([.object([JSONMember(key: "token", value: .array([]))])])),
        JSONMember(key: "paths", value: .object(paths)),
        JSONMember(
            key: "components",
            value: .object([
                JSONMember(
                    key: "securitySchemes",
                    value: .object([
                        JSONMember(
                            key: "token",
                            value: .object([
                                JSONMember(key: "type", value: .string("http")),
                                JSONMember(key: "scheme", value: .string("bearer")),
                            ]))
                    ])),
                JSONMember(
                    key: "schemas",
                    value: .object(components.map { JSONMember(key: $0.name, value: $0.schema.value) })),
            ])),
    ])

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
                JSONMember(key: route.method.rawValue.lowercased(), value: .object(operation(route))))
        }
        return order.map { JSONMember(key: $0, value: .object(operations[$0] ?? [])) }
    }

    private static func operation(_ route: APIRoute) -> [JSONMember] {
        var members = [
            JSONMember(key: "summary", value: .string(route.operation.summary)),
            JSONMember(
                key: "description", value: .string("Needs the scope `\(route.operation.scope.rawValue)`.")),
        ]
        let parameters = parameters(of: route)
        if !parameters.isEmpty { members.append(JSONMember(key: "parameters", value: .array(parameters))) }
        if let body = route.body {
            members.append(
                JSONMember(
                    key: "requestBody",
                    value: .object([
                        JSONMember(key: "required", value: .boolean(route.needsBody)),
                        JSONMember(key: "content", value: content("application/json", body)),
                    ])))
        }
        members.append(JSONMember(key: "responses", value: .object(responses(of: route))))
        return members
    }

    private static func parameters(of route: APIRoute) -> [JSONValue] {
        func parameter(_ name: String, in place: String, isRequired: Bool, _ schema: Schema) -> JSONValue {
            .object([
                JSONMember(key: "name", value: .string(name)),
                JSONMember(key: "in", value: .string(place)),
                JSONMember(key: "required", value: .boolean(isRequired)),
                JSONMember(key: "schema", value: schema.value),
            ])
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
        func response(_ text: String, _ type: String, _ schema: Schema) -> JSONValue {
            .object([
                JSONMember(key: "description", value: .string(text)),
                JSONMember(key: "content", value: content(type, schema)),
            ])
        }
        var contents = [typed(APIAnswer.json, route.answer)]
        // A table, with a line that names its columns; preferred where a request's Accept says so.
        if route.hasCSV { contents.append(typed(APIAnswer.csv, .string)) }
        func success(_ status: HTTPResponse.Status, _ text: String) -> JSONMember {
            JSONMember(
                key: "\(status.code)",
                value: .object([
                    JSONMember(key: "description", value: .string(text)),
                    JSONMember(key: "content", value: .object(contents)),
                ]))
        }
        let continues = route.mayContinue ? [success(.accepted, "it continues: ask again for the rest")] : []
        return [success(HTTPResponse.Status(code: route.operation.status), "done")] + continues
            + problems(of: route).map {
                JSONMember(
                    key: "\($0.code)",
                    value: response($0.reasonPhrase, APIProblem.contentType, Problem.schema))
            }
    }

    /// What a caller has to reckon with.
    static func problems(of route: APIRoute) -> [HTTPResponse.Status] {
        var all: [HTTPResponse.Status] = [.badRequest, .unauthorized, .forbidden, .notFound]
        if route.takesKey { all.append(.conflict) }
        if route.body != nil { all += [.contentTooLarge] }
        return all + [.unprocessableContent, .internalServerError, .serviceUnavailable]
    }

    private static func content(_ type: String, _ schema: Schema) -> JSONValue {
        .object([typed(type, schema)])
    }

    private static func typed(_ type: String, _ schema: Schema) -> JSONMember {
        JSONMember(key: type, value: .object([JSONMember(key: "schema", value: schema.value)]))
    }
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
