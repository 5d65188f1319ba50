package import GatewayKit
internal import PushConfig
internal import PushModel
internal import PushTransport
internal import PushWire

extension ConnectorEntry {
    /// FCM, one request at a time: `nmac/fcm`.
    package static let fcm = fcm(.androidPushConnector, page: "androidPushConnector.js") { _ in 1 }

    /// FCM, several requests at a time: `nmac/fcm`, `mta/child/@maxGCMConnectPerChild`.
    package static let fcmV2 = fcm(
        .androidPushConnectorV2, page: "androidPushConnectorV2.js", requests: \.parallelRequests)

    private static func fcm(
        _ name: ConnectorName, page: String, requests: @escaping @Sendable (FCMSettings) -> Int
    ) -> ConnectorEntry {
        var entry = ConnectorEntry(
            name: name, platforms: [.android], credentials: [.fcmServiceAccount, .fcmProjectKey]
        ) { order, loop, events in
            let limit = requests(try FCMSettings(json: order.gateway.settings))
            // The credential says which of FCM's interfaces is meant.
            switch try FCMCredential(order.credential) {
            case .serviceAccount(let account):
                return try FCMConnector(
                    order, credential: account, requestLimit: limit, loop: loop, events: events)
            case .projectKey(let key):
                return try FCMLegacyConnector(
                    order, key: key, requestLimit: limit, loop: loop, events: events)
            }
        }
        entry.campaignPage = page
        entry.terms = { fcmTerms($0) }
        entry.gateway = {
            let endpoint = FCMHosts.gateway($0.gateway)
            return (endpoint.host, endpoint.port)
        }
        entry.hopelessWords =
            hopeless(FCMReasons.rows.map { ($0.wire, $0.verdict) })
            + hopeless(FCMLegacyReasons.rows.map { ($0.wire, $0.verdict) })
        return entry
    }

    private static func fcmTerms(_ configuration: ServerConfiguration) -> ConnectorTerms {
        let fcm = configuration.nmac.fcm
        var settings = FCMSettings()
        settings.requestTimeoutSeconds = fcm.requestTimeoutSec
        settings.parallelRequests = configuration.mta.child.maxGCMConnectPerChild
        (settings.tokenAddress, settings.tokenPort) = (fcm.tokenAddress, fcm.tokenPort)
        settings.keepsMessageIDs = fcm.keepMessageIds
        var terms = ConnectorTerms()
        terms.ownHost = FCMRequest.host
        (terms.address, terms.port) = (fcm.address, fcm.port)
        terms.trustedCertsChain = fcm.trustedCertsChain
        terms.settings = settings.json
        if fcm.messagesPerMinute > 0 {
            // Google grants it to each project.
            terms.quota = ConnectorTerms.Quota(
                messagesPerMinute: fcm.messagesPerMinute, rampUpSeconds: fcm.rampUpSec)
        }
        terms.answerSeconds = fcm.requestTimeoutSec
        return terms
    }
}
