internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import PushModel
internal import PushOperations
internal import PushSystem

/// `GET /metrics`: for Prometheus.
struct MetricsRoutes: WebRoutes {
    let observatory: Observatory
    let requests: RequestCounts
    let connections: ConnectionCount
    let started: WallTime
    let devices: @Sendable () -> DeviceServices?
    private let names = AccountLabels()

    let paths = [WebPath(.get, "/metrics")]

    init(
        _ observatory: Observatory, _ requests: RequestCounts, _ connections: ConnectionCount,
        started: WallTime, devices: @escaping @Sendable () -> DeviceServices?
    ) {
        self.observatory = observatory
        self.requests = requests
        self.connections = connections
        self.started = started
        self.devices = devices
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/metrics") { [self] _, _ in await page() }
    }

    private func page() async -> Response {
        async let store = observatory.store.look()
        let master = await observatory.master.look()
        let page = MetricPage(
            product: observatory.product, started: started, requests: requests.now,
            connections: connections.now, reports: devices()?.hits.counts,
            master: master.value.flatMap(\.self), store: await store, labels: names,
            now: Clocks.monotonic(), wall: Clocks.wall())
        return .bytes(.ok, page.text.bytes, MetricText.contentType)
    }
}
