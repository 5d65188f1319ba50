internal import Glibc

/// How a testbed is furnished: the engine's settings and the gateway's habits.
package struct TestbedSettings: Sendable {
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

    /// Where the engine keeps what it knows.
    package enum StoreEngine: String, Sendable, CaseIterable { case sqlite, postgresql }

    // The engine.
    package var store = TestbedSettings.usualStore
    package var credential = Credential.token
    /// `uuid`, `integer`; nil: the engine's default.
    package var messageIDFormat: String?
    package var childrenAtStart = 1
    package var children = 1
    /// `maxWaitingMessages`; also the bound on duplicates for each child lost.
    package var capacity = 20_000
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
    /// A file in the testbed's folder that gets a line for each attempt; nil: none.
    package var deliveryLog: String?
    /// Whether the engine has its web module, on any free port; what devices report is recorded then.
    package var web = false
    /// Whether it listens where it listened before it was started again, as devices expect it to.
    package var keepsWebPort = false
    /// More attributes of `web`.
    package var webAttributes = ""
    /// `nmac/@retentionDays`; nil: the engine's own.
    package var retentionDays: Int?
    /// How long a day of retention is; nil: a day.
    package var retentionDaySeconds: Int?
    /// How often an idle master looks for work that nobody told it of.
    package var pollSeconds = 30
    /// When another host's place is taken; nil: after 20 s.
    package var takeOverMilliseconds: Int?
    /// nil: the engine's own.
    package var retry: Retry?
    package var binary = Binary()

    /// `nmac/retry`
    package struct Retry: Sendable {
        package var count: Int
        /// A duration such as `1s`.
        package var period: String
        /// The gateways' own minimum waits are kept.
        package var minimumDelays: Bool

        package init(count: Int, period: String, minimumDelays: Bool) {
            (self.count, self.period, self.minimumDelays) = (count, period, minimumDelays)
        }

        /// Each second, for as long as a message is valid.
        static let eachSecond = Retry(count: 1_000, period: "1s", minimumDelays: false)
    }

    /// `nmac/iosBinary`, where the gateway has that side.
    package struct Binary: Sendable {
        package var unconfirmedFrames = 100_000
        package var confirmAfterSeconds = 1
        package var feedbackPeriodSeconds = 21_600

        package init() {}
    }

    // The gateway.
    package var gateway = Gateway()

    package struct Gateway: Sendable {
        package var streams = 1000
        /// Before every answer.
        package var delayMilliseconds = 0
        /// The text of a rule file.
        package var rules = ""
        package var requiresClientCertificate = false
        /// Bundle ids that are taken, with commas; `*`: any; nil: the account's.
        package var topics: String?
        /// One line a request; what an audit is made from.
        package var keepsLog = true
        /// The second gateway of the same sink; nil: none.
        package var fcm: FCM?
        /// The old binary gateway and its feedback service, also of the same sink; nil: none.
        package var binary: Binary?
        /// Faults that come by themselves; nil: none.
        package var randomFaults: RandomFaults?
        /// Numbers of accepted requests after which the gateway stops until SIGCONT.
        package var stopsAfter: [Int] = []
        /// For measuring: payloads are not parsed and nothing distinct is counted.
        package var isFast = false
        /// Whether requests are counted by the second.
        package var countsSeconds = false
        /// Takes the place of the synthetic gateway, which is not started. nil: none.
        package var external: ExternalGateway?
        /// Keys of APNs that the gateway knows; each makes an account.
        package var providerKeys = 1

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

            package init(streams: Int = 100, delayMilliseconds: Int = 0, rules: String = "") {
                (self.streams, self.delayMilliseconds, self.rules) = (streams, delayMilliseconds, rules)
            }
        }

        package struct Binary: Sendable {
            /// The text of a rule file.
            package var rules = ""

            package init(rules: String = "") { self.rules = rules }
        }

        package struct RandomFaults: Sendable {
            package var seed: UInt64
            /// Names of the sink's faults, with commas; nil: all of them.
            package var faults: String?
            /// Accepted requests between two faults of one port, on average.
            package var every = 500
            /// How long a half-open connection says nothing until it is closed.
            package var silenceMilliseconds = 3_000
            /// The faults of one port; then it is calm. nil: no end.
            package var count: Int?

            package init(seed: UInt64) { self.seed = seed }
        }
    }

    package init(
        store: StoreEngine = TestbedSettings.usualStore, children: Int = 1,
        _ change: (inout TestbedSettings) -> Void = { _ in }
    ) {
        (self.store, self.children, childrenAtStart) = (store, children, children)
        change(&self)
    }

    /// What PUSHMTA_STORE names in the environment, so that every scenario can be told on both engines.
    package static let usualStore: StoreEngine =
        unsafe getenv("PUSHMTA_STORE").flatMap { unsafe StoreEngine(rawValue: String(cString: $0)) }
        ?? .sqlite
}

// MARK: What the engine is told

extension TestbedSettings {
    /// What `dbcnx` says of a store on PostgreSQL.
    /// - Parameters:
    ///   - server: the folder of its socket, or where it can be reached.
    ///   - instanceFolder: of the host.
    static func place(server: String, instanceFolder: String) -> String {
        "<dbcnx provider=\"PostgreSQL\" server=\"\(server)\" login=\"postgres:\(Testbed.database)\""
            + " instanceFolder=\"\(instanceFolder)\"/>"
    }

    /// Where the engine finds a server: `address="127.0.0.1" port="1234"`, by attributes of these names.
    private func listener(
        _ external: GatewayAddress?, else port: Int,
        _ names: (host: String, port: String) = ("address", "port")
    ) -> String {
        "\(names.host)=\"\(external?.host ?? "127.0.0.1")\" \(names.port)=\"\(external?.port ?? port)\""
    }

    static let placeInAFile = #"<dbcnx provider="SQLite" server="var/pushmta.db"/>"#

    /// The text of serverConf.xml: `authority` is the PEM file that vouches for the gateways, `place` the store's.
    func configuration(ports: Testbed.GatewayPorts, authority: String, place: String) -> String {
        let (address, tokens) = (gateway.external?.address, gateway.external?.tokenServer)
        let isTheirs = gateway.external != nil && gateway.external?.certificates == nil
        let gatewayAuthority = isTheirs ? "" : authority
        let relay =
            "<relay \(listener(address, else: ports.apns)) trustedCertsChain=\"\(gatewayAuthority)\"/>"
        let fcm = """
            <fcm \(listener(address, else: ports.fcm)) trustedCertsChain="\(gatewayAuthority)"
                 \(listener(tokens, else: ports.oauth, ("tokenAddress", "tokenPort"))) messagesPerMinute="\(messagesPerMinute)"
                 rampUpSec="\(rampUpSeconds)" requestTimeoutSec="\(requestTimeoutSeconds)"/>
            """
        let old = """
            <iosBinary gateway="127.0.0.1" gatewayPort="\(ports.binary)" feedback="127.0.0.1"
                 feedbackPort="\(ports.feedback)" feedbackPeriodSec="\(binary.feedbackPeriodSeconds)"
                 confirmAfterSec="\(binary.confirmAfterSeconds)" unconfirmedFrames="\(binary.unconfirmedFrames)"
                 trustedCertsChain="\(authority)"/>
            """
        let calendar = retry.map {
            "<retry count=\"\($0.count)\" period=\"\($0.period)\" minimumDelays=\"\($0.minimumDelays)\"/>"
        }
        let retention = retentionDays.map { " retentionDays=\"\($0)\"" } ?? ""
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <serverConf>
              <shared><dataStore><dataSource name="default">
                \(place)
              </dataSource></dataStore></shared>
              <mta autoStart="true" logLevel="\(logLevel)" deliveryLog="\(deliveryLog ?? "")" retryLostMessages="true" verifyMode="\(verifyMode)"
                   workingPath="var/mta">
                <master startSpareServers="\(childrenAtStart)" minSpareServers="0" maxSpareServers="\(children)"
                        dataBasePoolPeriodSec="\(pollSeconds)"/>
                <child maxWaitingMessages="\(capacity)" idleChildTimeoutSec="\(idleChildSeconds)"
                       maxGCMConnectPerChild="\(parallelRequests)"/>
              </mta>
              <nmac useHTTPProxy="false"\(retention)>
                \(relay)
                <iosHTTP2 connectionsPerChild="\(connectionsPerChild)" requestTimeoutSec="\(requestTimeoutSeconds)"/>
                \(gateway.binary == nil ? "" : old)
                \(gateway.fcm == nil ? "" : fcm)
                \(calendar ?? "")
              </nmac>
              <web autoStart="\(web)" bind="127.0.0.1" httpPort="\(keepsWebPort ? ports.web : 0)" \(webAttributes)/>
              <trackinglogd autoStart="\(web)"/>
            </serverConf>

            """
    }
}
