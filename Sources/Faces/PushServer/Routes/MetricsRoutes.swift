internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import PushAPI
internal import PushModel
internal import PushSystem

/// `GET /metrics`, for Prometheus.
struct MetricsRoutes: WebRoutes {
    let probes: StatusProbes
    let requests: RequestCounts
    let upkeep: WebUpkeep
    let devices: @Sendable () -> DeviceServices?
    let started: WallTime
    private let names = AccountLabels()

    let paths = [WebPath(.get, "/metrics")]

    init(
        _ probes: StatusProbes, _ requests: RequestCounts, _ upkeep: WebUpkeep,
        devices: @escaping @Sendable () -> DeviceServices?, started: WallTime
    ) {
        self.devices = devices
        self.probes = probes
        self.requests = requests
        self.upkeep = upkeep
        self.started = started
    }

    func add(to router: Router<WebContext>) {
        router.get("/metrics") { [self] _, _ in await page() }
    }

    private func page() async -> Response {
        async let store = probes.store.look()
        let master = await probes.master.look().value.flatMap(\.self)
        let devices = devices()
        let page = MetricPage(
            product: probes.product, started: started, requests: requests.now,
            connections: upkeep.openConnections, certificateEnd: upkeep.tls?.notAfter,
            hits: devices?.hits.counts,
            undeclared: devices?.registrations.undeclaredParameters ?? [],
            master: master, countedAccounts: MetricPage.counted(by: master), store: await store,
            labels: names,
            now: Clocks.monotonic(), wall: Clocks.wall())
        return .bytes(.ok, page.text.bytes, MetricText.contentType)
    }
}
