/// The gateway environment that a token belongs to.
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

/// The format of `_mId`: the form in which a message's number is sent to devices.
package enum MessageIDFormat: String, Sendable, CaseIterable {
    /// An opaque text of the form 8-4-4-4-12 that identifies the delivery and the message.
    case uuid
    /// An integer from 1 to 2³¹ − 1, for apps that parse one: the message's number within its delivery,
    /// encrypted.
    case integer
    /// The message's unencrypted number within its delivery. In stores up to schema 11, `integer` had this
    /// meaning. Deliveries that were submitted with this format keep it, but apps cannot choose it.
    case number

    /// The formats that an app may choose.
    package static let allCases: [MessageIDFormat] = [.uuid, .integer]
}
