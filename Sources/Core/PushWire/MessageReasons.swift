internal import PushModel

/// Words with which gateways say that a message itself is at fault: whoever sends it again is told the same.
package enum MessageReasons {
    /// Of all gateways' tables. What a gateway says beyond its table is not among them.
    package static let words: [String] = Set(
        (APNsReasons.rows.map { ($0.wire, $0.verdict) } + APNsBinaryReasons.rows.map { ($0.wire, $0.verdict) }
            + FCMReasons.rows.map { ($0.wire, $0.verdict) }
            + FCMLegacyReasons.rows.map { ($0.wire, $0.verdict) })
            .filter { $0.1.scope == .message && $0.1.schedule == .none && $0.0 != APNsReasons.unknown }
            .map(\.0)
    ).sorted()
}
