package import PushConfig
package import PushModel
package import PushPayload
package import PushTransport
package import PushWire

/// The properties of a connector that do not depend on an account: its row in the catalogue.
package struct ConnectorEntry: Sendable {
    package typealias Place = (host: String, port: Int)
    package typealias Headers =
        @Sendable (Content, _ bundleID: String, _ expiresAt: WallTime) -> [String: String]
    package typealias Poll =
        @Sendable (AppSettings, OpaqueCredential?, GatewayOrder, ([FeedbackTuple]) -> Void) -> FeedbackEnd

    package let name: ConnectorName
    package let platforms: [Platform]
    package let credentials: [CredentialKind]
    package let make: @Sendable (AccountOrder, TransportLoop, any ConnectorEvents) throws -> any Connector
    /// The page or script by which Campaign's external account names the connector.
    package var campaignPage: String?
    /// The options that serverConf.xml sets for the connector's accounts.
    package var terms: @Sendable (ServerConfiguration) -> ConnectorOptions = { _ in ConnectorOptions() }
    /// The host and port that the connector connects to: those in serverConf.xml if it sets them, and
    /// otherwise the vendor's. `nil` if the connector has no gateway.
    package var gateway: @Sendable (AccountOrder) -> Place? = { _ in nil }
    /// The settings that contain the gateway's address. `nil` if the connector has no gateway.
    package var keys: GatewayKeys?
    /// Further settings that determine the addresses that the connector connects to.
    package var explainPlaces: @Sendable (ExplainedAccount) -> [ExplainedSetting] = { _ in [] }
    /// The settings that determine how fast the connector sends.
    package var explainPace: @Sendable (ExplainedAccount) -> [ExplainedSetting] = { _ in [] }
    /// The settings that determine the number of parallel requests. `nil` if no installation sizes are
    /// calculated for the connector.
    package var window: RequestWindow?
    /// A warning about a setting that the operator who creates an app probably did not intend. `nil` if there
    /// is none.
    package var warning: @Sendable (AppSettings, NMACConfiguration) -> String? = { _, _ in nil }
    /// The time when a credential expires. `nil` if it does not expire.
    package var end: @Sendable (OpaqueCredential) -> WallTime? = { _ in nil }
    /// Starts reading the feedback service. `nil` if the gateway has no feedback service.
    package var readFeedback:
        (@Sendable (AccountOrder, TransportLoop, any FeedbackListener) throws -> any FeedbackReading)?
    /// Reads everything that an app's feedback service sends, and passes the tuples on as they arrive. `nil`
    /// if there is no feedback service.
    package var pollFeedback: Poll?
    /// Changes the usual settings for a connection test, which sends only one message.
    package var testing: @Sendable (GatewayOrder) throws -> GatewayOrder = { $0 }
    /// What a connection test proves to be correct, as a text for display.
    package var testSubject = "the credential"
    /// Returns the topic of messages with this content to an app with this bundle id; `nil` if the gateway
    /// has no topics. The gateway may refuse the messages of one topic and accept those of the account's
    /// other topics.
    package var topic: @Sendable (Content, _ bundleID: String) -> String? = { _, _ in nil }
    /// Creates the payload template of a content for an app. `nil` if the connector has no gateway.
    package var template: (@Sendable (Content, PayloadInputs) throws(PayloadError) -> PayloadTemplate)?
    /// The maximum size of a payload of this content that the gateway accepts, in bytes.
    package var payloadLimitBytes: @Sendable (Content, NMACConfiguration) -> Int = { _, _ in
        usualPayloadLimitBytes
    }
    /// The setting that defines ``payloadLimitBytes``. `nil` if the gateway's vendor defines the limit.
    package var explainPayloadLimit: ExplainedSetting.Property?
    package var content = ContentRules()
    /// The vendors' connectors. For an app on the platform of one of them, its payloads, header fields and
    /// content rules are used. Any other app uses those of this connector.
    package var vendors: [ConnectorEntry] = []
    /// Whether the gateway separates the devices of apps in development from all others.
    package var hasSandbox = false
    /// The data that the gateway receives with a message in addition to the payload, for display.
    package var headers: Headers = { _, _, _ in [:] }
    /// The time for which a payload asks the gateway to keep the message, in seconds.
    package var secondsToLive: @Sendable (_ until: WallTime, _ now: WallTime) -> Int64 = { _, _ in 0 }
    /// Returns a token in the form that a template with a token list requires.
    package var listed: @Sendable (_ token: [UInt8]) -> [UInt8] = { $0 }
    /// The gateway's answers. If two tables contain the same reason code, the first table applies. Empty if
    /// the connector has no gateway.
    package var answers: [AnswerTable] = []

    package init(
        name: ConnectorName, platforms: [Platform], credentials: [CredentialKind],
        make:
            @escaping @Sendable (AccountOrder, TransportLoop, any ConnectorEvents) throws -> any Connector
    ) {
        (self.name, self.platforms, self.credentials, self.make) = (name, platforms, credentials, make)
    }

    /// The payload limit, in bytes, of gateways that do not have their own limit.
    private static let usualPayloadLimitBytes = 4_096

    /// Returns the answer whose reason code is at the beginning of `reason`; `nil` if the gateway has no such
    /// answer.
    package func answer(to reason: String) -> GatewayAnswer? {
        answers.lazy.compactMap { $0.answer(to: reason) }.first
    }

    /// The reason codes that the gateway uses to report that the message itself is at fault. Any client that
    /// sends the message again receives the same answer.
    package var permanentReasons: [String] {
        answers.flatMap(\.answers).filter {
            $0.verdict.scope == .message && $0.verdict.schedule == .none && $0.word != ReasonText.unknown
        }.map(\.word)
    }
}

/// The input for a payload in addition to its content.
package struct PayloadInputs: Sendable {
    package let app: AppSettings
    package let delivery: DeliveryID
    /// Whether the payload contains the ids of the message and the delivery.
    package let tracking: Bool
    package let limitBytes: Int

    package init(app: AppSettings, delivery: DeliveryID, tracking: Bool, limitBytes: Int) {
        (self.app, self.delivery, self.tracking, self.limitBytes) = (app, delivery, tracking, limitBytes)
    }

    /// Creates the input from a child's orders for a job and its account.
    package init(_ job: JobOrder, of account: AccountOrder, limitBytes: Int) {
        var app = AppSettings(
            name: "", platform: job.platform, integrationKey: "", connector: account.connector,
            environment: account.environment, bundleID: job.bundleID, credentialIdentity: "",
            messageIDFormat: job.messageIDFormat)
        app.variables = job.variables
        self.init(app: app, delivery: job.delivery, tracking: job.tracking, limitBytes: limitBytes)
    }
}

/// A kind of credential. Each connector lists the kinds that its apps may have.
package enum CredentialKind: String, Sendable, CaseIterable {
    case apnsToken, apnsCertificate, fcmServiceAccount, fcmProjectKey, none

    /// The kind of a stored credential, derived from its identity (`APNsCredential`, `FCMCredential`); `nil`
    /// if the identity belongs to a connector that this version does not have.
    package init?(identity: String) {
        switch identity.split(separator: ":", maxSplits: 1).first {
        case "token": self = .apnsToken
        case "certificate": self = .apnsCertificate
        case "project": self = .fcmServiceAccount
        case "projectkey": self = .fcmProjectKey
        case nil: self = .none
        default: return nil
        }
    }
}
