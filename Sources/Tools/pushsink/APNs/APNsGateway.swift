/// APNs as a gateway over HTTP: the state that all its connections share.
///
/// **Promises.** Every answer has an `apns-id`: the id of the request, or a new id. An accepted request is in
/// the log and in the counts before its answer is passed to TLS. **Failures.** None: faults of requests
/// result in answers. **Neighbours.** ``APNsContract`` checks requests, ``ProviderTokens`` checks senders,
/// and behaviours decide how the gateway misbehaves.
final class APNsGateway: HTTPGateway {
    struct Settings {
        /// The number of streams advertised to connections with a client certificate, and to token-based
        /// connections after their first successful request.
        var streams: UInt32 = 1000
        /// The number of streams advertised to token-based connections until their first request succeeds.
        /// According to Apple, "APNs allows only one stream … until you post a push message with a valid
        /// authentication token".
        var streamsAtFirst: UInt32 = 1
        /// The delay before every answer.
        var delay: Instant.Span = .zero
        /// The minimum time between two changes of a connection's provider token. An earlier change is
        /// answered with 429.
        var tokenChangesEvery: Instant.Span = .seconds(20 * 60)
        /// The maximum number of valid requests per minute. Further requests are answered with 429. 0 means
        /// no limit.
        var requestsPerMinute = 0
    }

    let fields = RequestField.allCases
    let identifierField: StaticString? = "apns-id"

    let settings: Settings
    let contract: APNsContract
    let tokens: ProviderTokens
    let counts: SinkCounts
    let log: RequestLog?
    fileprivate var behaviours: [any GatewayBehaviour]
    var quota: QuotaBucket
    /// The time in seconds since 1970, read once per round.
    private var wall: (at: Instant, seconds: Int) = (Instant(nanoseconds: 0), 0)
    private var idState: (UInt64, UInt64) = (.random(in: 0...UInt64.max), .random(in: 0...UInt64.max))

    init(
        settings: Settings, contract: APNsContract, tokens: ProviderTokens,
        behaviours: [any GatewayBehaviour], counts: SinkCounts, log: RequestLog?
    ) {
        self.settings = settings
        self.contract = contract
        self.tokens = tokens
        self.behaviours = behaviours
        self.counts = counts
        self.log = log
        quota = QuotaBucket(perMinute: settings.requestsPerMinute)
    }

    func handler(for caller: Caller) -> any HTTPRequestHandler { APNsRequestHandler(self, caller) }

    func wallSeconds(at now: Instant) -> Int {
        if now != wall.at { wall = (now, Int(wallMilliseconds() / 1000)) }
        return wall.seconds
    }

    /// Returns an id for a request without one: a version 4 UUID, created from a well-mixed counter.
    func newID() -> (high: UInt64, low: UInt64) {
        idState.0 &+= 0x9E37_79B9_7F4A_7C15
        let high = Bytes.mixed(idState.0 ^ idState.1)
        let low = Bytes.mixed(high ^ idState.0)
        return (high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }
}

/// APNs on one connection: identifies the caller and decides on each request.
final class APNsRequestHandler: HTTPRequestHandler {
    private let gateway: APNsGateway
    private let caller: Caller
    /// Whether this is a token-based connection on which no request has succeeded yet.
    private var isOnProbation: Bool
    private var token: (number: Int, since: Instant)?

    init(_ gateway: APNsGateway, _ caller: Caller) {
        self.gateway = gateway
        self.caller = caller
        isOnProbation = caller.certificate == .none
    }

    var streamsAtFirst: UInt32 {
        isOnProbation ? gateway.settings.streamsAtFirst : gateway.settings.streams
    }

    func decide(_ request: HTTPRequest, at now: Instant) -> SinkAnswer {
        var answer: SinkAnswer
        if let fault = fault(of: request, at: now) {
            answer = .reject(fault.rejection)
        } else if gateway.quota.take(1, at: now) != nil {
            answer = .reject(Rejection(status: 429, reason: "TooManyRequests"))
        } else if gateway.behaviours.isEmpty {
            answer = .accept
        } else {
            answer = gateway.behaviours.behave(
                SinkRequest(
                    device: request.deviceToken, connection: caller.connection, stream: request.stream),
                at: now)
        }
        answer.delay = answer.delay + gateway.settings.delay
        return answer
    }

    private func fault(of request: HTTPRequest, at now: Instant) -> APNsReason? {
        if let fault = gateway.contract.faultOfRoute(request) { return fault }
        switch caller.certificate {
        case .none:
            if let fault = faultOfToken(request.value(.authorization), at: now) { return fault }
            return gateway.contract.fault(request)
        case .valid(let uid):
            // If there is a client certificate, "authorization" is ignored.
            return uid.isEmpty ? .badCertificate : gateway.contract.fault(request, certificateTopic: uid)
        case .invalid:
            return .badCertificate
        }
    }

    private func faultOfToken(_ authorization: Bytes?, at now: Instant) -> APNsReason? {
        switch gateway.tokens.judge(authorization, at: gateway.wallSeconds(at: now)) {
        case .fault(let reason): return reason
        case .valid(let number):
            if let token, token.number == number { return nil }
            if let token, now.since(token.since) < gateway.settings.tokenChangesEvery {
                return .tooManyProviderTokenUpdates
            }
            token = (number, now)
            return nil
        }
    }

    func compose(_ request: HTTPRequest, _ rejection: Rejection?) -> HTTPReply {
        noteID(on: request)
        guard let rejection else {
            guard isOnProbation else { return HTTPReply(status: 200) }
            isOnProbation = false
            let widens = gateway.settings.streams != gateway.settings.streamsAtFirst
            return HTTPReply(status: 200, streams: widens ? gateway.settings.streams : nil)
        }
        let timestamp = rejection.timestamp ?? (rejection.status == 410 ? wallMilliseconds() : nil)
        let reason = ReasonEscapes.json(rejection.reason)
        let body = timestamp.map { #"{"reason":"\#(reason)","timestamp":\#($0)}"# }
        return HTTPReply(
            rejection, orElse: Rejection.ErrorBody(content: .json, text: body ?? #"{"reason":"\#(reason)"}"#))
    }

    private func noteID(on request: HTTPRequest) {
        let id = request.value(.identifier).flatMap(Hex.uuid)
        if let id { request.mark = Bytes.mixed(id.high ^ Bytes.mixed(id.low)) | 1 }
        Hex.write(uuid: id ?? gateway.newID(), to: request.note)
    }

    func record(_ request: HTTPRequest, _ ending: RequestOutcome, at now: Instant) {
        gateway.counts.ended(ending, device: request.deviceToken, idHash: request.mark, at: now)
        gateway.log?.write(request, ending, connection: caller.connection)
    }
}
