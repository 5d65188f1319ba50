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
    /// Whether success makes something that has an address of its own: the path and the member `name`.
    package let creates: Bool
    package let maxBodyBytes: Int
    /// Path members that the path does not name, with their values.
    package let given: [String: String]
    /// Whether it needs the status of the running service.
    package let asksMaster: Bool
    /// Whether it may take minutes.
    package let isLengthy: Bool

    package init(
        _ method: Method, _ path: String, _ scope: AccessScope, _ summary: String, creates: Bool = false,
        maxBodyBytes: Int = 64 << 10, given: [String: String] = [:], asksMaster: Bool = false,
        isLengthy: Bool = false
    ) {
        self.method = method
        self.path = path
        self.scope = scope
        self.summary = summary
        self.creates = creates
        self.maxBodyBytes = maxBodyBytes
        self.given = given
        self.asksMaster = asksMaster
        self.isLengthy = isLengthy
    }
}

/// A use case whose members are declared: routes, checks, the API's description and the audit trail follow.
package protocol UseCase: Members {
    associatedtype Answer: Described
    static var operation: Operation { get }
    /// Every way to ask for it.
    static var operations: [Operation] { get }
    /// Carries it out, or has it carried out, in the way of its kind.
    func carryOut(by operations: Operations) throws(OperationError) -> Answer
}

extension UseCase {
    package static var operations: [Operation] { [operation] }
}

extension UseCase where Self: ShortOperation {
    package func carryOut(by operations: Operations) throws(OperationError) -> Answer {
        try operations.carryOut(self)
    }
}

extension UseCase where Self: LongOperation {
    package func carryOut(by operations: Operations) throws(OperationError) -> Answer {
        try operations.carryOut(self)
    }
}

/// The use cases of the product, for what is derived from them.
package enum UseCases {
    package static let all: [any UseCase.Type] = [
        ListServices.self, CreateService.self, ShowService.self, UpdateService.self, DeleteService.self,
        ListWebhooks.self, CreateWebhook.self, ShowWebhook.self, UpdateWebhook.self, DeleteWebhook.self,
        RotateWebhookSecret.self, TestWebhook.self,
        ListAccessTokens.self, CreateAccessToken.self, RevokeAccessToken.self, ReadAudit.self,
        ListTemplates.self, ShowTemplate.self, SaveTemplate.self, DeleteTemplate.self,
        ListQuarantine.self, ShowStorms.self, DecideStorm.self, CountSubscribers.self,
        ShowServiceStatistics.self, ShowDeliveryStatistics.self, ReadDeliveryLogPage.self,
        ListApps.self, CreateApp.self, ShowApp.self, UpdateApp.self, ShowAppIcon.self, DeleteApp.self,
        ShowDelivery.self, PauseDelivery.self, ResumeDelivery.self, StopDelivery.self, RecountDelivery.self,
        ReleaseDeliveries.self, RetryFailed.self, ShowMessage.self, ShowStatus.self, ExplainApp.self,
        ResumeAccount.self,
    ]
}

extension UseCase {
    /// The request that a caller of the API has made.
    /// - Parameters:
    ///   - names: what the path contains.
    ///   - query: decoded.
    ///   - body: empty if there is none.
    /// - Throws: what is wrong: with the path, that there is no such thing; with the query, with kind `usage`; with
    ///   the body, with kind `refused`.
    package static func request(
        names: [String: String], query: [String: String], body: [UInt8]
    ) throws(OperationError) -> Self {
        let members = Dictionary(grouping: members, by: \.declaration.place)
        var request = Self()
        func take(
            _ given: [JSONMember], of place: Declaration.Place, _ error: ([String]) -> OperationError
        ) throws(OperationError) {
            var faults = Faults()
            let known = members[place] ?? []
            if place == .body { faults.refuse(given, unknownTo: known.map(\.declaration), at: "") }
            request.take(given, of: known, at: "", &faults)
            if !faults.lines.isEmpty { throw error(faults.lines) }
        }
        func given(_ texts: [String: String], in place: Declaration.Place) -> [JSONMember] {
            (members[place] ?? []).map(\.declaration).compactMap { declaration in
                texts[declaration.name].map {
                    JSONMember(key: declaration.name, value: declaration.schema.value(of: $0))
                }
            }
        }
        try take(given(names, in: .path), of: .path) { .absent($0.joined(separator: "; ")) }
        try take(given(query, in: .query), of: .query) { OperationError(.usage, lines: $0) }
        if let document = members[.document]?.first {
            let value = Base64Bytes(wrappedValue: body).json ?? .null
            try take([JSONMember(key: document.declaration.name, value: value)], of: .document) {
                OperationError(.refused, lines: $0)
            }
        }
        if members[.body] != nil {
            let given = body.isEmpty && !needsBody ? RequestBody() : try RequestBody(body)
            try take(given.members, of: .body) { OperationError(.refused, lines: $0) }
        }
        return request
    }

    /// Whether a request has a body: without one, a change would change nothing.
    package static var needsBody: Bool {
        operation.method == .patch || declarations.contains { $0.place == .document }
            || declarations.contains { $0.place == .body && $0.isRequired }
    }

    /// What the body of a request contains.
    package static var body: Schema? {
        if let document = declarations.first(where: { $0.place == .document }) { return document.schema }
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
        case .integer, .integers:
            text.hasPrefix("+") ? .string(text) : Int64(text).map { .integer($0) } ?? .string(text)
        case .boolean: text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : .string(text)
        case .orNull(let schema): schema.value(of: text)
        default: .string(text)
        }
    }
}
