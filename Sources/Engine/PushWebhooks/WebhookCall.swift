package import PushModel
package import PushSchedule
package import PushStore
internal import PushSystem
internal import PushTransport
internal import PushWire

/// One request to a receiver.
struct WebhookCall {
    static let connectSeconds = 5
    static let wholeSeconds = 15
    /// The maximum size of an answer. The rest of a longer answer is not read.
    static let maxAnswerBytes = 64 << 10
    static let userAgent = "PushMTA-Webhook/1"

    /// The id of the request. All attempts to send the same batch have the same id.
    var id: String
    var body: [UInt8]

    /// - Throws: ``HTTPAddress/Refusal`` for a URL that an earlier version accepted and this version does
    ///   not.
    func request(to webhook: Webhook, secrets: WebhookSecrets, at now: WallMoment) throws -> HTTPRequest {
        let address = try HTTPAddress(webhook.order.url)
        let second = now.time.secondsSince1970
        var request = HTTPRequest(
            "POST", Endpoint(host: address.host, port: address.port), path: address.path,
            isSecure: address.isSecure,
            headers: [
                .init("content-type", "application/json"),
                .init("user-agent", Self.userAgent),
                .init("webhook-id", id),
                .init("webhook-timestamp", "\(second)"),
                .init(
                    "webhook-signature",
                    WebhookSignature.header(id: id, second: second, body: body, secrets: secrets)),
            ], body: body)
        if let authorities = webhook.order.authorities {
            request.tls = TLSIdentity(trust: .pem(Array(authorities.utf8)))
        }
        request.connectTimeout = .seconds(Self.connectSeconds)
        request.timeout = .seconds(Self.wholeSeconds)
        request.maximumBody = Self.maxAnswerBytes
        return request
    }
}

extension WebhookAnswer {
    init(_ result: HTTPResult) {
        switch result {
        case .response(let response):
            // The header contains seconds or a date. `WebhookBackOff` defines the maximum wait.
            let now = Clocks.wall()
            let seconds = response.header("retry-after").flatMap { RetryAfter($0, now: now) }
                .map { Int64($0.seconds(from: now)) }
            self = .answered(status: response.status, isWhole: true, retryAfterSeconds: seconds)
        case .failure(let failure):
            guard let status = failure.status else {
                self = .unanswered(why: failure.description)
                return
            }
            // Only the status of the answer is used. Its content is ignored.
            var isWhole = false
            if case .bodyTooLong = failure.cause { isWhole = true }
            self = .answered(status: status, isWhole: isWhole, retryAfterSeconds: nil)
        }
    }
}

/// Sends one test event without content to a receiver, and waits for the receiver's answer.
package struct WebhookPing {
    package init() {}

    /// Sends the event on the caller's thread, which may wait up to fifteen seconds.
    /// - Throws: An error if nothing could be sent.
    package func send(
        to webhook: Webhook, secrets: WebhookSecrets, at now: WallMoment
    ) throws -> WebhookAnswer {
        var chance = SystemRandomNumberGenerator()
        let mark = String(UInt64.random(in: .min ... .max, using: &chance), radix: 36)
        let call = WebhookCall(
            id: "ping_\(mark)", body: WebhookBody(pingOf: webhook.order.name, at: now).bytes)
        let loop = try TransportLoop()
        var answer: WebhookAnswer?
        let exchange = try HTTPExchange(
            loop: loop, request: call.request(to: webhook, secrets: secrets, at: now)
        ) { answer = WebhookAnswer($0) }
        return try withExtendedLifetime(exchange) {
            while true {
                if let answer { return answer }
                _ = try loop.wait(atMostMilliseconds: 1_000)
            }
        }
    }
}
