internal import GatewayAPNs
internal import GatewayAPNsBinary
internal import GatewayFCM
internal import GatewayKit
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushWire

/// The settings that hold for an app's account, each with the place that it comes from.
struct AccountSettings {
    typealias Row = AccountExplanation.Setting
    typealias Property = PartialKeyPath<ServerConfiguration>

    /// Who it is: long names that have no place in a table.
    private(set) var identity: [Row] = []
    private(set) var rows: [Row] = []

    static let firstRow = "connector"

    private let origins: [String: ConfigurationRow]
    private let schema: ConfigurationSchema
    private let settings: ServerConfiguration
    private let order: AccountOrder

    init(
        app: App, service: String, account: SendingAccount, credential: AccountExplanation.Credential,
        configuration: LoadedConfiguration, lastPoll: WallTime?
    ) {
        origins = Dictionary(configuration.origins.map { ($0.path, $0) }) { first, _ in first }
        schema = configuration.schema
        settings = configuration.settings
        order = account.order
        identity = Self.identity(app, service: service, account, credential)
        addConnector(app.settings)
        addGateway()
        if order.connector == .ios { addFeedback(lastPoll) }
        if order.connector != .stub, app.settings.credentialIdentity.hasPrefix("project:") {
            addTokenServer()
        }
        addPace()
        addTroubleRules()
    }

    // MARK: Who

    private static func identity(
        _ app: App, service: String, _ account: SendingAccount,
        _ credential: AccountExplanation.Credential
    ) -> [Row] {
        var rows = [
            Row(
                setting: "app", value: app.name, why: "service \(service), \(app.settings.platform.rawValue)"),
            Row(
                setting: "account", value: account.mark.rawValue,
                why: "connector, environment, credential and its mark"),
        ]
        guard !app.settings.credentialIdentity.isEmpty else { return rows }
        let age = credential.givenAt.map { "given \($0.utcText), \(days(credential.ageDays)) ago" }
        rows.append(
            Row(
                setting: "credential", value: app.settings.credentialIdentity,
                why: age ?? "when it was given is not known"))
        if let end = credential.notAfter {
            let value = "until \(end.utcText), \(days(credential.daysLeft)) left"
            rows.append(Row(setting: "certificate", value: value, why: credential.warning ?? ""))
        }
        return rows
    }

    private static func days(_ count: Int64?) -> String { Numerals.count(Int(count ?? 0), "day") }

    private mutating func addConnector(_ app: AppSettings) {
        let isRehearsal = order.connector != app.connector
        add(
            Self.firstRow, order.connector.rawValue,
            isRehearsal ? "in place of \(app.connector): \(origin(\.mta.verifyMode))" : "the app's")
        add("environment", order.environment.rawValue, "the app's")
        if !app.bundleID.isEmpty { add("topic", app.bundleID, "the app's bundle id") }
        add(
            "payload limit", "\(Numerals.grouped(app.connector.payloadLimitBytes(of: Content()))) bytes",
            "connector \(app.connector)")
    }

    // MARK: Where to

    private mutating func addGateway() {
        guard let gateway = ConnectorCatalogue.gateway(of: order), let keys = order.connector.gatewayKeys
        else {
            return add("gateway", "none", "connector \(order.connector) sends nothing")
        }
        add(
            "gateway", gateway.host,
            order.gateway.address.isEmpty
                ? "the vendor's; \(path(of: keys.host)) is not set" : origin(keys.host))
        add("port", String(gateway.port), origin(keys.port))
        let trusted = settings[keyPath: keys.trust] ?? ""
        add(
            "trust", trusted.isEmpty ? "the system's authorities" : trusted,
            trusted.isEmpty ? "\(path(of: keys.trust)) is not set" : origin(keys.trust))
        if let proxy = order.gateway.proxy {
            add("proxy", "\(proxy)", "shared/proxyConfig, \(origin(\.nmac.useHTTPProxy))")
        } else {
            let isExcepted = settings.nmac.useHTTPProxy
            add(
                "proxy", "none",
                isExcepted ? "\(path(of: \.proxy.override)) has it" : origin(\.nmac.useHTTPProxy))
        }
    }

    /// Where a service account gets its access tokens.
    private mutating func addTokenServer() {
        guard order.connector == .androidPushConnectorV2 || order.connector == .androidPushConnector else {
            return
        }
        guard !settings.nmac.fcm.tokenAddress.isEmpty else {
            let key = path(of: \.nmac.fcm.tokenAddress)
            return add("token server", "the service account's token_uri", "\(key) is not set")
        }
        add("token server", \.nmac.fcm.tokenAddress) { $0 }
        add("token port", \.nmac.fcm.tokenPort) { String($0) }
    }

    private mutating func addFeedback(_ lastPoll: WallTime?) {
        if let feedback = ConnectorCatalogue.feedback(of: order) {
            let isOverridden = !settings.nmac.iosBinary.feedback.isEmpty
            let key = path(of: \.nmac.iosBinary.feedback)
            add(
                "feedback", "\(feedback.host):\(feedback.port)",
                isOverridden ? origin(\.nmac.iosBinary.feedback) : "the vendor's; \(key) is not set")
        }
        add("feedback period", \.nmac.iosBinary.feedbackPeriodSec, Self.duration)
        add("feedback read", lastPoll?.utcText ?? "never", "to its end, by master or 'feedback poll'")
    }

    // MARK: How fast

    private mutating func addPace() {
        switch order.connector {
        case .iosHTTP2:
            add("connections", \.nmac.iosHTTP2.connectionsPerChild) { "\($0) in each child" }
            add("time-out", \.nmac.iosHTTP2.requestTimeoutSec) { "\($0) s" }
        case .ios:
            let binary = settings.nmac.iosBinary
            let rate = Numerals.grouped(binary.unconfirmedFrames / max(binary.confirmAfterSec, 1))
            add("connections", "1 in each child", "the protocol's order of frames")
            add("confirmed after", \.nmac.iosBinary.confirmAfterSec) { "\($0) s of silence" }
            add("unconfirmed frames", \.nmac.iosBinary.unconfirmedFrames) { Numerals.grouped($0) }
            return add("rate", "\(rate)/s in each child", "unconfirmed frames ÷ silence")
        case .androidPushConnector:
            add("requests", "1 at a time in each child", "connector \(order.connector)")
            addFCMPace()
        case .androidPushConnectorV2:
            add("requests", \.mta.child.maxGCMConnectPerChild) { "\($0) at a time in each child" }
            addFCMPace()
        default: break
        }
        add("capacity", \.mta.child.maxWaitingMessages) {
            "\(Numerals.grouped($0)) messages in each child, half for one account"
        }
    }

    private mutating func addFCMPace() {
        add("time-out", \.nmac.fcm.requestTimeoutSec) { "\($0) s" }
        add("quota", \.nmac.fcm.messagesPerMinute) {
            $0 == 0 ? "none" : "\(Numerals.grouped($0)) a minute"
        }
        guard settings.nmac.fcm.messagesPerMinute > 0 else { return }
        add("ramp", \.nmac.fcm.rampUpSec) { "\($0) s after a rest" }
    }

    // MARK: When it fails

    private mutating func addTroubleRules() {
        let retry = settings.nmac.retry
        let own = "or the delivery's"
        add(
            "retries", "\(retry.count) on the first day, then one a day",
            "\(origin(\.nmac.retry.count)), \(own)")
        add("retry period", Self.duration(retry.periodSec), "\(origin(\.nmac.retry.periodSec)), \(own)")
        add(
            "fast retries",
            retry.fastCount == 0
                ? "none"
                : "\(retry.fastCount) before these, the first after \(Self.duration(retry.fastDelaySec))",
            "\(origin(\.nmac.retry.fastCount)), \(origin(\.nmac.retry.fastDelaySec))")
        add("gateways' waits", \.nmac.retry.minimumDelays) { $0 ? "kept" : "not kept" }
        add("quarantine", \.nmac.quarantine.maxErrors) { "after \(Numerals.count($0, "soft error"))" }
        add("errors count", \.nmac.quarantine.significantErrorDelaySec) {
            "when \(Self.duration($0)) apart"
        }
        add("storm", \.nmac.quarantine.stormRatio) { "if more than \($0) of the devices seem dead" }
        add("storm minimum", \.nmac.quarantine.stormMinimum) { Numerals.count($0, "answer") }
        add("hold delay", \.nmac.quarantine.holdDelaySec, Self.duration)
    }

    private static func duration(_ seconds: Int) -> String { DurationText.text(seconds: Int64(seconds)) }

    private mutating func add(_ name: String, _ value: String, _ why: String) {
        rows.append(Row(setting: name, value: value, why: why))
    }

    /// One that is a setting as it stands.
    private mutating func add<Value>(
        _ name: String, _ property: KeyPath<ServerConfiguration, Value>, _ text: (Value) -> String
    ) {
        add(name, text(settings[keyPath: property]), origin(property))
    }

    private func path(of property: Property) -> String { schema.path(of: property) }

    /// `nmac/retry/@count, line 12`
    private func origin(_ property: Property) -> String {
        let path = path(of: property)
        guard let row = origins[path] else { return path }
        return "\(path), \(row.line.map { "line \($0)" } ?? "default")"
    }
}

extension ConnectorName {
    /// The settings that say where a connector's gateway is.
    fileprivate var gatewayKeys:
        (
            host: AccountSettings.Property, port: AccountSettings.Property,
            trust: KeyPath<ServerConfiguration, String?>
        )?
    {
        switch self {
        case .iosHTTP2: (\.nmac.relay.address, \.nmac.relay.port, \.nmac.relay.trustedCertsChain)
        case .ios:
            (\.nmac.iosBinary.gateway, \.nmac.iosBinary.gatewayPort, \.nmac.iosBinary.trustedCertsChain)
        case .androidPushConnector, .androidPushConnectorV2:
            (\.nmac.fcm.address, \.nmac.fcm.port, \.nmac.fcm.trustedCertsChain)
        default: nil
        }
    }
}
