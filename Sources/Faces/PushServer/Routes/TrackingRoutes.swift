internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import PushAPI
internal import PushModel
internal import PushSystem

/// `GET /r/?id=…` reports that a notification was shown or clicked. `GET /r/test` reports that the server is
/// available, for the monitoring that the documentation describes.
struct TrackingRoutes: WebRoutes {
    let devices: @Sendable () -> DeviceServices?
    let product: WebSource.Product

    let paths = [WebPath(.get, "/r/"), WebPath(.get, "/r"), WebPath(.get, "/r/test")]

    func add(to router: Router<WebContext>) {
        router.get("/r") { [self] request, _ in await answer(request) }
        router.get("/r/test") { [self] _, _ in test() }
    }

    nonisolated(nonsending) private func answer(_ request: Request) async -> Response {
        // HEAD is not a report: link checkers and previews send it.
        guard request.method != .head else { return Self.answer(.off).response }
        let hit = await devices()?.hits.perform(query: (request.uri.query ?? "").utf8) ?? .busy
        return Self.answer(hit).response
    }

    fileprivate static func answer(_ hit: RecordHit.Answer) -> WebAnswer {
        var answer = WebAnswer(HTTPResponse.Status(code: hit.httpStatus), [], "text/plain")
        if hit == .busy { answer.fields[.retryAfter] = "\(WebServer.Limits.retryAfterSeconds)" }
        return answer
    }

    /// Returns one line of XML. It omits the host's name, because unauthenticated clients may send this
    /// request.
    private func test() -> Response {
        let date = Clocks.moment().utcText.replacing("T", with: " ")
        let line =
            "<redir status='OK' date='\(date)' build='\(product.version)' host='' localHost=''/>\n"
        return .bytes(.ok, Array(line.utf8), "text/xml; charset=utf-8")
    }
}

/// The fast path for the reports of ``TrackingRoutes``, used if the message can be identified without a read
/// from the store.
struct DirectHits: DirectRoute {
    let devices: @Sendable () -> DeviceServices?
    let maxBodyBytes = 0

    func name(of head: HTTPRequest) -> String? {
        guard head.method == .get, let path = head.path, path.hasPrefix("/r") else { return nil }
        // The router handles a path with a fragment, which no client sends.
        guard !path.utf8.contains(UInt8(ascii: "#")) else { return nil }
        if path.hasPrefix("/r/?") { return "/r/" }
        return path.hasPrefix("/r?") ? "/r" : nil
    }

    func begin(_ request: DirectRequest, then: @escaping @Sendable (WebAnswer) -> Void) -> Bool {
        devices()?.hits.performAtOnce(query: request.query) { then(TrackingRoutes.answer($0)) } ?? false
    }
}
