internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import PushModel
internal import PushOperations
internal import PushSystem

/// `GET /r/?id=…`: a notification was shown or clicked. `GET /r/test`: whether the server is there, as the
/// documentation's monitoring asks.
struct TrackingRoutes: WebRoutes {
    let devices: @Sendable () -> DeviceServices?
    let product: WebSource.Product

    let paths = [WebPath(.get, "/r/"), WebPath(.get, "/r"), WebPath(.get, "/r/test")]

    func add(to router: Router<WebContext>) {
        router.get("/r") { [self] request, _ in await answer(request) }
        router.get("/r/test") { [self] _, _ in test() }
    }

    nonisolated(nonsending) private func answer(_ request: Request) async -> Response {
        let answer = await devices()?.hits.perform(query: (request.uri.query ?? "").utf8) ?? .busy
        var response = Response.bytes(HTTPResponse.Status(code: answer.httpStatus), [], "text/plain")
        if answer == .busy { response.headers[.retryAfter] = "\(WebServer.Limits.retryAfterSeconds)" }
        return response
    }

    /// One line of XML, without the host's name: strangers may ask.
    private func test() -> Response {
        let date = Clocks.moment().utcText.replacing("T", with: " ")
        let line =
            "<redir status='OK' date='\(date)' build='\(product.version)' host='' localHost=''/>\n"
        return .bytes(.ok, Array(line.utf8), "text/xml; charset=utf-8")
    }
}
