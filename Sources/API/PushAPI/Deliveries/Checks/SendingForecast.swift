internal import GatewayKit
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushWire

/// Determines the figures from which the duration of sending is estimated.
struct SendingForecast {
    private let operations: Operations
    /// The apps with the same connector and environment.
    private let similar: [Gateway: [AppID]]
    /// The earlier deliveries to each app that has any.
    private var measured: [Question: [[MeasuredDelivery]]] = [:]

    private struct Gateway: Hashable {
        let connector: ConnectorName
        let environment: PushEnvironment
        init(_ app: App) {
            (connector, environment) = (app.settings.connector, app.settings.environment)
        }
    }

    private struct Question: Hashable {
        var gateway: Gateway
        var leastSize: Int
    }

    init(_ operations: Operations) throws {
        self.operations = operations
        similar = Dictionary(grouping: try operations.store.catalogue.apps(), by: Gateway.init)
            .mapValues { $0.map(\.id) }
    }

    /// - Parameter count: The number of messages to the app.
    mutating func share(of app: App, count: Int) throws -> SendingEstimate.Share {
        // Many apps of a service may have no recipient.
        guard count > 0 else {
            return SendingEstimate.Share(count: 0, account: app.name, quota: nil, perSecond: nil)
        }
        let account = try? operations.engine.account(of: app)
        let connector = account?.order.connector ?? app.settings.connector
        let terms = ConnectorCatalogue.entry(connector)?.terms(operations.settings)
        let quota = terms?.quota.map {
            TokenBucket(messagesPerMinute: $0.messagesPerMinute, rampUpSeconds: $0.rampUpSeconds)
        }
        return SendingEstimate.Share(
            count: count, account: account?.mark.rawValue ?? app.name, quota: quota,
            perSecond: try throughput(of: app, count: count, within: quota))
    }

    /// Returns the throughput of earlier deliveries to the app or, if there are none, to another app with the
    /// same connector and environment.
    private mutating func throughput(
        of app: App, count: Int, within quota: TokenBucket?
    ) throws -> Double? {
        let size = SendingEstimate.leastSize(for: count)
        let own = try operations.store.deliveries.measured(of: app.id, size: size)
        if let rate = SendingEstimate.throughput(for: count, from: own, quota: quota) { return rate }
        return try deliveries(Question(gateway: Gateway(app), leastSize: size)).lazy
            .compactMap { SendingEstimate.throughput(for: count, from: $0, quota: quota) }.first
    }

    private mutating func deliveries(_ question: Question) throws -> [[MeasuredDelivery]] {
        if let known = measured[question] { return known }
        let found = try (similar[question.gateway] ?? []).map {
            try operations.store.deliveries.measured(of: $0, size: question.leastSize)
        }.filter { !$0.isEmpty }
        measured[question] = found
        return found
    }
}
