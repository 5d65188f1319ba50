internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import PushConfig
internal import PushModel
internal import PushSystem
internal import Synchronization

/// Counts requests and how long they took, and answers those that no route answers, or whose client asks too often.
struct RequestWatch: RouterMiddleware {
    typealias Context = WebContext

    let counts: RequestCounts
    let rules: WebRules
    private let allowance = RequestAllowance()
    private let methods: [String: HTTPRequest.Method]
    private let groups: [any WebRoutes]

    init(counts: RequestCounts, rules: WebRules, routes: [any WebRoutes]) {
        self.counts = counts
        self.rules = rules
        groups = routes
        methods = Dictionary(
            routes.flatMap(\.paths).map { ($0.path, $0.method) }, uniquingKeysWith: { first, _ in first })
    }

    private func name(of path: String) -> String {
        if methods[path] != nil { return path }
        for group in groups { if let name = group.name(of: path) { return name } }
        return RequestCounts.others
    }

    private func mayAsk(_ request: Request, _ context: WebContext, now: Int64) -> Bool {
        guard let peer = context.peer else { return true }
        let rules = rules.now
        guard rules.requestsPerSecondPerAddress > 0 else { return true }
        var forwarded: [String] = []
        if !rules.trustedProxies.isEmpty, let name = HTTPField.Name.xForwardedFor {
            forwarded = request.headers[values: name]
        }
        let client = ClientAddress.of(peer: peer, forwarded: forwarded, trusting: rules.trustedProxies)
        return allowance.take(from: client, perSecond: rules.requestsPerSecondPerAddress, now: now)
    }

    private static func tooMany(_ path: String) -> Response {
        let words = "too many requests come from this address; try again in a second"
        guard path.hasPrefix("\(APIRoutes.root)/") else {
            var response = Response.text(.tooManyRequests, "\(words)\n")
            response.headers[.retryAfter] = "1"
            return response
        }
        return APIProblem(.tooManyRequests, words).response
    }

    func handle(
        _ request: Request, context: WebContext,
        next: (Request, WebContext) async throws -> Response
    ) async -> Response {
        let began = Clocks.monotonicNanoseconds()
        let path = request.uri.path
        var response: Response
        do {
            response =
                try mayAsk(request, context, now: began) ? await next(request, context) : Self.tooMany(path)
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            if status == .notFound, let method = methods[path] {
                response = .text(.methodNotAllowed, "only \(method) is answered here\n")
                response.headers[.allow] = method.rawValue
            } else if status == .notFound, path.hasPrefix("\(APIRoutes.root)/") {
                response = APIRoutes.refusal(of: request.method, request.uri)
            } else {
                response = .text(status, "\(status.code) \(status.reasonPhrase)\n")
            }
        }
        counts.note(
            route: name(of: path), status: response.status.code,
            nanoseconds: Clocks.monotonicNanoseconds() - began)
        // A body would be taken for the beginning of the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }
}

/// What a module that runs goes by, as the last reload has it.
final class WebRules: Sendable {
    struct Values {
        var requestsPerSecondPerAddress: Int
        var trustedProxies: [IPNetwork]

        init(_ settings: WebConfiguration) {
            requestsPerSecondPerAddress = settings.maxRequestsPerSecondPerAddress
            trustedProxies = settings.trustedProxies
        }
    }

    private let values: Mutex<Values>

    init(_ settings: WebConfiguration) { values = Mutex(Values(settings)) }

    var now: Values { values.withLock(\.self) }
    func become(_ settings: WebConfiguration) { values.withLock { $0 = Values(settings) } }
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
