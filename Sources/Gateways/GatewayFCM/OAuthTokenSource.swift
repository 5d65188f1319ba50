internal import GatewayKit
internal import PushModel
internal import PushSystem
internal import PushTransport
internal import PushWire

/// Hears what became of asking for a token, from the loop.
protocol OAuthTokenSourceDelegate: AnyObject {
    func tokenArrived(_ token: OAuthToken)
    /// There is no token, and none that still works.
    func tokenFailed(_ verdict: Verdict, reason: String)
    /// No socket can be opened. True where another account's was closed for it.
    func makeRoom() -> Bool
    /// There is no token that still works, and the endpoint wants to be left alone for so long.
    func tokenRests(seconds: Int32, reason: String)
}

/// One service account's access token: asked for when it is needed, kept, asked for again before it ends.
///
/// **Promises.** Never more than one request under way, and none before the time that a `Retry-After` asks
/// for. While a token works, trouble with getting the next one is nobody's business: it is tried again.
/// **Failures.** Told once for each request that fails while there is no token that works. **Neighbours.**
/// ``OAuthSigner``, ``OAuthRest``; `Words/OAuth` says what answers mean.
final class OAuthTokenSource {
    private static let maximumAnswerBytes = 1 << 16

    private let loop: TransportLoop
    private let signer: OAuthSigner
    private let endpoint: Endpoint
    private let path: String
    private let identity: TLSIdentity
    private let timeout: Duration
    weak var delegate: (any OAuthTokenSourceDelegate)?

    private var life: OAuthTokenLife?
    private var exchange: HTTPExchange?
    private var rest = OAuthRest()
    private var pace = ConnectPace()

    init(_ credential: FCMServiceAccount, gateway: GatewayOrder, identity: TLSIdentity, loop: TransportLoop)
        throws
    {
        let settings = try FCMSettings(json: gateway.settings)
        signer = try OAuthSigner(credential)
        let address = credential.tokenEndpoint
        endpoint = FCMHosts.tokenEndpoint(address, gateway, settings)
        path = address.path
        self.identity = identity
        self.loop = loop
        timeout = .seconds(max(settings.requestTimeoutSeconds, 1))
    }

    /// Whether there is a token that works.
    var isUsable: Bool { life?.isUsable(at: now) ?? false }
    private var now: MonotonicTime { MonotonicTime(nanoseconds: loop.now) }

    /// The gateway does not take the token any more, whatever its life was said to be.
    func discard() { life = nil }

    /// Asks for a token where there is none or the next one is due, and none is being asked for.
    func renewIfDue() {
        guard exchange == nil, life?.isDue(at: now) ?? true else { return }
        guard rest.mayAsk(whileUsable: isUsable, at: now) else { return tellOfRest() }
        guard pace.take(at: now) else { return }
        do {
            var request = HTTPRequest(
                "POST", endpoint, path: path,
                headers: [HTTPRequest.Header("content-type", OAuthRequest.contentType)],
                body: OAuthRequest.body(assertion: try signer.assertion(at: Clocks.wall())))
            request.tls = identity
            request.timeout = timeout
            request.maximumBody = Self.maximumAnswerBytes
            let asked = now
            exchange = try HTTPExchange(loop: loop, request: request) { [weak self] result in
                self?.finished(result, asked: asked)
            }
        } catch {
            failed(.connectionIsOurFault, reason: "\(error)")
        }
    }

    /// The endpoint may be asked at once, whatever it asked for.
    func endPause() { rest = OAuthRest() }

    func cancel() { exchange?.cancel() }

    private func finished(_ result: HTTPResult, asked: MonotonicTime) {
        exchange = nil
        switch result {
        case .response(let response):
            take(
                OAuthReply(
                    status: response.status, body: response.body, retryAfter: response.header("retry-after"),
                    now: Clocks.wall()),
                asked: asked)
        case .failure(let failure) where failure.cause == .local: break
        // The next turn tries again.
        case .failure(let failure)
        where failure.cause == .connection(.tooManyOpenFiles) && delegate?.makeRoom() == true: break
        case .failure(let failure) where failure.isCertificateTrouble:
            failed(.connectionIsOurFault, reason: "token endpoint \(endpoint): \(failure)")
        case .failure(let failure):
            take(.connectFailed(detail: "token endpoint \(endpoint): \(failure)"), asked: asked)
        }
    }

    private func take(_ reply: OAuthReply, asked: MonotonicTime) {
        switch reply {
        case .token(let token):
            life = OAuthTokenLife(asked: asked, seconds: token.lifetimeSeconds)
            rest.succeeded()
            delegate?.tokenArrived(token)
        case .refused(let verdict, let reason, let seconds):
            failed(verdict, reason: reason, retryAfter: seconds)
        }
    }

    private func failed(_ verdict: Verdict, reason: String, retryAfter: Int32? = nil) {
        rest.failed(retryAfter: retryAfter, why: reason, at: now)
        guard !isUsable else { return }
        // A refusal is for a person to mend; that the endpoint is left alone meanwhile is seen to here.
        if verdict.scope == .account || rest.pause(at: now) == nil {
            delegate?.tokenFailed(verdict, reason: reason)
        } else {
            tellOfRest()
        }
    }

    /// Nobody is to wait here for a time that may be an hour.
    private func tellOfRest() {
        guard !isUsable, let (seconds, why) = rest.pause(at: now) else { return }
        delegate?.tokenRests(seconds: seconds, reason: "Retry-After of the token endpoint: \(why)")
    }
}
