internal import FoundationEssentials
package import PushWire

extension UseCase {
    /// The request that another process of the instance sends to have this use case carried out; `nil` if
    /// such a request cannot be created.
    @_semantics("optimize.sil.specialize.generic.never")
    package var request: ServiceRequest? {
        let texts = Dictionary(
            Self.members.compactMap { member in
                member.get(self).flatMap { $0 == .null ? nil : (member.declaration.name, $0.addressText) }
            }
        ) { first, _ in first }
        let operation = Self.operations.first { operation in
            operation.given.allSatisfy { texts[$0.key] == $0.value }
                && APIPattern(operation.path).names.allSatisfy { texts[$0]?.isEmpty == false }
        }
        let key = (self as? any KeyedUseCase)?.idempotencyKey
        // If the key cannot be the value of a header, there is no request: this process carries out the use
        // case and refuses the key.
        guard let operation, key.map(IdempotencyKeyText.isAllowed) != false else { return nil }
        let path = APIPattern(operation.path).names.reduce(operation.path) { path, name in
            path.replacing("{\(name)}", with: APIAddress.encoded(texts[name] ?? ""))
        }
        let query = queried.map { "\($0.key)=\(APIAddress.encoded($0.value.addressText))" }
        return ServiceRequest(
            operation.method.rawValue.uppercased(),
            path + (query.isEmpty ? "" : "?") + query.joined(separator: "&"), body: bodyBytes,
            idempotencyKey: key)
    }

    /// The members of the query whose values differ from their defaults.
    @_semantics("optimize.sil.specialize.generic.never")
    private var queried: [JSONMember] {
        Self.members.compactMap { member in
            let declaration = member.declaration
            guard declaration.place == .query || declaration.place == .inner, let value = member.get(self),
                value != .null, value != declaration.preset
            else { return nil }
            return JSONMember(key: declaration.name, value: value)
        }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private var bodyBytes: [UInt8] {
        if let document = Self.document { return self[keyPath: document] }
        let members = Self.members.compactMap { member -> JSONMember? in
            let name = member.declaration.name
            guard member.declaration.place == .body, let value = member.get(self),
                value != .null || !Self.isAlternative(name)
            else { return nil }
            return JSONMember(key: name, value: value)
        }
        var bytes: [UInt8] = []
        if !members.isEmpty { JSONValue.object(members).append(to: &bytes) }
        return bytes
    }

    /// Reads the service's answer.
    /// - Returns: `nil` if nothing was done and this process may carry out the use case.
    /// - Throws: The service's error, or an error that states that it is unknown whether anything was done.
    @_semantics("optimize.sil.specialize.generic.never")
    static func answer(
        in reply: ServiceReply, unknown: OperationError
    ) throws(OperationError) -> Answer? {
        if reply.isSuccess {
            let data = Data(reply.body)
            if case .list = Answer.schema, let page = try? JSONDecoder().decode(Items.self, from: data) {
                return page.items
            }
            guard let answer = try? JSONDecoder().decode(Answer.self, from: data) else { throw unknown }
            return answer
        }
        guard let problem = try? JSONDecoder().decode(Problem.self, from: Data(reply.body)),
            let kind = OperationError.Kind(rawValue: problem.code)
        else {
            // The reply does not concern the use case itself: the service has another version, which does not
            // know the use case.
            if reply.status < 500 { return nil }
            throw unknown
        }
        if kind == .usage || kind == .unavailable { return nil }
        throw OperationError(kind, lines: problem.errors)
    }

    private typealias Items = ItemsOf<Answer>
}

/// A list, as it appears in an answer.
private struct ItemsOf<Items: Codable>: Codable {
    var items: Items
}

extension JSONValue {
    /// The value as a text in a path or a query, which ``Schema/value(of:)`` can read.
    var addressText: String {
        if case .string(let text) = self { return text }
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The reason why a request was not carried out (RFC 9457).
package struct Problem: View {
    package static let about = [
        "code": "the code by which programs decide what to do next: "
            + ProblemCode.allCases.map(\.rawValue).joined(separator: ", "),
        "detail": "all errors in one text",
        "errors": "one entry for each fault, with its place and the valid values",
        "faults": "faults that were found while members were read; later checks add only to `errors`",
    ]

    package var type: String
    package var title: String
    package var status: Int
    package var code: String
    package var detail: String
    package var errors: [String]
    package var faults: [Fault]

    package struct Fault: View, Equatable {
        package static let schemaName = "ProblemFault"
        package static let about = [
            "path": "the member, such as `events[0]`; empty for the body as a whole",
            "detail": "the fault, and the valid values",
        ]

        package var path: String
        package var detail: String
    }

    package init(_ code: ProblemCode, title: String, errors: [String], faults: [PushWire.Fault] = []) {
        (type, detail) = ("about:blank", errors.joined(separator: "; "))
        (status, self.title, self.code, self.errors) = (code.status, title, code.rawValue, errors)
        self.faults = faults.map { Fault(path: $0.path, detail: $0.problem) }
    }
}
