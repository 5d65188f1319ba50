internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import PushAPI
internal import PushModel
internal import PushStore
internal import PushWire

/// `POST /nms/mobile/1/registerIOS.jssp` and `registerAndroid.jssp`: the requests that the SDKs send when an
/// app starts; and the requests that apps send to end a registration or to opt out. Docs/Send/Apps.md
/// describes the responses.
struct RegistrationRoutes: WebRoutes {
    let devices: @Sendable () -> DeviceServices?

    private static let folder = RegistrationPage.folder
    private static let ios = "\(folder)/\(RegistrationPage.ios)"
    private static let android = "\(folder)/\(RegistrationPage.android)"

    /// The requests that are not registrations.
    private struct Page {
        var name: String
        var platform: Platform
        var purpose: RegistrationRecord.Purpose
        var element: RegistrationAnswer.Element

        var path: String { "\(folder)/\(name)" }
    }

    private static let pages = [
        Page(
            name: RegistrationPage.iosUnregistration, platform: .ios, purpose: .unregister,
            element: .unregister),
        Page(
            name: RegistrationPage.androidUnregistration, platform: .android, purpose: .unregister,
            element: .unregister),
        Page(name: RegistrationPage.iosOptOut, platform: .ios, purpose: .optOut, element: .optOut),
        Page(name: RegistrationPage.androidOptOut, platform: .android, purpose: .optOut, element: .optOut),
    ]

    let paths = [WebPath(.post, ios), WebPath(.post, android)] + pages.map { WebPath(.post, $0.path) }

    func add(to router: Router<WebContext>) {
        router.post("\(Self.ios)") { [self] request, _ in try await answer(request, .ios) }
        router.post("\(Self.android)") { [self] request, _ in try await answer(request, .android) }
        for page in Self.pages {
            router.post("\(page.path)") { [self] request, _ in try await answer(request, page) }
        }
    }

    nonisolated(nonsending) private func answer(_ request: Request, _ page: Page) async throws -> Response {
        let body: [UInt8]
        switch await collect(request) {
        case .success(let collected): body = collected
        case .failure(let refusal): return Self.answer(refusal, to: page.element).response
        }
        let isJSON = RegistrationForm.isJSON(body)
        guard let registrations = devices()?.registrations else {
            return Self.answer(.busy, to: page.element, asJSON: isJSON).response
        }
        let refusal = await registrations.perform(page.purpose, body: body, platform: page.platform)
        return Self.answer(refusal, to: page.element, asJSON: isJSON).response
    }

    nonisolated(nonsending) private func collect(_ request: Request) async -> Result<
        [UInt8], RegistrationRefusal
    > {
        let limit = RegistrationForm.maximumBytes
        do {
            return .success(Array(try await request.body.collect(upTo: limit).readableBytesView))
        } catch is NIOTooManyBytesError {
            return .failure(.tooLarge(limit: limit))
        } catch {
            return .failure(.form(why: "the body is incomplete"))
        }
    }

    nonisolated(nonsending) private func answer(_ request: Request, _ platform: Platform) async throws
        -> Response
    {
        let body: [UInt8]
        switch await collect(request) {
        case .success(let collected): body = collected
        case .failure(let refusal): return Self.answer(refusal).response
        }
        // There are no services for devices while the service is starting or stopping.
        guard let registrations = devices()?.registrations else { return Self.answer(.busy).response }
        let refusal = await registrations.perform(body: body, platform: platform)
        return Self.answer(refusal).response
    }

    fileprivate static func answer(
        _ refusal: RegistrationRefusal?, to element: RegistrationAnswer.Element = .register,
        asJSON: Bool = false
    ) -> WebAnswer {
        var answer = WebAnswer(
            HTTPResponse.Status(code: refusal?.httpStatus ?? 200),
            asJSON ? RegistrationAnswer.json(refusal) : RegistrationAnswer.body(refusal, to: element),
            asJSON ? RegistrationAnswer.jsonContentType : RegistrationAnswer.contentType)
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
