/// APNs, as a gateway over HTTP: what all its connections share.
///
/// **Promises.** Every answer carries an `apns-id`, the request's or a new one. An accepted request is in the
/// log and in the counts before its answer is handed to TLS. **Failures.** None of its own: faults of
/// requests are answers.
/// **Neighbours.** ``APNsContract`` reads requests, ``ProviderTokens`` judges senders, behaviours misbehave.
package final class APNsGateway: HTTPGateway {
    package struct Settings {
        /// Advertised to connections that have proved themselves, and to those with a client certificate.
        package var streams: UInt32 = 1000
        /// Advertised to token-based connections until a first request succeeded. "APNs allows only one
        /// stream … until you post a push message with a valid authentication token", says Apple.
        package var streamsAtFirst: UInt32 = 1
        /// Before every answer.
        package var delay: Instant.Span = .zero
        /// A connection that changes its provider token sooner than this is told 429.
        package var tokenChangesEvery: Instant.Span = .seconds(20 * 60)
        /// Valid requests; then 429. 0: no limit.
        package var requestsPerMinute = 0

        package init() {}
    }

    package let fieldNames = APNsField.allCases.map(\.name)
    package let identifierField: StaticString? = "apns-id"

    let settings: Settings
    let contract: APNsContract
    let tokens: ProviderTokens
    let counts: SinkCounts
    let log: RequestLog?
    var behaviours: [any GatewayBehaviour]
    var quota: QuotaBucket
    /// Seconds since 1970, looked up once a round.
    private var wall: (at: Instant, seconds: Int) = (Instant(nanoseconds: 0), 0)
    private var idState: (UInt64, UInt64) = (.random(in: 0...UInt64.max), .random(in: 0...UInt64.max))

    package init(
        settings: Settings, contract: APNsContract, tokens: ProviderTokens,
        behaviours: [any GatewayBehaviour],
        counts: SinkCounts, log: RequestLog?
    ) {
        self.settings = settings
        self.contract = contract
        self.tokens = tokens
        self.behaviours = behaviours
        self.counts = counts
        self.log = log
        quota = QuotaBucket(perMinute: settings.requestsPerMinute)
    }

    package func handler(for caller: Caller) -> any HTTPRequestHandler { APNsRequestHandler(self, caller) }

    func wallSeconds(at now: Instant) -> Int {
        if now != wall.at { wall = (now, Int(wallMilliseconds() / 1000)) }
        return wall.seconds
    }

    /// What the behaviours say; no opinion is consent.
    func behave(_ request: SinkRequest, at now: Instant) -> SinkAnswer {
        for index in behaviours.indices {
            if let answer = behaviours[index].answer(request, at: now) { return answer }
        }
        return .accept
    }

    /// An id for a request that brought none: a version 4 UUID, from a counter that is mixed well.
    func newID() -> (high: UInt64, low: UInt64) {
        idState.0 &+= 0x9E37_79B9_7F4A_7C15
        let high = Bytes.mixed(idState.0 ^ idState.1)
        let low = Bytes.mixed(high ^ idState.0)
        return (high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }
}
