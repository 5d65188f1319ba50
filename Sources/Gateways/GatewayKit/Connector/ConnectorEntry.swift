package import PushConfig
package import PushModel
package import PushPayload
package import PushTransport
package import PushWire

/// What is known of a connector before any account uses it: its row of the catalogue.
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
    /// Campaign's name for the page or script that the external account names.
    package var campaignPage: String?
    /// What serverConf.xml means for its accounts.
    package var terms: @Sendable (ServerConfiguration) -> ConnectorTerms = { _ in ConnectorTerms() }
    /// The host and port that the connector connects to, override or not. nil: it has no gateway.
    package var gateway: @Sendable (AccountOrder) -> Place? = { _ in nil }
    /// nil: it has no gateway.
    package var keys: GatewayKeys?
    /// Further settings of where it connects to, and of how fast it sends.
    package var explainPlaces: @Sendable (ExplainedAccount) -> [ExplainedSetting] = { _ in [] }
    package var explainPace: @Sendable (ExplainedAccount) -> [ExplainedSetting] = { _ in [] }
    /// nil: its installations are not sized.
    package var window: RequestWindow?
    /// What an operator who makes such an app probably does not mean. nil: nothing.
    package var warning: @Sendable (AppSettings, NMACConfiguration) -> String? = { _, _ in nil }
    /// When a credential ends by itself. nil: it does not.
    package var end: @Sendable (OpaqueCredential) -> WallTime? = { _ in nil }
    /// Begins to read the feedback service. nil: there is none.
    package var readFeedback:
        (@Sendable (AccountOrder, TransportLoop, any FeedbackListener) throws -> any FeedbackReading)?
    /// Reads an app's feedback service from beginning to end, and is given the tuples as they come. nil: there is none.
    package var pollFeedback: Poll?
    /// The settings for the only message of a connection test, if they are others than usual.
    package var testing: @Sendable (GatewayOrder) throws -> GatewayOrder = { $0 }
    /// What a connection test shows to be right, for people.
    package var testSubject = "the credential"
    /// What the gateway judges messages of this content to an app with this bundle id by, beside their account. nil:
    /// nothing.
    package var topic: @Sendable (Content, _ bundleID: String) -> String? = { _, _ in nil }
    /// Makes the payload of a content for an app. nil: the connector connects to nobody.
    package var template: (@Sendable (Content, PayloadTerms) throws(PayloadError) -> PayloadTemplate)?
    /// Bytes of a payload of this content that the gateway takes.
    package var payloadLimitBytes: @Sendable (Content) -> Int = { _ in usualPayloadLimitBytes }
    package var content = ContentRules()
    /// Connectors whose payloads, header fields and rules of contents apps of their platforms have; others have its own.
    package var vendors: [ConnectorEntry] = []
    /// Whether the gateway keeps devices of apps in development apart from all others.
    package var hasSandbox = false
    /// What the gateway receives of a message beside its payload, for people.
    package var headers: Headers = { _, _, _ in [:] }
    /// What a payload says that the gateway is to keep the message.
    package var secondsToLive: @Sendable (_ until: WallTime, _ now: WallTime) -> Int64 = { _, _ in 0 }
    /// A token as a template that takes a list of tokens gets it.
    package var listed: @Sendable (_ token: [UInt8]) -> [UInt8] = { $0 }
    /// Words with which the gateway says that a message itself is at fault.
    package var hopelessWords: [String] = []

    package init(
        name: ConnectorName, platforms: [Platform], credentials: [CredentialKind],
        make:
            @escaping @Sendable (AccountOrder, TransportLoop, any ConnectorEvents) throws -> any Connector
    ) {
        (self.name, self.platforms, self.credentials, self.make) = (name, platforms, credentials, make)
    }

    /// What gateways take that have no limit of their own.
    private static let usualPayloadLimitBytes = 4_096

    /// The words of a gateway's table that say so, whoever sends the message again.
    package static func hopeless(_ rows: [(word: String, verdict: Verdict)]) -> [String] {
        rows.filter { $0.verdict.scope == .message && $0.verdict.schedule == .none }.map(\.word)
            .filter { $0 != GatewayWords.unknown }
    }
}

/// What a payload is made of beside its content.
package struct PayloadTerms: Sendable {
    package let app: AppSettings
    package let delivery: DeliveryID
    /// Whether the ids of message and delivery are sent.
    package let tracking: Bool
    package let limitBytes: Int

    package init(app: AppSettings, delivery: DeliveryID, tracking: Bool, limitBytes: Int) {
        (self.app, self.delivery, self.tracking, self.limitBytes) = (app, delivery, tracking, limitBytes)
    }

    /// From what a child knows of a delivery and its app.
    package init(_ job: JobOrder, of account: AccountOrder, limitBytes: Int) {
        var app = AppSettings(
            name: "", platform: job.platform, integrationKey: "", connector: account.connector,
            environment: account.environment, bundleID: job.bundleID, credentialIdentity: "",
            messageIDFormat: job.messageIDFormat)
        app.variables = job.variables
        self.init(app: app, delivery: job.delivery, tracking: job.tracking, limitBytes: limitBytes)
    }
}

/// A credential that an app of a connector may have.
package enum CredentialKind: String, Sendable, CaseIterable {
    case apnsToken, apnsCertificate, fcmServiceAccount, fcmProjectKey, none

    /// The kind of a stored credential, which its identity shows (`APNsCredential`, `FCMCredential`);
    /// nil: of a connector that this version does not have.
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
