internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import PushAPI
internal import PushSystem

/// Middleware that counts requests and their durations. It also answers requests that no route answers, and
/// refuses requests from clients that send too many.
struct RequestWatch: RouterMiddleware {
    typealias Context = WebContext

    private let gate: RequestGate
    private let methods: [String: HTTPRequest.Method]
    private let groups: [any WebRoutes]
    private let known: KnownPaths
    /// The API, if the listener answers it.
    private let api: APIRoutes?

    init(_ gate: RequestGate, routes: [any WebRoutes]) {
        self.gate = gate
        groups = routes
        methods = Dictionary(
            routes.flatMap(\.paths).map { ($0.path, $0.method) }, uniquingKeysWith: { first, _ in first })
        api = routes.lazy.compactMap { $0 as? APIRoutes }.first
        known = KnownPaths(methods.keys.sorted() + (api?.table.patterns ?? []))
    }

    private func name(of path: String) -> String {
        if methods[path] != nil { return path }
        for group in groups { if let name = group.name(of: path) { return name } }
        return RequestCounts.others
    }

    private static func tooMany(_ path: String) -> Response {
        let words = "too many requests from this address; try again in a second"
        guard path.hasPrefix("\(APIRoutes.root)/") else {
            var response = Response.text(.tooManyRequests, "\(words)\n")
            response.headers[.retryAfter] = "1"
            return response
        }
        return APIProblem(.tooManyRequests, words).response
    }

    /// Returns the answer to a path that no group of routes has.
    private func noPath(_ path: String) -> Response {
        let segments = path.split(separator: "/").map(String.init)
        let words = known.noPath(segments, hasAPI: api != nil)
        let isForAPI = api != nil && segments.first?.lowercased() == "api"
        return isForAPI ? APIProblem(.notFound, words).response : .text(.notFound, "\(words)\n")
    }

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async -> Response {
        let began = Clocks.monotonicNanoseconds()
        let path = request.uri.path
        var response: Response
        do {
            let mayAsk = gate.mayAsk(context.peer, request.headers, now: began)
            response = mayAsk ? try await next(request, context) : Self.tooMany(path)
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            if status == .notFound, let method = methods[path] {
                let allowed = [method].allowingHead.map(\.rawValue).joined(separator: ", ")
                response = .text(.methodNotAllowed, "this path supports only \(allowed)\n")
                response.headers[.allow] = allowed
            } else if status == .notFound, let api, path.hasPrefix("\(APIRoutes.root)/") {
                response = api.refusal(of: request.method, request.uri)
            } else if status == .notFound {
                response = noPath(path)
            } else {
                response = .text(status, "\(status.code) \(status.reasonPhrase)\n")
            }
        }
        gate.counts.note(
            route: name(of: path), status: response.status.code,
            nanoseconds: Clocks.monotonicNanoseconds() - began)
        // The client would mistake the body of an answer to HEAD for the beginning of the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }
}
