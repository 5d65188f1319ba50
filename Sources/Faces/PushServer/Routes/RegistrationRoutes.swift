internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import PushAPI
internal import PushModel
internal import PushWire

/// `POST /nms/mobile/1/registerIOS.jssp` and `registerAndroid.jssp`: the requests that the SDKs send when an
/// app starts. Docs/Send/Apps.md describes the responses.
struct RegistrationRoutes: WebRoutes {
    let devices: @Sendable () -> DeviceServices?

    private static let folder = "/nms/mobile/1"
    private static let ios = "\(folder)/\(RegistrationPage.ios)"
    private static let android = "\(folder)/\(RegistrationPage.android)"

    let paths = [WebPath(.post, ios), WebPath(.post, android)]

    func add(to router: Router<WebContext>) {
        router.post("\(Self.ios)") { [self] request, _ in try await answer(request, .ios) }
        router.post("\(Self.android)") { [self] request, _ in try await answer(request, .android) }
    }

    nonisolated(nonsending) private func answer(_ request: Request, _ platform: Platform) async throws
        -> Response
    {
        let limit = RegistrationForm.maximumBytes
        let body: ByteBuffer
        do { body = try await request.body.collect(upTo: limit) } catch is NIOTooManyBytesError {
            return Self.answer(.tooLarge(limit: limit)).response
        } catch {
            return Self.answer(.form(why: "the body is incomplete")).response
        }
        // There are no services for devices while the service is starting or stopping.
        guard let registrations = devices()?.registrations else { return Self.answer(.busy).response }
        let refusal = await registrations.perform(body: Array(body.readableBytesView), platform: platform)
        return Self.answer(refusal).response
    }

    fileprivate static func answer(_ refusal: RegistrationRefusal?) -> WebAnswer {
        var answer = WebAnswer(
            HTTPResponse.Status(code: refusal?.httpStatus ?? 200), RegistrationAnswer.body(refusal),
            RegistrationAnswer.contentType)
        if refusal == .busy { answer.fields[.retryAfter] = "\(WebServer.Limits.retryAfterSeconds)" }
        return answer
    }

    fileprivate static func platform(of path: String) -> Platform? {
        switch path {
        case ios: .ios
        case android: .android
        default: nil
        }
    }
}

/// The fast path for the requests of ``RegistrationRoutes``, used if the app is known. When apps start, many
/// devices send registrations at the same time.
struct DirectRegistrations: DirectRoute {
    let devices: @Sendable () -> DeviceServices?
    let maxBodyBytes = RegistrationForm.maximumBytes

    func name(of head: HTTPRequest) -> String? {
        guard head.method == .post, let path = head.path,
            RegistrationRoutes.platform(of: path) != nil
        else { return nil }
        return path
    }

    func begin(_ request: DirectRequest, then: @escaping @Sendable (WebAnswer) -> Void) -> Bool {
        guard let platform = RegistrationRoutes.platform(of: request.head.path ?? ""),
            let registrations = devices()?.registrations
        else { return false }
        return registrations.performAtOnce(
            body: Array(request.body.readableBytesView), platform: platform
        ) { then(RegistrationRoutes.answer($0)) }
    }
}
