internal import FoundationEssentials

/// Google's token endpoint, which exchanges a signed assertion for an access token.
///
/// **Promises.** ``FCMGateway`` accepts only tokens that were issued here. **Failures.** None: faults of
/// requests result in answers. **Neighbours.** ``Assertion`` checks assertions, and ``AccessTokens``
/// remembers the tokens.
final class OAuthGateway: HTTPGateway {
    let fields = RequestField.ofGoogle
    let identifierField: StaticString? = nil
    let keptBody: UInt32 = 16 * 1024

    let account: ServiceAccount
    let assertion: Assertion
    let tokens: AccessTokens
    let counts: SinkCounts
    /// The audiences that an assertion may name: the account's token_uri, Google's address, and our own
    /// addresses.
    private(set) var audiences: [String]
    fileprivate var behaviours: [any GatewayBehaviour]

    init(
        account: ServiceAccount, assertion: Assertion, tokens: AccessTokens,
        behaviours: [any GatewayBehaviour], counts: SinkCounts
    ) {
        self.account = account
        self.assertion = assertion
        self.tokens = tokens
        audiences = [account.tokenURI, ServiceAccount.googleTokenURI]
        self.behaviours = behaviours
        counts.seen.tokensIssued = 0
        self.counts = counts
    }

    /// Accepts assertions for this port from now on.
    func serves(port: UInt16) {
        audiences += ["127.0.0.1", "localhost", "[::1]"].map { "https://\($0):\(port)/token" }
    }

    func handler(for caller: Caller) -> any HTTPRequestHandler {
        OAuthRequestHandler(gateway: self, caller: caller)
    }

    /// Returns an OAuth error (RFC 6749, section 5.2). The RFC specifies 400 for all errors except an unknown
    /// client.
    static func rejection(_ error: String, _ description: String? = nil, http: Int? = nil) -> Rejection {
        let status =
            http
            ?? (error == "unauthorized_client" || error == "invalid_client" || error == "disabled_client"
                ? 401 : error == "access_denied" ? 403 : 400)
        return Rejection(status: status, reason: error, words: words(error, description ?? error))
    }

    fileprivate static func words(_ error: String, _ description: String) -> Rejection.ErrorBody {
        Rejection.ErrorBody(
            content: .json,
            text: #"{"error":"\#(error)","error_description":\#(JSONText.quoted(description))}"#)
    }
}

/// The token endpoint on one connection.
private struct OAuthRequestHandler: HTTPRequestHandler {
    let gateway: OAuthGateway
    let caller: Caller

    var streamsAtFirst: UInt32 { 100 }

    func decide(_ request: HTTPRequest, at now: Instant) -> SinkAnswer {
        guard let path = request.value(.path), path.equals("/token"),
            request.value(.method)?.equals("POST") == true
        else { return .reject(GoogleError.html(404)) }
        do throws(Assertion.Fault) {
            try judge(request)
        } catch {
            return .reject(OAuthGateway.rejection(error.error, error.description))
        }
        // For the token endpoint, rules match the account's e-mail address in place of a token.
        return Array(gateway.account.clientEmail.utf8).withUnsafeBufferPointer {
            gateway.behaviours.behave(
                SinkRequest(device: $0, connection: caller.connection, stream: request.stream, api: .oauth),
                at: now)
        }
    }

    private func judge(_ request: HTTPRequest) throws(Assertion.Fault) {
        let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        guard FormFields.value("grant_type", in: request.body) == grant else {
            throw Assertion.Fault(error: "unsupported_grant_type", description: "Invalid grant_type")
        }
        guard let assertion = FormFields.value("assertion", in: request.body) else {
            throw Assertion.Fault(
                error: "invalid_request", description: "Missing required parameter: assertion")
        }
        try gateway.assertion.check(
            assertion.utf8, audiences: gateway.audiences, at: Int(wallMilliseconds() / 1000))
    }

    func compose(_ request: HTTPRequest, _ rejection: Rejection?) -> HTTPReply {
        guard let rejection else {
            let token = gateway.tokens.issue(at: .now)
            gateway.counts.seen.tokensIssued? += 1
            let seconds = gateway.tokens.lifetime
            return HTTPReply(
                status: 200,
                json: #"{"access_token":"\#(token)","expires_in":\#(seconds),"token_type":"Bearer"}"#)
        }
        return HTTPReply(rejection, orElse: OAuthGateway.words(rejection.reason, rejection.reason))
    }

    func record(_ request: HTTPRequest, _ ending: RequestOutcome, at now: Instant) {
        gateway.counts.ended(ending, device: nil, idHash: 0, at: now)
    }
}

/// The OAuth access tokens that were issued, and the time until which each is valid.
package final class AccessTokens {
    /// The lifetime of a new token.
    package let lifetime: Int
    private var expiries: [String: Instant] = [:]
    /// The value that was checked last. The next value to be checked is nearly always the same.
    private var latest: (value: [UInt8], expiry: Instant)?

    /// `lifetime` is in seconds.
    package init(lifetime: Int) { self.lifetime = lifetime }

    package func issue(at now: Instant) -> String {
        expiries = expiries.filter { $0.value > now }
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
        let token = "ya29." + .random(letters, count: 120)
        expiries[token] = now + .seconds(UInt64(lifetime))
        return token
    }

    /// Reports whether the value of `authorization` contains a valid token.
    package func isGood(_ authorization: Bytes?, at now: Instant) -> Bool {
        guard let authorization else { return false }
        if let latest, authorization.equals(latest.value) { return latest.expiry > now }
        guard authorization.starts(with: "Bearer ") || authorization.starts(with: "bearer "),
            let expiry = expiries[authorization.from(7).text]
        else { return false }
        latest = (Array(authorization), expiry)
        return expiry > now
    }
}

/// `application/x-www-form-urlencoded`, as used by browsers and OAuth.
package enum FormFields {
    /// Returns the first value of `name`; `nil` if it is absent or the form is not valid.
    package static func value(_ name: String, in form: Bytes) -> String? {
        // Plus signs, which mean spaces in a form, are replaced, because they have no such meaning in the
        // query of a URL.
        let query = "?" + form.text.replacing("+", with: "%20")
        let fields = URLComponents(string: query, encodingInvalidCharacters: false)?.queryItems
        return fields?.first { $0.name == name }?.value
    }
}
