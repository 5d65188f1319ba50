/// The token endpoint at one connection.
package final class OAuthRequestHandler: HTTPRequestHandler {
    private let gateway: OAuthGateway
    private let caller: Caller

    init(_ gateway: OAuthGateway, _ caller: Caller) {
        self.gateway = gateway
        self.caller = caller
    }

    package var streamsAtFirst: UInt32 { 100 }

    package func decide(_ request: HTTPRequest, at now: Instant) -> SinkAnswer {
        guard let path = request.value(google: .path), path.equals("/token"),
            request.value(google: .method)?.equals("POST") == true
        else { return SinkAnswer(.reject(GoogleError.html(404))) }
        do throws(Assertion.Fault) {
            try judge(request)
        } catch {
            return SinkAnswer(.reject(OAuthGateway.rejection(error.error, error.description)))
        }
        // Rules go by the account's address.
        return Array(gateway.account.clientEmail.utf8).withUnsafeBufferPointer {
            gateway.behave(
                SinkRequest(device: $0, connection: caller.connection, stream: request.stream, api: .oauth),
                at: now)
        }
    }

    private func judge(_ request: HTTPRequest) throws(Assertion.Fault) {
        guard
            FormFields.value("grant_type", in: request.body)
                .map({ String(decoding: $0, as: UTF8.self) }) == "urn:ietf:params:oauth:grant-type:jwt-bearer"
        else { throw Assertion.Fault("unsupported_grant_type", "Invalid grant_type") }
        guard let assertion = FormFields.value("assertion", in: request.body) else {
            throw Assertion.Fault("invalid_request", "Missing required parameter: assertion")
        }
        try gateway.assertion.check(
            assertion, audiences: gateway.audiences, at: Int(wallMilliseconds() / 1000))
    }

    package func compose(_ request: HTTPRequest, _ rejection: Rejection?) -> HTTPReply {
        guard let rejection else {
            let token = gateway.tokens.issue(at: .now)
            gateway.counts.tokensIssued += 1
            let seconds = gateway.tokens.lifetime
            return HTTPReply(
                status: 200,
                body: #"{"access_token":"\#(token)","expires_in":\#(seconds),"token_type":"Bearer"}"#)
        }
        let words = rejection.words ?? OAuthGateway.rejection(rejection.reason, http: rejection.status).words
        var reply = HTTPReply(status: rejection.status, body: words?.text)
        reply.content = words?.content ?? .json
        reply.retryAfter = rejection.retryAfter?.text(atSeconds: Int(wallMilliseconds() / 1000))
        return reply
    }

    package func record(_ request: HTTPRequest, _ ending: Ending, at now: Instant) {
        gateway.counts.ended(ending, device: nil, idHash: 0, at: now)
    }
}
