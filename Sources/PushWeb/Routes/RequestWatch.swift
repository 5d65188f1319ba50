internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import PushModel
internal import PushSystem
internal import Synchronization

/// Counts requests and how long they took, and answers those that no route answers.
struct RequestWatch: RouterMiddleware {
    typealias Context = BasicRequestContext

    let counts: RequestCounts
    private let methods: [String: HTTPRequest.Method]
    private let groups: [any WebRoutes]

    init(counts: RequestCounts, routes: [any WebRoutes]) {
        self.counts = counts
        groups = routes
        methods = Dictionary(
            routes.flatMap(\.paths).map { ($0.path, $0.method) }, uniquingKeysWith: { first, _ in first })
    }

    private func name(of path: String) -> String {
        if methods[path] != nil { return path }
        for group in groups { if let name = group.name(of: path) { return name } }
        return RequestCounts.others
    }

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async -> Response {
        let began = Clocks.monotonicNanoseconds()
        let path = request.uri.path
        var response: Response
        do { response = try await next(request, context) } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            if status == .notFound, let method = methods[path] {
                response = .text(.methodNotAllowed, "only \(method) is answered here\n")
                response.headers[.allow] = method.rawValue
            } else {
                response = .text(status, "\(status.code) \(status.reasonPhrase)\n")
            }
        }
        counts.note(
            route: name(of: path), status: response.status.code,
            nanoseconds: Clocks.monotonicNanoseconds() - began)
        return response
    }
}

/// Requests since the module began.
final class RequestCounts: Sendable {
    struct Key: Hashable, Comparable {
        var route: String
        var status: Int

        static func < (left: Key, right: Key) -> Bool {
            (left.route, left.status) < (right.route, right.status)
        }
    }
    struct Figures {
        var requests: [Key: UInt64] = [:]
        var times: [String: LatencyCounts] = [:]
    }

    static let others = "other"

    private let figures = Mutex(Figures())

    var now: Figures { figures.withLock(\.self) }

    func note(route: String, status: Int, nanoseconds: Int64) {
        figures.withLock {
            $0.requests[Key(route: route, status: status), default: 0] += 1
            $0.times[route, default: LatencyCounts()].add(nanoseconds: nanoseconds)
        }
    }
}
