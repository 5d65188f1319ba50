internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushWire

/// The settings that hold for an app's account, each with the place that it comes from.
struct AccountSettings {
    typealias Row = AccountExplanation.Setting

    /// Who it is: long names that have no place in a table.
    private(set) var identity: [Row] = []
    private(set) var rows: [Row] = []

    static let firstRow = "connector"

    private let origins: [String: ConfigurationRow]
    private let settings: ServerConfiguration
    private let order: AccountOrder

    init(
        app: App, service: String, account: SendingAccount, credential: CredentialFacts,
        configuration: LoadedConfiguration, lastPoll: WallTime?
    ) {
        origins = Dictionary(configuration.origins.map { ($0.path, $0) }) { first, _ in first }
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
        _ app: App, service: String, _ account: SendingAccount, _ credential: CredentialFacts
    ) -> [Row] {
        var rows = [
            Row(
                setting: "app", value: app.name, why: "service \(service), \(app.settings.platform.rawValue)"),
            Row(
                setting: "account", value: account.mark.rawValue,
                why: "connector, environment, credential and its mark"),
        ]
        guard !app.settings.credentialIdentity.isEmpty else { return rows }
        let age = credential.given.map { "given \($0.utcText), \(days(credential.ageDays)) ago" }
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
            isRehearsal ? "in place of \(app.connector): \(origin("mta/@verifyMode"))" : "the app's")
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
        let isOverridden = !order.gateway.address.isEmpty
        add(
            "gateway", gateway.host,
            isOverridden ? origin(keys.host) : "the vendor's; \(keys.host) is not set")
        add("port", String(gateway.port), origin(keys.port))
        let trusted = origins[keys.trust]?.value ?? ""
        add(
            "trust", trusted.isEmpty ? "the system's authorities" : trusted,
            trusted.isEmpty ? "\(keys.trust) is not set" : origin(keys.trust))
        if let proxy = order.gateway.proxy {
            add("proxy", "\(proxy)", "shared/proxyConfig, \(origin("nmac/@useHTTPProxy"))")
        } else {
            let isExcepted = settings.nmac.useHTTPProxy
            add(
                "proxy", "none",
                isExcepted ? "shared/proxyConfig/@override has it" : origin("nmac/@useHTTPProxy"))
        }
    }

    /// Where a service account gets its access tokens.
    private mutating func addTokenServer() {
        let (fcm, key) = (settings.nmac.fcm, "nmac/fcm/@tokenAddress")
        guard order.connector == .androidPushConnectorV2 || order.connector == .androidPushConnector else {
            return
        }
        guard !fcm.tokenAddress.isEmpty else {
            return add("token server", "the service account's token_uri", "\(key) is not set")
        }
        add("token server", fcm.tokenAddress, origin(key))
        add("token port", String(fcm.tokenPort), origin("nmac/fcm/@tokenPort"))
    }

    private mutating func addFeedback(_ lastPoll: WallTime?) {
        if let feedback = ConnectorCatalogue.feedback(of: order) {
            let key = "nmac/iosBinary/@feedback"
            add(
                "feedback", "\(feedback.host):\(feedback.port)",
                order.gateway.feedbackAddress.isEmpty ? "the vendor's; \(key) is not set" : origin(key))
        }
        let period = settings.nmac.iosBinary.feedbackPeriodSec
        add(
            "feedback period", DurationText.text(seconds: Int64(period)),
            origin("nmac/iosBinary/@feedbackPeriodSec"))
        add("feedback read", lastPoll?.utcText ?? "never", "to its end, by master or 'feedback poll'")
    }

    // MARK: How fast

    private mutating func addPace() {
        let (nmac, child) = (settings.nmac, settings.mta.child)
        switch order.connector {
        case .iosHTTP2:
            add(
                "connections", "\(nmac.iosHTTP2.connectionsPerChild) in each child",
                origin("nmac/iosHTTP2/@connectionsPerChild"))
            add(
                "time-out", "\(nmac.iosHTTP2.requestTimeoutSec) s", origin("nmac/iosHTTP2/@requestTimeoutSec")
            )
        case .ios:
            let frames = nmac.iosBinary.unconfirmedFrames, silence = nmac.iosBinary.confirmAfterSec
            add("connections", "1 in each child", "the protocol's order of frames")
            add("confirmed after", "\(silence) s of silence", origin("nmac/iosBinary/@confirmAfterSec"))
            add("unconfirmed frames", Numerals.grouped(frames), origin("nmac/iosBinary/@unconfirmedFrames"))
            add(
                "rate", "\(Numerals.grouped(frames / max(silence, 1)))/s in each child",
                "unconfirmed frames ÷ silence")
        case .androidPushConnector, .androidPushConnectorV2:
            let parallel = order.connector == .androidPushConnectorV2 ? child.maxGCMConnectPerChild : 1
            add(
                "requests", "\(parallel) at a time in each child",
                parallel == 1 && order.connector == .androidPushConnector
                    ? "connector \(order.connector)" : origin("mta/child/@maxGCMConnectPerChild"))
            add("time-out", "\(nmac.fcm.requestTimeoutSec) s", origin("nmac/fcm/@requestTimeoutSec"))
            let quota = nmac.fcm.messagesPerMinute
            add(
                "quota", quota == 0 ? "none" : "\(Numerals.grouped(quota)) a minute",
                origin("nmac/fcm/@messagesPerMinute"))
            if quota > 0 {
                add("ramp", "\(nmac.fcm.rampUpSec) s after a rest", origin("nmac/fcm/@rampUpSec"))
            }
        default: break
        }
        guard order.connector != .ios else { return }
        add(
            "capacity",
            "\(Numerals.grouped(child.maxWaitingMessages)) messages in each child, half for one account",
            origin("mta/child/@maxWaitingMessages"))
    }

    // MARK: When it fails

    private mutating func addTroubleRules() {
        let (retry, quarantine) = (settings.nmac.retry, settings.nmac.quarantine)
        let own = "or the delivery's"
        add(
            "retries", "\(retry.count) on the first day, then one a day",
            "\(origin("nmac/retry/@count")), \(own)")
        add(
            "retry period", DurationText.text(seconds: Int64(retry.periodSec)),
            "\(origin("nmac/retry/@period")), \(own)")
        add(
            "fast retries",
            retry.fastCount == 0
                ? "none"
                : "\(retry.fastCount) before these, the first after \(DurationText.text(seconds: Int64(retry.fastDelaySec)))",
            "\(origin("nmac/retry/@fastCount")), \(origin("nmac/retry/@fastDelay"))")
        add("gateways' waits", retry.minimumDelays ? "kept" : "not kept", origin("nmac/retry/@minimumDelays"))
        add(
            "quarantine", "after \(Numerals.count(quarantine.maxErrors, "soft error"))",
            origin("nmac/quarantine/@maxErrors"))
        add(
            "errors count",
            "when \(DurationText.text(seconds: Int64(quarantine.significantErrorDelaySec))) apart",
            origin("nmac/quarantine/@significantErrorDelay"))
        add(
            "storm", "if more than \(quarantine.stormRatio) of the devices seem dead",
            origin("nmac/quarantine/@stormRatio"))
        add(
            "storm minimum", Numerals.count(quarantine.stormMinimum, "answer"),
            origin("nmac/quarantine/@stormMinimum"))
        add(
            "hold delay", DurationText.text(seconds: Int64(quarantine.holdDelaySec)),
            origin("nmac/quarantine/@holdDelay"))
    }

    private mutating func add(_ name: String, _ value: String, _ why: String) {
        rows.append(Row(setting: name, value: value, why: why))
    }

    /// `nmac/retry/@count, line 12`
    private func origin(_ path: String) -> String {
        guard let row = origins[path] else { return path }
        switch row.origin {
        case .file(let line): return "\(path), line \(line)"
        case .default: return "\(path), default"
        }
    }
}

extension ConnectorName {
    /// The settings that say where a connector's gateway is.
    fileprivate var gatewayKeys: (host: String, port: String, trust: String)? {
        switch self {
        case .iosHTTP2: ("nmac/relay/@address", "nmac/relay/@port", "nmac/relay/@trustedCertsChain")
        case .ios:
            ("nmac/iosBinary/@gateway", "nmac/iosBinary/@gatewayPort", "nmac/iosBinary/@trustedCertsChain")
        case .androidPushConnector, .androidPushConnectorV2:
            ("nmac/fcm/@address", "nmac/fcm/@port", "nmac/fcm/@trustedCertsChain")
        default: nil
        }
    }
}
