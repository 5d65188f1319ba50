/// Google's token endpoint: a signed assertion in, an access token out.
///
/// **Promises.** Only tokens that were issued here open ``FCMGateway``. **Failures.** None of its own: faults
/// of requests are answers. **Neighbours.** ``Assertion`` judges, ``AccessTokens`` remembers.
package final class OAuthGateway: HTTPGateway {
    package let fieldNames = FCMField.allCases.map(\.name)
    package let identifierField: StaticString? = nil
    package let keptBody: UInt32 = 16 * 1024

    let account: ServiceAccount
    let assertion: Assertion
    let tokens: AccessTokens
    let counts: SinkCounts
    /// What an assertion may name as its audience: the account's token_uri, Google's, and our own addresses.
    private(set) var audiences: [String]
    private var behaviours: [any GatewayBehaviour]

    package init(
        account: ServiceAccount, assertion: Assertion, tokens: AccessTokens,
        behaviours: [any GatewayBehaviour],
        counts: SinkCounts
    ) {
        self.account = account
        self.assertion = assertion
        self.tokens = tokens
        audiences = [account.tokenURI, ServiceAccount.googleTokenURI]
        self.behaviours = behaviours
        self.counts = counts
    }

    /// Takes assertions for this port from now on.
    func serves(port: UInt16) {
        audiences += ["127.0.0.1", "localhost", "[::1]"].map { "https://\($0):\(port)/token" }
    }

    package func handler(for caller: Caller) -> any HTTPRequestHandler { OAuthRequestHandler(self, caller) }

    func behave(_ request: SinkRequest, at now: Instant) -> SinkAnswer {
        for index in behaviours.indices {
            if let answer = behaviours[index].answer(request, at: now) { return answer }
        }
        return .accept
    }

    /// An OAuth error (RFC 6749 section 5.2). The RFC has 400 for all but a client that is not known.
    package static func rejection(_ error: String, _ description: String? = nil, http: Int? = nil)
        -> Rejection
    {
        let status =
            http
            ?? (error == "unauthorized_client" || error == "invalid_client" || error == "disabled_client"
                ? 401 : error == "access_denied" ? 403 : 400)
        let text = JSONText.quoted(description ?? error)
        return Rejection(
            status: status, reason: error,
            words: Rejection.Words(.json, #"{"error":"\#(error)","error_description":\#(text)}"#))
    }
}
