internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import PushAPI
internal import PushModel
internal import PushWire

/// The routes below `/api/v1`. Each request is matched to a route, must present a token, and is carried out
/// on a thread that may wait. Docs/Send/API.md describes the API; ``APIRoute/all`` lists the routes.
struct APIRoutes: WebRoutes {
    static let root = ServiceRequest.root

    let operations: @Sendable () -> Operations
    let executor: APIExecutor
    let probes: StatusProbes
    /// Whether all clients act as the operator, as they do on the Unix socket. If not, each client must
    /// present a token.
    var isLocal = false
    var table: APIRouteTable { isLocal ? .local : .all }

    let paths: [WebPath] = []

    func name(of path: String) -> String? {
        guard path.hasPrefix("\(Self.root)/") else { return nil }
        return table.name(of: path.dropFirst(Self.root.count)).map { Self.root + $0 }
    }

    func add(to router: Router<WebContext>) {
        // Methods that no route supports are included, so that clients that use them learn which methods are
        // allowed.
        for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete, .head, .options, .trace] {
            router.on("\(Self.root)/**", method: method) { [self] in await answer($0, $1) }
        }
    }

    nonisolated(nonsending) private func answer(_ request: Request, _ context: WebContext) async -> Response {
        do {
            var (route, call) = try await admit(request)
            let caller = call.operations.caller
            switch route.transfer {
            case nil:
                call.body = try await Self.body(of: request, for: route)
                let answer = try await executor.carryOut(route, call)
                return Self.whole(answer, status: route.operation.status).response
            case .upload(let types, _, let upload):
                guard executor.enter(route.work, caller) else { throw APIProblem.tooManyRequests }
                defer { executor.leave(route.work, caller) }
                return try await receive(request, context, call, as: types, upload)
            case .download(let types, let check, let download):
                let slot = try DownloadSlot(executor, route.work, caller)
                return try await send(request, call, as: types, check, slot, download)
            }
        } catch {
            return APIProblem(of: error).response
        }
    }

    static func whole(_ answer: APIAnswer, status: Int) -> WebAnswer {
        let (bytes, type) = answer.bytes
        var whole = WebAnswer(HTTPResponse.Status(code: status), bytes, type)
        if let location = answer.location { whole.fields[.location] = Self.root + location }
        if let link = answer.link, let name = HTTPField.Name("link") { whole.fields[name] = link }
        return whole
    }

    /// Finds the route of a request and checks everything that can be checked before its body is read.
    nonisolated(nonsending) private func admit(
        _ request: Request
    ) async throws(APIProblem) -> (APIRoute, APICall) {
        guard
            let address = APIAddress(path: request.uri.path.utf8, query: (request.uri.query ?? "").utf8)
        else {
            throw APIProblem(
                .badRequest, "the path or the query is not valid in a URL; percent-encode its characters")
        }
        let (route, names) = try find(request.method, address)
        let operations = operations()
        let (caller, scopes) = try await caller(of: request, for: route, operations)
        if isLocal, let mark = request.headers[.ifMatch],
            mark.filter({ $0 != "\"" }) != operations.engine.mark
        {
            throw APIProblem(
                .preconditionFailed,
                """
                the service and the command have different versions, stores or configurations; restart the \
                service so that it uses the command's
                """)
        }
        let query = try query(address, of: route)
        let key = try Self.idempotencyKey(in: request.headers, for: route)
        var call = APICall(
            operations: operations.with(caller: caller, scopes: scopes), names: names, query: query, idempotencyKey: key,
            isLocal: isLocal)
        if route.hasCSV {
            call.wantsCSV = AcceptedTypes(request.headers[values: .accept])
                .prefer(APIAnswer.csv, to: APIAnswer.json)
        }
        if route.operation.asksMaster {
            let probed = await probes.master.look()
            call.operations = call.operations.with(engine: CachedStatusEngine(operations.engine, probed))
        }
        if isLocal, route.work != .immediate { operations.engine.noteOperation() }
        return (route, call)
    }

    private func find(
        _ method: HTTPRequest.Method, _ address: APIAddress
    ) throws(APIProblem) -> (APIRoute, [String: String]) {
        let found = table.routes(Array(address.segments.dropFirst(2)))
        // HEAD is handled like GET. The body of the answer is dropped when the response is written.
        let asked = method == .head ? .get : method
        if let match = found.first(where: { $0.route.method == asked }) { return match }
        guard !found.isEmpty else { throw table.noRoute(address.segments) }
        var problem = APIProblem(
            .methodNotAllowed, "this path does not support the method; see the Allow header")
        problem.allowed = found.map(\.route.method).allowingHead
        throw problem
    }

    /// Returns the response to a method that the router does not know. It is the same response as for other
    /// methods that the path does not support.
    func refusal(of method: HTTPRequest.Method, _ uri: URI) -> Response {
        guard let address = APIAddress(path: uri.path.utf8, query: (uri.query ?? "").utf8) else {
            return table.noRoute([]).response
        }
        do throws(APIProblem) {
            _ = try find(method, address)
            return table.noRoute(address.segments).response
        } catch {
            return error.response
        }
    }

    nonisolated(nonsending) private func caller(
        of request: Request, for route: APIRoute, _ operations: Operations
    ) async throws(APIProblem) -> (String, Set<AccessScope>?) {
        if let user = LocalCaller.name { return (Self.caller(in: request.headers) ?? user, nil) }
        guard let scope = route.operation.scope else { return (TokenChecks.strangers, []) }
        guard let token = Self.token(in: request.headers) else {
            throw Self.unauthorized(
                request.headers[.authorization] == nil
                    ? "the header Authorization is missing"
                    : "the header Authorization does not have the form 'Bearer TOKEN'", scope)
        }
        guard let grant = try await executor.tokens.grant(of: token, operations) else {
            throw Self.unauthorized(
                CheckAccess.isToken(token)
                    ? "the token is unknown or was revoked"
                    : "the token is incomplete or has additional characters", scope)
        }
        guard grant.scopes.contains(scope) else {
            throw APIProblem(
                .forbidden,
                """
                the token \(grant.name) does not have the scope \(scope.rawValue); the operator of the \
                instance creates tokens
                """)
        }
        return (grant.name, Set(grant.scopes))
    }

    private static func unauthorized(_ fault: String, _ scope: AccessScope) -> APIProblem {
        APIProblem(
            .unauthorized,
            """
            \(fault); send the header 'Authorization: Bearer pmta_…' with the complete text that \
            'pushmta token create NAME --scope \(scope.rawValue)' printed for the operator of the instance
            """)
    }

    static func token(in headers: HTTPFields) -> String? {
        guard let header = headers[.authorization] else { return nil }
        let words = header.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }

    nonisolated(nonsending) private static func body(
        of request: Request, for route: APIRoute
    ) async throws(APIProblem) -> [UInt8] {
        do {
            let bytes = try await request.body.collect(
                upTo: route.body == nil ? 0 : route.operation.maxBodyBytes)
            if bytes.readableBytes > 0 { try checkType(in: request.headers) }
            return Array(bytes.readableBytesView)
        } catch is NIOTooManyBytesError {
            guard route.body != nil else {
                throw APIProblem(.badRequest, "this request must not have a body")
            }
            throw APIProblem(
                .contentTooLarge,
                "the body exceeds the maximum of \(route.operation.maxBodyBytes) bytes")
        } catch let error as APIProblem {
            throw error
        } catch {
            throw APIProblem(.badRequest, "the body is incomplete; send the request again")
        }
    }

    /// The content type that `curl -d` sends if no content type is specified.
    private static let typeOfCurl = "application/x-www-form-urlencoded"

    /// Refuses a body whose content type is not JSON. A body without a content type is treated as JSON.
    static func checkType(in headers: HTTPFields) throws(APIProblem) {
        guard let type = headers[.contentType] else { return }
        let name = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        if name == APIAnswer.json || name == typeOfCurl { return }
        if name.hasPrefix("application/"), name.hasSuffix("+json") { return }
        throw APIProblem(
            .unsupportedMediaType,
            "Content-Type: must be application/json, not \(name.printable(atMost: 64))")
    }

    private func query(
        _ address: APIAddress, of route: APIRoute
    ) throws(APIProblem) -> [String: String] {
        let known = route.parameters.filter { $0.place == .query || isLocal && $0.place == .inner }.map(
            \.name)
        var query: [String: String] = [:]
        var faults = Faults()
        for field in address.query {
            let path = Faults.path("", field.name)
            if !known.contains(field.name) {
                faults.refuseUnknown(path, known: known)
            } else if query.updateValue(field.value, forKey: field.name) != nil {
                faults.refuseRepeated(path)
            }
        }
        if !faults.isEmpty { throw APIProblem(of: OperationError(.usage, faults.listed)) }
        return query
    }

    /// Returns the name of the caller for whom another process of the instance sends the request. Only
    /// processes of the instance are trusted to name a caller.
    private static func caller(in headers: HTTPFields) -> String? {
        guard let name = HTTPField.Name(ServiceRequest.callerField), let text = headers[name] else {
            return nil
        }
        return APIAddress(path: text.utf8, query: []).flatMap { $0.segments.first }
    }

    static func idempotencyKey(
        in headers: HTTPFields, for route: APIRoute
    ) throws(APIProblem) -> String? {
        guard let name = HTTPField.Name("idempotency-key"), let key = headers[name] else {
            return nil
        }
        guard headers[values: name].count == 1 else {
            throw APIProblem(.badRequest, "Idempotency-Key: must not occur more than once")
        }
        guard route.takesKey else {
            throw APIProblem(.badRequest, "Idempotency-Key: has no effect on this request; omit it")
        }
        guard IdempotencyKeyText.isAllowed(key) else {
            throw APIProblem(.badRequest, "Idempotency-Key: must be \(IdempotencyKeyText.allowed)")
        }
        return key
    }
}
