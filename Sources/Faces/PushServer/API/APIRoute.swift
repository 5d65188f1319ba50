internal import HTTPTypes
internal import PushAPI
internal import PushModel
internal import PushWire

/// A use case at one of its addresses, in a form that can be matched to requests.
final class APIRoute: Sendable {
    typealias Completion = @Sendable (Result<APIAnswer, any Error>) -> Void

    enum Performance: Sendable {
        /// The operation is complete when the closure returns.
        case returning(@Sendable (APICall) throws -> APIAnswer)
        /// The closure calls back once, possibly on another thread. While an operation waits for a shared
        /// commit or for other work, it occupies no thread.
        case callingBack(@Sendable (APICall, @escaping Completion) -> Void)
    }

    let operation: Operation
    /// The operation's name for clients: ``UseCase/identifier(of:)``.
    let identifier: String
    /// The noun that the operation belongs to.
    let tag: String
    let method: HTTPRequest.Method
    /// The path relative to ``APIRoutes/root``.
    let path: APIPattern
    let work: Operation.Work
    /// The members of the request that are given in its path or query.
    let parameters: [Declaration]
    /// The schema of the body; `nil` if the route accepts none.
    let body: Schema?
    let needsBody: Bool
    let takesKey: Bool
    /// Whether a client that prefers CSV to JSON receives CSV.
    let hasCSV: Bool
    /// The schema of a successful answer.
    let answer: Schema
    private let makeExamples: @Sendable () -> Examples
    /// The examples. They are created at each access, because only the description needs them.
    var examples: Examples { makeExamples() }
    let performance: Performance
    /// How the route streams its body; `nil` if bodies are kept in memory.
    let transfer: APITransfer?

    var isUpload: Bool { if case .upload = transfer { true } else { false } }

    struct Examples: Sendable {
        /// The examples, keyed by parameter name. Parameters without an example are omitted from the example
        /// requests.
        let parameters: [String: JSONValue]
        let body: JSONValue?
        let answer: JSONValue?
        /// Examples of a body or an answer that is not JSON, keyed by media type.
        let files: [String: String]

        init<Use: UseCase>(_ type: Use.Type, _ operation: Operation, _ declarations: [Declaration]) {
            parameters = Dictionary(
                declarations.compactMap { member in Use.example(of: member).map { (member.name, $0) } }
            ) { first, _ in first }
            body = Use.exampleBody
            let example = Use.exampleAnswer(of: operation)
            if case .array? = example { answer = example.map(APIAnswer.page) } else { answer = example }
            files = Use.exampleFiles
        }
    }

    init<Use: UseCase>(_ type: Use.Type, _ operation: Operation) {
        self.operation = operation
        identifier = Use.identifier(of: operation)
        tag = Use.noun?.rawValue ?? Use.name
        method = HTTPRequest.Method(operation.method)
        path = APIPattern(operation.path)
        let isJob = type is any Job.Type || type is any Upload.Type
        work = type is any LongOperation.Type && !isJob ? .lengthy : operation.work
        parameters = Use.declarations.filter { [.path, .query, .inner].contains($0.place) }
        body = Use.body
        needsBody = Use.needsBody
        // A request with PUT can be repeated anyway.
        takesKey = type is any KeyedUseCase.Type && operation.method == .post
        hasCSV = Use.Answer.self is any CSVTable.Type
        if isJob {
            answer = JobView.schema
        } else if case .list(let item, _) = Use.Answer.schema {
            answer = .page(of: item)
        } else {
            answer = Use.Answer.schema
        }
        let declarations = parameters
        makeExamples = { Examples(Use.self, operation, declarations) }
        performance = Self.performance(of: type, operation)
        if let type = type as? any Upload.Type {
            transfer = .upload(type, operation)
        } else if let type = type as? any Download.Type {
            transfer = .download(type, operation)
        } else {
            transfer = nil
        }
    }

    static let all = routes(of: UseCases.all + [DescribeAPI.self])

    private static func routes(of types: [any UseCase.Type]) -> [APIRoute] {
        types.flatMap { routes(of: $0) }
    }

    private static func routes<Use: UseCase>(of type: Use.Type) -> [APIRoute] {
        Use.operations.map { APIRoute(type, $0) }
    }

    private static func performance<Use: UseCase>(of type: Use.Type, _ operation: Operation) -> Performance {
        if let type = type as? any Job.Type { return job(type, operation) }
        if let type = type as? any (UseCase & DeferredOperation).Type { return deferred(type, operation) }
        return .returning { call in
            let request = try Use.request(operation, call)
            let found = try request.carryOut(by: call.operations)
            if call.wantsCSV, let table = found as? any CSVTable { return APIAnswer(table, to: call) }
            return APIAnswer(to: request, found)
        }
    }

    private static func job<Use: Job>(_ type: Use.Type, _ operation: Operation) -> Performance {
        .returning { call in
            let operations = call.operations
            if let refusal = operations.engine.refusal { throw OperationError(refusal) }
            return APIAnswer(
                try operations.waits.jobs.start(try Use.request(operation, call), in: operations))
        }
    }

    private static func deferred<Use: UseCase & DeferredOperation>(
        _ type: Use.Type, _ operation: Operation
    ) -> Performance {
        .callingBack { call, then in
            do {
                let request = try Use.request(operation, call)
                request.begin(in: call.operations) { result in
                    then(Result { APIAnswer(to: request, try result.get()) })
                }
            } catch {
                then(.failure(error))
            }
        }
    }
}

extension UseCase {
    static func request(_ operation: Operation, _ call: APICall) throws(OperationError) -> Self {
        try call.operations.admit(operation, call.names)
        let names = call.names.merging(operation.given) { name, _ in name }
        var request = try request(names: names, query: call.query, body: call.body)
        if var keyed = request as? any KeyedUseCase {
            keyed.idempotencyKey = call.idempotencyKey
            if !call.isLocal { keyed.caller = "token \(call.operations.caller)" }
            request = keyed as? Self ?? request
        }
        return request
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

/// An API request from a caller that is authorised to make it.
struct APICall: Sendable {
    /// The operations, with the caller's name.
    var operations: Operations
    /// The value of each named segment in the path.
    let names: [String: String]
    let query: [String: String]
    var body: [UInt8] = []
    let idempotencyKey: String?
    /// Whether the request arrived over the Unix socket.
    let isLocal: Bool
    /// Whether the client prefers CSV. The answer is CSV if the route supports it.
    var wantsCSV = false
}

struct APIAnswer: Sendable {
    private enum Content: Sendable {
        case json(JSONValue)
        case csv([UInt8])
        /// Rendered JSON.
        case document([UInt8])
    }

    private let content: Content
    /// The address of the created object, relative to ``APIRoutes/root``.
    let location: String?
    /// The query that requests the next page of a table; `nil` if there is none.
    private var next: [String: String]?

    init<Use: UseCase>(to request: Use, _ answer: Use.Answer) {
        if let document = answer as? RenderedDescription {
            content = .document(document.bytes)
            location = nil
            return
        }
        let value = answer.json ?? .null
        if case .array = value {
            content = .json(Self.page(of: value))
        } else {
            content = .json(value)
        }
        location = request.location(of: answer)
    }

    /// Returns a page that contains the complete list.
    static func page(of items: JSONValue) -> JSONValue { ["items": items, "next": .null] }

    init(_ table: any CSVTable, to call: APICall) {
        (content, location) = (.csv(table.csv), nil)
        next = table.next.map { call.query.merging(["cursor": $0]) { $1 } }
    }

    init(_ job: JobView) { (content, location) = (.json(job.json ?? .null), job.location) }

    /// The link to the next page of a table, relative to the address of this page (RFC 8288).
    var link: String? {
        guard let next else { return nil }
        let query = next.sorted { $0.key < $1.key }.map { "\($0.key)=\(APIAddress.encoded($0.value))" }
        return "<?\(query.joined(separator: "&"))>; rel=\"next\""
    }

    /// The bytes with their content type.
    var bytes: (bytes: [UInt8], type: String) {
        switch content {
        case .json(let value):
            var bytes: [UInt8] = []
            value.append(to: &bytes)
            return (bytes, Self.json)
        case .document(let bytes): return (bytes, Self.json)
        case .csv(let bytes): return (bytes, "\(Self.csv); charset=utf-8; header=present")
        }
    }

    static let json = "application/json"
    static let csv = "text/csv"
}
