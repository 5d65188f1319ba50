package import PushConfig
package import PushWire

/// A receiver that the operator provides: `nmac/custom`.
package struct CustomConfiguration: GatewaySection {
    /// The receiver's URL. Empty if there is no receiver.
    package var url = ""
    package var secretFile: String?
    /// See the corresponding setting of the APNs relay.
    package var trustedCertsChain: String?
    package var batchMessages = 100
    package var parallelRequests = 4
    package var requestTimeoutSec = 30
    /// The quota of the receiver, in messages per minute. 0 means no limit.
    package var messagesPerMinute = 0

    /// The address in `url`; `nil` if there is no receiver.
    package var address: HTTPAddress? { try? HTTPAddress(url) }

    package init() {}
}

extension NMACConfiguration {
    package var custom: CustomConfiguration {
        get { gateways[CustomConfiguration.self] }
        set { gateways[CustomConfiguration.self] = newValue }
    }
}

extension GatewayDeclaration {
    /// The declaration of `nmac/custom`.
    package static let custom = GatewayDeclaration(
        keys:
            ConfigurationKey.element(
                "nmac/custom",
                [
                    .init(
                        "url", \.nmac.custom.url, .receiver, .ours,
                        """
                        The URL of a receiver of message batches, as described in CustomConnector.md: \
                        https, or http on this machine.
                        """
                    ),
                    .init(
                        "secretFile", \.nmac.custom.secretFile, .optionalPath, .ours,
                        "A file of mode 600 whose first line is sent with every request as a bearer token."),
                    .init(
                        "trustedCertsChain", \.nmac.custom.trustedCertsChain, .optionalPath, .ours,
                        "A PEM file of the certificate authorities that are trusted for this gateway. Empty: "
                            + "the system's authorities."),
                    .init(
                        "batchMessages", \.nmac.custom.batchMessages, .count(1...CustomBatch.maxMessages),
                        .ours, "The maximum number of messages in a request."),
                    .init(
                        "parallelRequests", \.nmac.custom.parallelRequests, .count(1...1_000), .ours,
                        "The maximum number of requests in flight, in each child."),
                    .init(
                        "requestTimeoutSec", \.nmac.custom.requestTimeoutSec, .seconds(1...3_600), .ours,
                        "The time after which a request without an answer is abandoned and tried again."),
                    .init(
                        "messagesPerMinute", \.nmac.custom.messagesPerMinute, .count(0...100_000_000), .ours,
                        "The receiver's quota for all children together. 0: no limit."),
                ]))
}

extension SettingKind where Value == String {
    fileprivate static var receiver: Self {
        .text(
            "URL",
            allowed:
                "an https URL, or an http URL of localhost, 127.0.0.1 or [::1], without user and fragment"
        ) { (try? HTTPAddress($0)) != nil }
    }
}
