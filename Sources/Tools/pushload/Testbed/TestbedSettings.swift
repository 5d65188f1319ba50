internal import Glibc

/// The configuration of a testbed: the engine's settings and the gateway's behaviour.
package struct TestbedSettings: Sendable {
    package enum Credential: Sendable {
        /// Token authentication with the .p8 key.
        case token
        /// A client certificate as PEM.
        case certificate
        /// The client certificate as PKCS#12 with modern encryption, with its password in a file.
        case pkcs12
        /// The client certificate in the form that a keychain exports, encrypted with RC2-40.
        case pkcs12OfAKeychain
    }

    /// The database engines that can hold the store.
    package enum StoreEngine: String, Sendable, CaseIterable { case sqlite, postgresql }

    // The settings of the engine.
    package var store = TestbedSettings.usualStore
    package var credential = Credential.token
    /// `uuid` or `integer`; `nil` for the engine's default.
    package var messageIDFormat: String?
    package var childrenAtStart = 1
    package var children = 1
    /// `maxWaitingMessages`, which is also the maximum number of duplicates for each lost child.
    package var capacity = 20_000
    package var idleChildSeconds = 60
    package var requestTimeoutSeconds = 30
    package var connectionsPerChild = 1
    package var verifyMode = false
    /// The value of `maxGCMConnectPerChild`.
    package var parallelRequests = 8
    /// The value of `maxGCMConnectPerAccount`; 0 means no limit for an account.
    package var parallelRequestsOfAccount = 0
    /// The quota for messages to FCM; 0 means no quota.
    package var messagesPerMinute = 0
    package var rampUpSeconds = 0
    package var logLevel = 2
    /// A file in the testbed's folder to which the engine writes a line for each attempt; `nil` for no such
    /// file.
    package var deliveryLog: String?
    /// Whether the engine runs its web module, which listens on any free port and records reports from
    /// devices.
    package var web = false
    /// Whether the web module listens on the same port after a restart, as devices expect.
    package var keepsWebPort = false
    /// Additional attributes of `web`.
    package var webAttributes = ""
    /// `nmac/@retentionDays`; `nil` for the engine's default.
    package var retentionDays: Int?
    /// The length of a day of retention; `nil` for a real day.
    package var retentionDaySeconds: Int?
    /// The interval at which an idle master looks for work without a notification, in seconds.
    package var pollSeconds = 30
    /// The time after which another host's place is taken over; `nil` for 20 s.
    package var takeOverMilliseconds: Int?
    /// The retry settings; `nil` for the engine's default.
    package var retry: Retry?
    package var binary = Binary()

    /// The settings of `nmac/retry`.
    package struct Retry: Sendable {
        package var count: Int
        /// A duration such as `1s`.
        package var period: String
        /// Whether the gateways' own minimum waits are observed.
        package var minimumDelays: Bool

        package init(count: Int, period: String, minimumDelays: Bool) {
            (self.count, self.period, self.minimumDelays) = (count, period, minimumDelays)
        }

        /// One retry per second, for as long as a message is valid.
        static let eachSecond = Retry(count: 1_000, period: "1s", minimumDelays: false)
    }

    /// The settings of `nmac/iosBinary`, used if the sink has the binary gateway.
    package struct Binary: Sendable {
        package var unconfirmedFrames = 100_000
        package var confirmAfterSeconds = 1
        package var feedbackPeriodSeconds = 21_600

        package init() {}
    }

    // The settings of the gateway.
    package var gateway = Gateway()

    package struct Gateway: Sendable {
        package var streams = 1000
        /// The delay before every answer.
        package var delayMilliseconds = 0
        /// The text of a rule file.
        package var rules = ""
        package var requiresClientCertificate = false
        /// The accepted bundle ids, separated by commas. `*` accepts any; `nil` accepts only the account's
        /// bundle id.
        package var topics: String?
        /// Whether the gateway keeps a log with one line per request, on which audits are based.
        package var keepsLog = true
        /// The second gateway of the same sink; `nil` for none.
        package var fcm: FCM?
        /// The old binary gateway and its feedback service, which are part of the same sink; `nil` for none.
        package var binary: Binary?
        /// Random faults; `nil` for none.
        package var randomFaults: RandomFaults?
        /// The numbers of accepted requests after which the gateway stops until SIGCONT.
        package var stopsAfter: [Int] = []
        /// Whether the gateway neither parses payloads nor counts distinct values, for measurements.
        package var isFast = false
        /// Whether requests are counted per second.
        package var countsSeconds = false
        /// The gateway to which the engine sends instead of the synthetic gateway. If this is `nil`, the
        /// synthetic gateway is started and used.
        package var external: ExternalGateway?
        /// The number of APNs keys that the gateway knows. Each key results in an account.
        package var providerKeys = 1

        package init() {}

        package struct FCM: Sendable {
            package var streams = 100
            /// The delay before every answer.
            package var delayMilliseconds = 0
            /// The text of a rule file.
            package var rules = ""
            package var oauthRules = ""
            /// The lifetime of an access token.
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
            /// The names of the sink's faults, separated by commas; `nil` for all of them.
            package var faults: String?
            /// The average number of accepted requests between two faults of one port.
            package var every = 500
            /// How long a half-open connection is silent before it is closed.
            package var silenceMilliseconds = 3_000
            /// The maximum number of faults on one port; `nil` for no limit.
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

    /// The database engine that the environment variable PUSHMTA_STORE names. With this variable, every
    /// scenario can run on both database engines.
    package static let usualStore: StoreEngine =
        unsafe getenv("PUSHMTA_STORE").flatMap { unsafe StoreEngine(rawValue: String(cString: $0)) }
        ?? .sqlite
}

// MARK: Configuration of the engine

extension TestbedSettings {
    /// Returns the `dbcnx` element of a store on PostgreSQL.
    /// - Parameters:
    ///   - server: The folder of the server's socket, or its address.
    ///   - instanceFolder: The instance folder of the host.
    static func place(server: String, instanceFolder: String) -> String {
        "<dbcnx provider=\"PostgreSQL\" server=\"\(server)\" login=\"postgres:\(Testbed.database)\""
            + " instanceFolder=\"\(instanceFolder)\"/>"
    }

    /// Returns the attributes that contain the address of a server, such as `address="127.0.0.1"
    /// port="1234"`. `names` contains the names of the attributes.
    private func listener(
        _ external: GatewayAddress?, else port: Int,
        _ names: (host: String, port: String) = ("address", "port")
    ) -> String {
        "\(names.host)=\"\(external?.host ?? "127.0.0.1")\" \(names.port)=\"\(external?.port ?? port)\""
    }

    static let placeInAFile = #"<dbcnx provider="SQLite" server="var/pushmta.db"/>"#

    /// Returns the text of serverConf.xml. `authority` is the PEM file with the authority of the gateways'
    /// certificates, and `place` is the element that describes the store.
    func configuration(ports: Testbed.GatewayPorts, authority: String, place: String) -> String {
        let (address, tokens) = (gateway.external?.address, gateway.external?.tokenServer)
        let isTheirs = gateway.external != nil && gateway.external?.certificates == nil
        let gatewayAuthority = isTheirs ? "" : authority
        let relay =
            "<relay \(listener(address, else: ports.apns)) trustedCertsChain=\"\(gatewayAuthority)\"/>"
        let fcm = """
            <fcm \(listener(address, else: ports.fcm)) trustedCertsChain="\(gatewayAuthority)"
                 \(listener(tokens, else: ports.oauth, ("tokenAddress", "tokenPort")))
                 messagesPerMinute="\(messagesPerMinute)"
                 rampUpSec="\(rampUpSeconds)" requestTimeoutSec="\(requestTimeoutSeconds)"/>
            """
        let old = """
            <iosBinary gateway="127.0.0.1" gatewayPort="\(ports.binary)" feedback="127.0.0.1"
                 feedbackPort="\(ports.feedback)" feedbackPeriodSec="\(binary.feedbackPeriodSeconds)"
                 confirmAfterSec="\(binary.confirmAfterSeconds)"
                 unconfirmedFrames="\(binary.unconfirmedFrames)"
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
              <mta autoStart="true" logLevel="\(logLevel)" deliveryLog="\(deliveryLog ?? "")"
              retryLostMessages="true" verifyMode="\(verifyMode)"
                   workingPath="var/mta">
                <master startSpareServers="\(childrenAtStart)" minSpareServers="0"
                maxSpareServers="\(children)"
                        dataBasePoolPeriodSec="\(pollSeconds)"/>
                <child maxWaitingMessages="\(capacity)" idleChildTimeoutSec="\(idleChildSeconds)"
                       maxGCMConnectPerChild="\(parallelRequests)"
                       maxGCMConnectPerAccount="\(parallelRequestsOfAccount)"/>
              </mta>
              <nmac useHTTPProxy="false"\(retention)>
                \(relay)
                <iosHTTP2 connectionsPerChild="\(connectionsPerChild)"
                requestTimeoutSec="\(requestTimeoutSeconds)"/>
                \(gateway.binary == nil ? "" : old)
                \(gateway.fcm == nil ? "" : fcm)
                \(calendar ?? "")
              </nmac>
              <web autoStart="\(web)" bind="127.0.0.1" httpPort="\(keepsWebPort ? ports.web : 0)"
              \(webAttributes)/>
              <trackinglogd autoStart="\(web)"/>
            </serverConf>

            """
    }
}
