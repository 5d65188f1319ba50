internal import GatewayKit
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushWire

/// The settings that apply to an app's account, each with the origin of its value.
struct AccountSettings {
    typealias Row = AccountExplanation.Setting
    typealias Property = PartialKeyPath<ServerConfiguration>

    /// The settings that identify the account. Their values are too long for a table.
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
        let account = ExplainedAccount(order, identity: app.settings.credentialIdentity, settings)
        let entry = ConnectorCatalogue.entry(order.connector)
        add(entry?.explainPlaces(account) ?? [])
        if entry?.readFeedback != nil {
            add("feedback read", lastPoll?.utcText ?? "never", "completely, by the master or 'feedback poll'")
        }
        add(entry?.explainPace(account) ?? [])
        if entry?.terms(settings).ownCapacity == nil { addCapacity() }
        addFailureRules()
    }

    // MARK: Who

    private static func identity(
        _ app: App, service: String, _ account: SendingAccount,
        _ credential: AccountExplanation.Credential
    ) -> [Row] {
        var rows = [
            Row(
                setting: "app", value: app.name,
                why: "service \(service), \(app.settings.platform.rawValue)"),
            Row(
                setting: "account", value: account.mark.rawValue,
                why: "connector, environment, credential and its fingerprint"),
        ]
        guard !app.settings.credentialIdentity.isEmpty else { return rows }
        let age = credential.givenAt.map { "given \($0.utcText), \(days(credential.ageDays)) ago" }
        rows.append(
            Row(
                setting: "credential", value: app.settings.credentialIdentity,
                why: age ?? "the time at which it was given is unknown"))
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
        let limit = ConnectorCatalogue.payloadLimitBytes(app.connector, Content(), settings.nmac)
        let setting = ConnectorCatalogue.entry(app.connector)?.explainPayloadLimit
        add(
            "payload limit", "\(Numerals.grouped(limit)) bytes",
            setting.map(origin) ?? "connector \(app.connector)")
    }

    // MARK: Where to

    private mutating func addGateway() {
        guard let gateway = ConnectorCatalogue.gateway(of: order),
            let keys = ConnectorCatalogue.entry(order.connector)?.keys
        else {
            return add("gateway", "none", "connector \(order.connector) does not send anything")
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
                isExcepted ? "\(path(of: \.proxy.override)) matches it" : origin(\.nmac.useHTTPProxy))
        }
    }

    private mutating func addCapacity() {
        add("capacity", \.mta.child.maxWaitingMessages) {
            "\(Numerals.grouped($0)) messages in each child, half of them for one account"
        }
    }

    // MARK: When it fails

    private mutating func addFailureRules() {
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
                : "\(retry.fastCount) before the rest, the first after \(Self.duration(retry.fastDelaySec))",
            "\(origin(\.nmac.retry.fastCount)), \(origin(\.nmac.retry.fastDelaySec))")
        add("gateways' waits", \.nmac.retry.minimumDelays) { $0 ? "kept" : "not kept" }
        add("quarantine", \.nmac.quarantine.maxErrors) { "after \(Numerals.count($0, "soft error"))" }
        add("errors count", \.nmac.quarantine.significantErrorDelaySec) {
            "when \(Self.duration($0)) apart"
        }
        add("storm", \.nmac.quarantine.stormRatio) { "if more than \($0) of the devices seem to be gone" }
        add("storm minimum", \.nmac.quarantine.stormMinimum) { Numerals.count($0, "answer") }
        add("hold delay", \.nmac.quarantine.holdDelaySec, Self.duration)
    }

    private static func duration(_ seconds: Int) -> String { DurationText.text(seconds: Int64(seconds)) }

    private mutating func add(_ name: String, _ value: String, _ why: String) {
        rows.append(Row(setting: name, value: value, why: why))
    }

    private mutating func add(_ explained: [ExplainedSetting]) {
        for row in explained {
            switch row.origin {
            case .setting(let property): add(row.name, row.value, origin(property))
            case .text(let why): add(row.name, row.value, why)
            case .unset(let property, let otherwise):
                let why = "\(path(of: property)) is not set"
                add(row.name, row.value, otherwise.isEmpty ? why : "\(otherwise); \(why)")
            }
        }
    }

    /// Adds a row for a setting that applies unchanged.
    private mutating func add<Value>(
        _ name: String, _ property: KeyPath<ServerConfiguration, Value>, _ text: (Value) -> String
    ) {
        add(name, text(settings[keyPath: property]), origin(property))
    }

    private func path(of property: Property) -> String { schema.path(of: property) }

    /// Returns the origin of a setting's value, such as `nmac/retry/@count, line 12`.
    private func origin(_ property: Property) -> String {
        let path = path(of: property)
        guard let row = origins[path] else { return path }
        return "\(path), \(row.line.map { "line \($0)" } ?? "default")"
    }
}
