/// The environment of a gateway to which a token belongs.
package enum PushEnvironment: String, Sendable, CaseIterable {
    case sandbox, production
}

/// The name of an app's connector, in Campaign's terms. PushConnectors contains the catalogue of existing
/// connectors.
package struct ConnectorName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }

    /// APNs' discontinued binary protocol, with a certificate. Private gateways and test benches still use
    /// it.
    package static let ios = ConnectorName(rawValue: "ios")
    /// APNs over HTTP/2, with a token or a certificate.
    package static let iosHTTP2 = ConnectorName(rawValue: "iosHTTP2")
    /// FCM, one request at a time.
    package static let androidPushConnector = ConnectorName(rawValue: "androidPushConnector")
    /// FCM, several requests at a time.
    package static let androidPushConnectorV2 = ConnectorName(rawValue: "androidPushConnectorV2")
    /// Accepts everything and sends nothing.
    package static let stub = ConnectorName(rawValue: "stub")
}

/// The form in which devices see the number of an app's message: the format of `_mId`.
package enum MessageIDFormat: String, Sendable, CaseIterable {
    /// An opaque text of the form 8-4-4-4-12 that identifies the delivery and the message.
    case uuid
    /// An integer from 1 to 2³¹ − 1, for apps that parse one: the message's number within its delivery,
    /// encrypted.
    case integer
    /// The unencrypted number of the message within its delivery, which `integer` meant in stores up to
    /// schema 11. Deliveries that were submitted with it keep it. Apps cannot choose it.
    case number

    /// The formats that an app may choose.
    package static let allCases: [MessageIDFormat] = [.uuid, .integer]
}
