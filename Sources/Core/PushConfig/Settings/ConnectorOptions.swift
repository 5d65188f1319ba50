package import PushModel

/// The settings in serverConf.xml that apply to the accounts of one connector.
package struct ConnectorOptions: Equatable, Sendable {
    /// The quota that a gateway grants to each account.
    package struct Quota: Equatable, Sendable {
        package var messagesPerMinute: Int
        /// The time, in seconds, in which an idle account reaches its full rate. 0 means immediately.
        package var rampUpSeconds: Int

        package init(messagesPerMinute: Int, rampUpSeconds: Int) {
            (self.messagesPerMinute, self.rampUpSeconds) = (messagesPerMinute, rampUpSeconds)
        }
    }

    /// The gateway's own host; an empty text if the connector has no gateway. If ``address`` is empty, this
    /// host is compared with the proxy exceptions.
    package var ownHost = ""
    /// The host that replaces the gateway's own; empty if no host does.
    package var address = ""
    package var port = 443
    /// A PEM file with the authorities to trust in place of the system's. `nil` means the system's.
    package var trustedCertsChain: String?
    /// A file whose first line is the secret that all senders present to the gateway. `nil` if there is none.
    package var secretFile: String?
    /// The gateway's own settings for a child: a JSON object that the connector reads. Empty if there are
    /// none.
    package var settings: [UInt8] = []
    /// The quota of an account; `nil` means no limit.
    package var quota: Quota?
    /// The maximum number of an account's messages that a child may have in addition to the child's capacity.
    /// `nil` if the account has no separate capacity.
    package var ownCapacity: Int?
    /// The maximum wait for an answer, in seconds. For a gateway whose silence means acceptance, this is the
    /// duration of silence that means acceptance.
    package var answerSeconds = 0
    /// Whether the gateway reports a bad token immediately but accepts a good token only by silence. If the
    /// connection ends during the silence, the message to the good token has no answer, whereas a message to
    /// a bad token has already been rejected.
    package var acceptancesArriveLate = false
    /// The interval between two readings of the gateway's feedback service, in seconds. `nil` if there is no
    /// such service.
    package var feedbackPeriodSeconds: Int?

    package init() {}
}

/// A connector as the engine knows it: its row in the catalogue, for code that must not depend on particular
/// gateways.
package struct ConnectorRow: Sendable {
    package let name: ConnectorName
    package let terms: @Sendable (ServerConfiguration) -> ConnectorOptions
    /// Returns the topic of messages with this content to an app with this bundle id, or `nil` if such
    /// messages have no topic. The gateway judges messages by their topic in addition to their account.
    package let topic: @Sendable (_ contentJSON: [UInt8], _ bundleID: String) -> String?
    /// Reports whether the gateway is asked only to validate messages with this content for this platform,
    /// and not to deliver them.
    package let validatesOnly: @Sendable (_ contentJSON: [UInt8], Platform) -> Bool
    /// Returns the meaning of a gateway's reason and what to do about it, in sentences for an operator, or
    /// `nil` if the gateway does not use this reason.
    package let explanation: @Sendable (_ reason: String) -> String?

    package init(
        _ name: ConnectorName, terms: @escaping @Sendable (ServerConfiguration) -> ConnectorOptions,
        topic: @escaping @Sendable (_ contentJSON: [UInt8], _ bundleID: String) -> String?,
        validatesOnly: @escaping @Sendable (_ contentJSON: [UInt8], Platform) -> Bool,
        explanation: @escaping @Sendable (_ reason: String) -> String?
    ) {
        (self.name, self.terms, self.topic) = (name, terms, topic)
        (self.validatesOnly, self.explanation) = (validatesOnly, explanation)
    }
}

extension [ConnectorRow] {
    /// Returns the longest wait for an answer from any gateway, in seconds.
    package func slowestAnswerSeconds(_ configuration: ServerConfiguration) -> Int {
        map { $0.terms(configuration).answerSeconds }.max() ?? 0
    }

    /// Returns the shortest interval at which a feedback service is read, in seconds, or `nil` if no gateway
    /// has such a service.
    package func feedbackPeriodSeconds(_ configuration: ServerConfiguration) -> Int? {
        compactMap { $0.terms(configuration).feedbackPeriodSeconds }.min()
    }
}
