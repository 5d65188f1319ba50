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

    private struct Page {
        let path: String
        let platform: Platform
        let purpose: RegistrationRecord.Purpose

        init(_ name: String, _ platform: Platform, _ purpose: RegistrationRecord.Purpose) {
            (path, self.platform, self.purpose) = ("\(folder)/\(name)", platform, purpose)
        }

        /// The element that an answer contains.
        var element: RegistrationAnswer.Element {
            switch purpose {
            case .register: .register
            case .unregister: .unregister
            case .optOut: .optOut
            }
        }
    }

    private static let pages = [
        Page(RegistrationPage.ios, .ios, .register),
        Page(RegistrationPage.android, .android, .register),
        Page(RegistrationPage.iosUnregistration, .ios, .unregister),
        Page(RegistrationPage.androidUnregistration, .android, .unregister),
        Page(RegistrationPage.iosOptOut, .ios, .optOut),
        Page(RegistrationPage.androidOptOut, .android, .optOut),
    ]

    let paths = pages.map { WebPath(.post, $0.path) }

    func add(to router: Router<WebContext>) {
        for page in Self.pages {
            router.post("\(page.path)") { [self] request, _ in try await answer(request, page) }
        }
    }

    nonisolated(nonsending) private func answer(_ request: Request, _ page: Page) async throws -> Response {
        let limit = RegistrationForm.maximumBytes
        let collected: ByteBuffer
        do { collected = try await request.body.collect(upTo: limit) } catch is NIOTooManyBytesError {
            return Self.answer(.tooLarge(limit: limit), to: page.element).response
        } catch {
            return Self.answer(.form(why: "the body is incomplete"), to: page.element).response
        }
        let body = Array(collected.readableBytesView)
        // A registration must be a form, so it is never answered with JSON.
        let isJSON = page.purpose != .register && RegistrationForm.isJSON(body)
        // There are no services for devices while the service is starting or stopping.
        guard let registrations = devices()?.registrations else {
            return Self.answer(.busy, to: page.element, asJSON: isJSON).response
        }
        let refusal =
            page.purpose == .register
            ? await registrations.perform(body: body, platform: page.platform)
            : await registrations.perform(page.purpose, body: body, platform: page.platform)
        return Self.answer(refusal, to: page.element, asJSON: isJSON).response
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
