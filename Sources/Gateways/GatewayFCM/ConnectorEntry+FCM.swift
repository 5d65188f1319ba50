package import GatewayKit
internal import PushConfig
internal import PushModel
internal import PushPayload
internal import PushTransport
internal import PushWire

extension ConnectorEntry {
    /// The connector to FCM that sends one request at a time: `nmac/fcm`.
    package static let fcm = {
        let name = ConnectorName.androidPushConnector
        return fcm(
            name, page: "androidPushConnector.js", limit: { _ in 1 }, sharesRequests: false,
            explained: { _ in
                ExplainedSetting("requests", "1 at a time in each child", .text("connector \(name)"))
            })
    }()

    /// The connector to FCM that sends several requests in parallel: `nmac/fcm`,
    /// `mta/child/@maxGCMConnectPerChild` for all accounts of a child, and
    /// `mta/child/@maxGCMConnectPerAccount` for each of them.
    package static let fcmV2 = {
        var entry = fcm(
            .androidPushConnectorV2, page: "androidPushConnectorV2.js", limit: \.parallelRequests,
            sharesRequests: true, explained: parallelRequests)
        // Google does not publish a stream limit; Google's front ends advertise 100.
        entry.window = RequestWindow(
            usualStreams: 100, maxStreams: HTTP2Configuration().maximumStreams,
            requests: \ServerConfiguration.mta.child.maxGCMConnectPerChild,
            requestsOfAccount: \ServerConfiguration.mta.child.maxGCMConnectPerAccount,
            quota: \ServerConfiguration.nmac.fcm.messagesPerMinute)
        return entry
    }()

    /// - Parameters:
    ///   - limit: The maximum number of parallel requests.
    ///   - sharesRequests: Whether the requests also count towards the limit of the child.
    ///   - explained: The origin of that limit.
    private static func fcm(
        _ name: ConnectorName, page: String, limit requests: @escaping @Sendable (FCMSettings) -> Int,
        sharesRequests: Bool, explained: @escaping @Sendable (ServerConfiguration) -> ExplainedSetting
    ) -> ConnectorEntry {
        var entry = ConnectorEntry(
            name: name, platforms: [.android], credentials: [.fcmServiceAccount, .fcmProjectKey]
        ) { order, loop, events in
            let settings = try FCMSettings(json: order.gateway.settings)
            let limit = requests(settings)
            let shared = sharesRequests ? events.sharedRequests : nil
            // After a reload, the newest order has the current limit.
            shared?.limit = settings.requestsOfChild
            // The type of credential determines the FCM interface.
            switch try FCMCredential(order.credential) {
            case .serviceAccount(let account):
                return try FCMConnector(
                    order, credential: account, requestLimit: limit, shared: shared, loop: loop,
                    events: events)
            case .projectKey(let key):
                return try FCMLegacyConnector(
                    order, key: key, requestLimit: limit, shared: shared, loop: loop, events: events)
            }
        }
        entry.campaignPage = page
        entry.terms = { fcmTerms($0) }
        entry.gateway = {
            let endpoint = FCMHosts.gateway($0.gateway)
            return (endpoint.host, endpoint.port)
        }
        entry.keys = GatewayKeys(
            host: \.nmac.fcm.address, port: \.nmac.fcm.port, trust: \.nmac.fcm.trustedCertsChain)
        entry.explainPlaces = { account in
            account.identity.hasPrefix("project:") ? tokenServer(account.configuration.nmac.fcm) : []
        }
        entry.explainPace = { [explained($0.configuration)] + pace($0.configuration.nmac.fcm) }
        entry.testSubject = "the credential and the project"
        entry.warning = { settings, nmac in
            settings.credentialIdentity.hasPrefix("projectkey:") && nmac.fcm.address.isEmpty
                ? """
                Google has shut down FCM's legacy interface, and a project key works only with a private \
                gateway: 
                """
                    + "set it in nmac/fcm/@address of serverConf.xml, or import a service account"
                : nil
        }
        entry.template = { content, terms throws(PayloadError) in
            try PayloadTemplate.android(
                content: content, variables: terms.app.variables, delivery: terms.delivery,
                tracking: terms.tracking, idFormat: terms.app.messageIDFormat,
                envelope: AndroidEnvelope(.init(identity: terms.app.credentialIdentity)),
                limitBytes: terms.limitBytes)
        }
        entry.content = .fcm
        entry.payloadLimitBytes = { _, _ in PayloadTemplate.fcmLimitBytes }
        entry.secondsToLive = { FCMRequest.secondsToLive(until: $0, now: $1) }
        entry.listed = { token in
            var list = FCMLegacyRequest.RegistrationIDs()
            _ = list.append(token)
            return list.json
        }
        entry.answers = [FCMReasons.table, FCMLegacyReasons.table, OAuthReasons.table]
        return entry
    }

    /// Returns the setting that limits the parallel requests of an account in a child.
    private static func parallelRequests(_ configuration: ServerConfiguration) -> ExplainedSetting {
        let child = configuration.mta.child
        return child.requestsOfAccount < child.maxGCMConnectPerChild
            ? ExplainedSetting(
                "requests", "\(child.requestsOfAccount) at a time in each child",
                \.mta.child.maxGCMConnectPerAccount)
            : ExplainedSetting(
                "requests", "\(child.maxGCMConnectPerChild) at a time in each child, with all its accounts",
                \.mta.child.maxGCMConnectPerChild)
    }

    /// Returns the settings that determine where a service account gets its access tokens.
    private static func tokenServer(_ fcm: FCMConfiguration) -> [ExplainedSetting] {
        guard !fcm.tokenAddress.isEmpty else {
            return [
                ExplainedSetting(
                    "token server", "the service account's token_uri",
                    .unset(\.nmac.fcm.tokenAddress, else: ""))
            ]
        }
        return [
            ExplainedSetting("token server", fcm.tokenAddress, \.nmac.fcm.tokenAddress),
            ExplainedSetting("token port", String(fcm.tokenPort), \.nmac.fcm.tokenPort),
        ]
    }

    private static func pace(_ fcm: FCMConfiguration) -> [ExplainedSetting] {
        let hasQuota = fcm.messagesPerMinute > 0
        let quota = hasQuota ? "\(Numerals.grouped(fcm.messagesPerMinute)) a minute" : "none"
        var pace = [
            ExplainedSetting("time-out", "\(fcm.requestTimeoutSec) s", \.nmac.fcm.requestTimeoutSec),
            ExplainedSetting("quota", quota, \.nmac.fcm.messagesPerMinute),
        ]
        if hasQuota {
            pace.append(ExplainedSetting("ramp", "\(fcm.rampUpSec) s after a rest", \.nmac.fcm.rampUpSec))
        }
        return pace
    }

    private static func fcmTerms(_ configuration: ServerConfiguration) -> ConnectorOptions {
        let fcm = configuration.nmac.fcm
        var settings = FCMSettings()
        settings.requestTimeoutSeconds = fcm.requestTimeoutSec
        settings.parallelRequests = configuration.mta.child.requestsOfAccount
        settings.requestsOfChild = configuration.mta.child.maxGCMConnectPerChild
        (settings.tokenAddress, settings.tokenPort) = (fcm.tokenAddress, fcm.tokenPort)
        settings.keepsMessageIDs = fcm.keepMessageIds
        settings.indexesAuthorization = fcm.indexAuthorization
        var terms = ConnectorOptions()
        terms.ownHost = FCMRequest.host
        (terms.address, terms.port) = (fcm.address, fcm.port)
        terms.trustedCertsChain = fcm.trustedCertsChain
        terms.settings = settings.json
        if fcm.messagesPerMinute > 0 {
            // Google grants this quota to each project.
            terms.quota = ConnectorOptions.Quota(
                messagesPerMinute: fcm.messagesPerMinute, rampUpSeconds: fcm.rampUpSec)
        }
        terms.answerSeconds = fcm.requestTimeoutSec
        return terms
    }
}
