/// Which of a gateway's two worlds a token belongs to.
package enum PushEnvironment: String, Sendable, CaseIterable {
    case sandbox, production
}

/// What an app calls its connector, in Campaign's words. The catalogue of those that exist is
/// PushConnectors'.
package struct ConnectorName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }

    /// APNs' ended binary protocol, by certificate: private gateways and test benches still speak it.
    package static let ios = ConnectorName(rawValue: "ios")
    /// APNs over HTTP/2, by token or certificate.
    package static let iosHTTP2 = ConnectorName(rawValue: "iosHTTP2")
    /// FCM, one request at a time.
    package static let androidPushConnector = ConnectorName(rawValue: "androidPushConnector")
    /// FCM, several requests at a time.
    package static let androidPushConnectorV2 = ConnectorName(rawValue: "androidPushConnectorV2")
    /// Accepts everything and sends nothing.
    package static let stub = ConnectorName(rawValue: "stub")
}

/// How an app's messages are numbered towards the device: what `_mId` looks like.
package enum MessageIDFormat: String, Sendable, CaseIterable {
    /// An opaque 8-4-4-4-12 text that names delivery and message.
    case uuid
    /// An integer from 1 to 2³¹ − 1, for apps that parse one: the message's number within its delivery,
    /// encrypted.
    case integer
    /// The message's number within its delivery as it is: what `integer` was in stores of schema 11 and
    /// before. What was submitted so keeps it; no app can choose it.
    case number

    /// What an app may choose.
    package static let allCases: [MessageIDFormat] = [.uuid, .integer]
}
