package import PushModel
internal import PushWire

/// How callers ask for a use case, and what the audit trail, the description and the help call it.
package struct Operation: Sendable {
    package enum Method: String, Sendable { case get, post, put, patch, delete }
    package let method: Method
    /// Behind the API's root, with the names of path members in braces.
    package let path: String
    package let scope: AccessScope
    /// In a sentence.
    package let summary: String
    /// Whether success makes something that has an address of its own.
    package let creates: Bool

    package init(
        _ method: Method, _ path: String, _ scope: AccessScope, _ summary: String, creates: Bool = false
    ) {
        self.method = method
        self.path = path
        self.scope = scope
        self.summary = summary
        self.creates = creates
    }
}

/// A use case whose members are declared: routes, checks, the API's description and the audit trail follow.
package protocol UseCase: ShortOperation, Members where Answer: Described {
    static var operation: Operation { get }
}

/// The use cases of the product, for what is derived from them.
package enum UseCases {
    package static let all: [any UseCase.Type] = [
        ListServices.self, CreateService.self, ShowService.self, UpdateService.self, DeleteService.self,
    ]
}

extension UseCase {
    /// The request that a caller of the API has made.
    /// - Parameters:
    ///   - names: what the path contains.
    ///   - query: decoded.
    ///   - body: empty if there is none.
    /// - Throws: kind `usage` if the body is not a JSON object, `refused` with all faults of the members.
    package static func request(
        names: [String: String], query: [String: String], body: [UInt8]
    ) throws(OperationError) -> Self {
        var faults = Faults()
        var given: [JSONMember] = []
        for declaration in declarations {
            let text = declaration.place == .path ? names[declaration.name] : query[declaration.name]
            guard declaration.place != .body, let text else { continue }
            given.append(JSONMember(key: declaration.name, value: declaration.schema.value(of: text)))
        }
        if declarations.contains(where: { $0.place == .body }) {
            let members = try RequestBody(body).members
            faults.refuse(members, unknownTo: declarations.filter { $0.place == .body }, at: "")
            given += members
        }
        guard let request = read(given, at: "", &faults), faults.lines.isEmpty else {
            throw OperationError(.refused, lines: faults.lines)
        }
        return request
    }

    /// The members that stand in the body of a request.
    package static var body: Schema? {
        let members = declarations.filter { $0.place == .body }
        return members.isEmpty ? nil : .object(members.map(\.schemaMember))
    }
}

extension Declaration {
    package var schemaMember: Schema.Member {
        Schema.Member(name, schema, isRequired: isRequired, about: help)
    }
}

extension Schema {
    /// The JSON value that a text in a path or a query stands for. What it cannot stand for stays a text.
    func value(of text: String) -> JSONValue {
        switch self {
        case .integer, .integers: Int64(text).map { .integer($0) } ?? .string(text)
        case .boolean: text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : .string(text)
        case .orNull(let schema): schema.value(of: text)
        default: .string(text)
        }
    }
}
