internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import PushModel
internal import PushOperations
internal import PushWire

/// `POST /nms/mobile/1/registerIOS.jssp` and `registerAndroid.jssp`: what the SDKs send when an app starts.
/// Docs/Apps.md has what they are answered.
struct RegistrationRoutes: WebRoutes {
    let devices: @Sendable () -> DeviceServices?

    private static let folder = "/nms/mobile/1"
    private static let ios = "\(folder)/registerIOS.jssp"
    private static let android = "\(folder)/registerAndroid.jssp"

    let paths = [WebPath(.post, ios), WebPath(.post, android)]

    func add(to router: Router<WebContext>) {
        router.post("\(Self.ios)") { [self] request, _ in try await answer(request, .ios) }
        router.post("\(Self.android)") { [self] request, _ in try await answer(request, .android) }
    }

    nonisolated(nonsending) private func answer(_ request: Request, _ platform: Platform) async throws
        -> Response
    {
        let limit = RegistrationReader.maximumBytes
        let body: ByteBuffer
        do { body = try await request.body.collect(upTo: limit) } catch is NIOTooManyBytesError {
            return Self.response(.tooLarge(limit: limit))
        } catch {
            return Self.response(.form(why: "the body broke off"))
        }
        // The service begins, or ends.
        guard let registrations = devices()?.registrations else { return Self.response(.busy) }
        return Self.response(
            await registrations.perform(body: Array(body.readableBytesView), platform: platform))
    }

    private static func response(_ refusal: RegistrationRefusal?) -> Response {
        var response = Response.bytes(
            HTTPResponse.Status(code: refusal?.httpStatus ?? 200), RegistrationAnswer.body(refusal),
            RegistrationAnswer.contentType)
        if refusal == .busy { response.headers[.retryAfter] = "\(WebServer.Limits.retryAfterSeconds)" }
        return response
    }
}
