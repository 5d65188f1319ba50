/// How a house is furnished: the engine's settings and the gateway's habits.
package struct HouseSettings: Sendable {
    package enum Credential: Sendable {
        /// The .p8 key.
        case token
        /// A client certificate as PEM.
        case certificate
        /// The same as PKCS#12 in today's encryption, with its password in a file.
        case pkcs12
        /// The same as a keychain exports it: RC2-40.
        case pkcs12OfAKeychain
    }

    // The engine.
    package var credential = Credential.token
    /// `uuid`, `integer`; nil: the engine's default.
    package var messageIDFormat: String?
    package var childrenAtStart = 1
    package var children = 1
    /// `maxWaitingMessages`; also the bound on duplicates for each child lost.
    package var room = 20_000
    package var idleChildSeconds = 60
    package var requestTimeoutSeconds = 30
    package var connectionsPerChild = 1
    package var verifyMode = false
    /// `maxGCMConnectPerChild`
    package var parallelRequests = 8
    /// To FCM; 0: no quota.
    package var messagesPerMinute = 0
    package var rampUpSeconds = 0
    package var logLevel = 2

    // The gateway.
    package var gateway = Gateway()

    package struct Gateway: Sendable {
        package var streams = 1000
        /// Before every answer.
        package var delayMilliseconds = 0
        /// The text of a rule file.
        package var rules = ""
        package var requiresClientCertificate = false
        /// One line a request; what a ledger is made from.
        package var keepsLog = true
        /// The second gateway of the same sink; nil: none.
        package var fcm: FCM?
        /// For measuring: payloads are not parsed and nothing distinct is counted.
        package var isFast = false

        package init() {}

        package struct FCM: Sendable {
            package var streams = 100
            /// Before every answer.
            package var delayMilliseconds = 0
            /// The texts of rule files.
            package var rules = ""
            package var oauthRules = ""
            /// How long an access token is good.
            package var tokenSeconds = 3600

            package init() {}
        }
    }

    package init() {}

    /// The text of serverConf.xml. `authority` is the PEM file of whoever vouches for the gateways.
    func configuration(ports: House.GatewayPorts, authority: String) -> String {
        let fcm = """
            <fcm address="127.0.0.1" port="\(ports.fcm)" trustedCertsChain="\(authority)"
                 tokenAddress="127.0.0.1" tokenPort="\(ports.oauth)" messagesPerMinute="\(messagesPerMinute)"
                 rampUpSec="\(rampUpSeconds)" requestTimeoutSec="\(requestTimeoutSeconds)"/>
            """
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <serverConf>
              <shared><dataStore><dataSource name="default">
                <dbcnx provider="SQLite" server="var/pushmta.db"/>
              </dataSource></dataStore></shared>
              <mta autoStart="true" logLevel="\(logLevel)" retryLostMessages="true" verifyMode="\(verifyMode)"
                   workingPath="var/mta">
                <master startSpareServers="\(childrenAtStart)" minSpareServers="0" maxSpareServers="\(children)"
                        dataBasePoolPeriodSec="30"/>
                <child maxWaitingMessages="\(room)" idleChildTimeoutSec="\(idleChildSeconds)"
                       maxGCMConnectPerChild="\(parallelRequests)"/>
              </mta>
              <nmac useHTTPProxy="false">
                <relay address="127.0.0.1" port="\(ports.apns)" trustedCertsChain="\(authority)"/>
                <iosHTTP2 connectionsPerChild="\(connectionsPerChild)" requestTimeoutSec="\(requestTimeoutSeconds)"/>
                \(gateway.fcm == nil ? "" : fcm)
              </nmac>
              <web autoStart="false" bind="127.0.0.1" httpPort="0"/>
            </serverConf>

            """
    }
}
