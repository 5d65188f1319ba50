internal import GatewayKit

/// Reason codes with which gateways report that a message itself is at fault. Any client that sends such a
/// message again receives the same answer.
package enum MessageReasons {
    /// The reason codes from all gateways' tables. Codes that are not in a gateway's table are not included.
    package static let words: [String] = Set(ConnectorCatalogue.entries.flatMap(\.permanentReasons)).sorted()
}
