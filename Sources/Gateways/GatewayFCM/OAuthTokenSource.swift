internal import GatewayKit
internal import PushModel
internal import PushSystem
internal import PushTransport
internal import PushWire

/// Receives the results of token requests, on the loop.
protocol OAuthTokenSourceDelegate: AnyObject {
    func tokenArrived(_ token: OAuthToken)
    /// The request failed, and no previous token is still valid.
    func tokenFailed(_ verdict: Verdict, reason: String)
    /// No socket can be opened. Returns true if a connection of another account was closed to make room.
    func makeRoom() -> Bool
    /// No valid token is left, and the endpoint requests a pause of this duration.
    func tokenRests(seconds: Int32, reason: String)
}

/// The access token of one service account. The source requests a token when one is needed, keeps it, and
/// requests the next token before it expires.
///
/// **Promises.** At most one request is in progress, and no request is sent before the time that a
/// `Retry-After` states. While a token is valid, a failure to get the next token is not reported, and the
/// request is repeated. **Failures.** Each request that fails while no token is valid is reported once.
/// **Neighbours.** ``OAuthSigner``, ``OAuthBackoff``; `Words/OAuth` defines the meaning of answers.
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
    private var rest = OAuthBackoff()
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

    /// Whether there is a valid token.
    var isUsable: Bool { life?.isUsable(at: now) ?? false }
    private var now: MonotonicTime { MonotonicTime(nanoseconds: loop.now) }

    /// Discards a token that the gateway no longer accepts, regardless of its stated lifetime.
    func discard() { life = nil }

    /// Requests a token if there is none or the next token is due, unless a request is in progress.
    func renewIfDue() {
        guard exchange == nil, life?.isDue(at: now) ?? true else { return }
        guard rest.mayAsk(whileUsable: isUsable, at: now) else { return reportPause() }
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

    /// Allows an immediate request, regardless of the pause that the endpoint requested.
    func endPause() { rest = OAuthBackoff() }

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
        // The next turn repeats the request.
        case .failure(let failure)
        where failure.cause == .connection(.tooManyOpenFiles) && delegate?.makeRoom() == true: break
        case .failure(let failure) where failure.isCertificateFailure:
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
        // An operator has to resolve a refusal, so the refusal is reported as a failure. The requested pause
        // is still respected.
        if verdict.scope == .account || rest.pause(at: now) == nil {
            delegate?.tokenFailed(verdict, reason: reason)
        } else {
            reportPause()
        }
    }

    /// Reports the pause, so that no message waits in this child until the pause ends.
    private func reportPause() {
        guard !isUsable, let (seconds, why) = rest.pause(at: now) else { return }
        delegate?.tokenRests(seconds: seconds, reason: "Retry-After of the token endpoint: \(why)")
    }
}
