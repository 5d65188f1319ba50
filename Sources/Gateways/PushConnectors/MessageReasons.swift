internal import GatewayKit

/// The reason codes that gateways use to report that the message itself is at fault. Any client that sends
/// such a message again receives the same answer.
package enum MessageReasons {
    /// The reason codes from all gateways' tables. Codes that are in none of the tables are not included.
    package static let words: [String] = Set(ConnectorCatalogue.entries.flatMap(\.permanentReasons)).sorted()
}
