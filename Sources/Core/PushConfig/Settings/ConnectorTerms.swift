package import PushModel

/// What serverConf.xml means for the accounts of one connector.
package struct ConnectorTerms: Equatable, Sendable {
    /// What a gateway grants to each account.
    package struct Quota: Equatable, Sendable {
        package var messagesPerMinute: Int
        /// Time in which a silent account comes to its full rate. 0: at once.
        package var rampUpSeconds: Int

        package init(messagesPerMinute: Int, rampUpSeconds: Int) {
            (self.messagesPerMinute, self.rampUpSeconds) = (messagesPerMinute, rampUpSeconds)
        }
    }

    /// The gateway's own host, by which the exceptions from the proxy are asked if ``address`` is empty. Empty: the
    /// connector has no gateway.
    package var ownHost = ""
    /// The host in place of the gateway's own. Empty: there is none.
    package var address = ""
    package var port = 443
    /// PEM file of the authorities to trust in place of the system's. nil: the system's.
    package var trustedCertsChain: String?
    /// File with the secret that all senders show to the gateway; its first line counts. nil: there is none.
    package var secretFile: String?
    /// The gateway's own settings for a child: a JSON object that the connector reads. Empty: it has none.
    package var settings: [UInt8] = []
    /// nil: no limit.
    package var quota: Quota?
    /// Messages that a child may hold of an account beside its own capacity. nil: none.
    package var ownCapacity: Int?
    /// The longest wait for an answer; of a gateway whose silence means acceptance, the silence.
    package var answerSeconds = 0
    /// Whether the gateway reports a bad token at once but a good one only by its silence. If a connection ends
    /// before that, a good message has no answer, while a bad one had its own.
    package var acceptancesArriveLate = false
    /// Time between two readings of the gateway's feedback service. nil: it has none.
    package var feedbackPeriodSeconds: Int?

    package init() {}
}

/// How the engine knows a connector: what its row of the catalogue says to those that must not know gateways.
package struct ConnectorRow: Sendable {
    package let name: ConnectorName
    package let terms: @Sendable (ServerConfiguration) -> ConnectorTerms
    /// What the gateway judges messages of this content to an app with this bundle id by, beside their account. nil:
    /// nothing.
    package let topic: @Sendable (_ contentJSON: [UInt8], _ bundleID: String) -> String?
    /// Whether the gateway is asked to validate messages of this content to this platform without delivering
    /// them.
    package let validatesOnly: @Sendable (_ contentJSON: [UInt8], Platform) -> Bool

    package init(
        _ name: ConnectorName, terms: @escaping @Sendable (ServerConfiguration) -> ConnectorTerms,
        topic: @escaping @Sendable (_ contentJSON: [UInt8], _ bundleID: String) -> String?,
        validatesOnly: @escaping @Sendable (_ contentJSON: [UInt8], Platform) -> Bool
    ) {
        (self.name, self.terms, self.topic) = (name, terms, topic)
        self.validatesOnly = validatesOnly
    }
}

extension [ConnectorRow] {
    /// The longest wait for an answer of any gateway.
    package func slowestAnswerSeconds(_ configuration: ServerConfiguration) -> Int {
        map { $0.terms(configuration).answerSeconds }.max() ?? 0
    }

    /// The shortest of the periods in which feedback services are read; nil: no gateway has one.
    package func feedbackPeriodSeconds(_ configuration: ServerConfiguration) -> Int? {
        compactMap { $0.terms(configuration).feedbackPeriodSeconds }.min()
    }
}
