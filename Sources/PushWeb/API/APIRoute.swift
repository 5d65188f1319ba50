internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

/// One thing that callers of the API may ask for: a use case with a method and a path.
final class APIRoute: Sendable {
    typealias Then = @Sendable (Result<APIAnswer, any Error>) -> Void

    enum Work: Sendable {
        /// Done when it returns, on the connection's loop: it waits for nothing.
        case immediate(@Sendable (APICall) throws -> APIAnswer)
        /// Done when it returns; on a thread that may wait.
        case done(@Sendable (APICall) throws -> APIAnswer)
        /// The answer comes once, perhaps on another thread: work that waits for a shared commit, or for
        /// others, keeps no thread of this kind. The first closure runs on the connection's loop, where it
        /// must not wait, and returns whether it has begun; if not, the second one begins on a thread that
        /// may wait.
        case told(
            atOnce: @Sendable (APICall, @escaping Then) -> Bool,
            otherwise: @Sendable (APICall, @escaping Then) -> Void)

        /// Work that may take minutes; done when it returns.
        case lengthy(@Sendable (APICall) throws -> APIAnswer)

        fileprivate func kind(of method: HTTPRequest.Method) -> APIWorkKind {
            if case .lengthy = self { return .lengthy }
            return method == .get ? .read : .change
        }

        /// For an operation that may wait long for others.
        static func waiting<Use: WaitingOperation>(
            _ operation: @escaping @Sendable (APICall) throws -> Use,
            answer: @escaping @Sendable (Use.Answer) throws -> APIAnswer = {
                APIAnswer(try JSONValue(encoding: $0))
            }
        ) -> Work {
            .told(
                atOnce: { _, _ in false },
                otherwise: { call, then in
                    do {
                        call.operations.carryOut(try operation(call)) { result in
                            then(Result { try answer(try result.get()) })
                        }
                    } catch {
                        then(.failure(error))
                    }
                })
        }
    }

    let method: HTTPRequest.Method
    /// Behind ``APIRoutes/root``.
    let path: APIPattern
    let scope: AccessScope
    /// In a sentence, for the API's description.
    let summary: String
    /// What the names in the path stand for, where that is no text.
    let places: [String: Schema]
    /// What the query may have; others are refused.
    let query: [APIParameter]
    /// nil: it takes none.
    let body: Schema?
    /// Of a body at most.
    let mostBodyBytes: Int
    let needsBody: Bool
    /// Whether it takes an `Idempotency-Key`.
    let takesKey: Bool
    /// Whether who would rather have CSV than JSON is answered so.
    let hasCSV: Bool
    /// Whether a request that takes long is answered with 202 and the progress so far; the same request again gets the
    /// rest.
    let mayContinue: Bool
    /// Whether the operation asks for the master's status: the web module provides it, so that no thread waits for a
    /// master that does not answer.
    let asksMaster: Bool
    /// What is answered where it was done, and with which status.
    let answer: Schema
    let status: HTTPResponse.Status
    /// Whose slots and threads it takes.
    let kind: APIWorkKind
    let work: Work

    /// - Parameter kind: nil: as the work is: lengthy, or a read or a change by the method.
    init(
        _ method: HTTPRequest.Method, _ path: String, _ scope: AccessScope, _ summary: String,
        places: [String: Schema] = [:], query: [APIParameter] = [], body: Schema? = nil,
        mostBodyBytes: Int = APIRoute.smallBody,
        needsBody: Bool = true, takesKey: Bool = false,
        hasCSV: Bool = false, mayContinue: Bool = false, asksMaster: Bool = false,
        status: HTTPResponse.Status = .ok,
        answer: Schema, kind: APIWorkKind? = nil, _ work: Work
    ) {
        self.method = method
        self.path = APIPattern(path)
        self.scope = scope
        self.summary = summary
        self.places = places
        self.query = query
        self.body = body
        self.mostBodyBytes = mostBodyBytes
        self.needsBody = needsBody
        self.takesKey = takesKey
        self.status = status
        self.hasCSV = hasCSV
        self.mayContinue = mayContinue
        self.answer = answer
        self.kind = kind ?? work.kind(of: method)
        self.asksMaster = asksMaster
        self.work = work
    }

    /// A body of a few members.
    static let smallBody = 64 << 10
}

/// A request of the API, from a caller who may ask for this.
struct APICall: Sendable {
    var operations: Operations
    /// The name of the caller's token.
    let caller: String
    /// What stands in the path's places.
    let names: [String: String]
    let query: [String: String]
    let body: [UInt8]
    /// The header `Idempotency-Key`.
    var idempotencyKey: String?
    /// Whether the answer is to be CSV; of a route that has it.
    var wantsCSV = false
    /// The header `If-Match`, without quotation marks.
    var ifMatch: String?
    /// Of the service; nil: the request came over TCP.
    var instance: LocalInstance?

    func name(_ key: String) -> String { names[key] ?? "" }

    /// Whose number stands in the path.
    func delivery() throws(OperationError) -> DeliveryID {
        let text = name("id")
        guard let number = Int64(text), number > 0, !text.hasPrefix("+") else {
            throw .absent("id: must be an integer from 1 to \(Int.max)")
        }
        return DeliveryID(rawValue: number)
    }

    func number(_ parameter: APINumber) throws(OperationError) -> Int {
        guard let text = query[parameter.name] else { return parameter.standard }
        return try number(text, named: parameter.name, in: parameter.range)
    }

    /// Where a page begins; nil: at the first.
    func cursor() throws(OperationError) -> Int64? {
        guard let text = query[APIParameter.cursor.name] else { return nil }
        return Int64(try number(text, named: APIParameter.cursor.name, in: APIParameter.cursors))
    }

    private func number(
        _ text: String, named name: String, in range: ClosedRange<Int>
    ) throws(OperationError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw OperationError(
                .usage, "\(name): allowed is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ key: String) throws(OperationError) -> Bool {
        switch query[key] {
        case nil, "false": return false
        case "true": return true
        default: throw OperationError(.usage, "\(key): allowed are true and false")
        }
    }

    func carryOut(_ operation: some ShortOperation) throws -> APIAnswer {
        APIAnswer(try JSONValue(encoding: try operations.carryOut(operation)))
    }
}

struct APIAnswer: Sendable {
    enum Content: Sendable {
        case json(JSONValue)
        case encoded([UInt8])
        case csv([UInt8])
    }

    let content: Content
    /// nil: the route's.
    var status: HTTPResponse.Status?
    /// Of the thing that was made.
    var location: String?
    init(_ value: JSONValue, location: String? = nil) {
        content = .json(value)
        self.location = location
    }

    init(csv: [UInt8]) { content = .csv(csv) }
    /// - Parameter json: encoded already.
    init(json: [UInt8]) { content = .encoded(json) }

    /// With its type.
    var bytes: (bytes: [UInt8], type: String) {
        switch content {
        case .json(let value):
            var bytes: [UInt8] = []
            value.append(to: &bytes)
            return (bytes, Self.json)
        case .encoded(let bytes): return (bytes, Self.json)
        case .csv(let bytes): return (bytes, "\(Self.csv); charset=utf-8; header=present")
        }
    }

    static let json = "application/json"
    static let csv = "text/csv"

    /// A list, and where the next one begins: what to say as `cursor`.
    static func page(_ items: JSONValue, next: String?) -> JSONValue {
        .object([
            JSONMember(key: "items", value: items),
            JSONMember(key: "next", value: next.map { .string($0) } ?? .null),
        ])
    }
}
