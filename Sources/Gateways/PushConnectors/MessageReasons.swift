internal import GatewayKit

/// Words with which gateways say that a message itself is at fault: whoever sends it again is told the same.
package enum MessageReasons {
    /// Of all gateways' tables. What a gateway says beyond its table is not among them.
    package static let words: [String] = Set(ConnectorCatalogue.entries.flatMap(\.hopelessWords)).sorted()
}
