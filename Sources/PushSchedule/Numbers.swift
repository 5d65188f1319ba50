/// A child of this master's life; never used twice, so that news of a dead one cannot be taken for its
/// successor's.
package struct ChildID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    package var description: String { "child \(rawValue)" }
}

/// One handing of messages to one child.
package struct GrantID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    package var description: String { "grant \(rawValue)" }
}

/// Connector, endpoint, environment and credential together: what has its own quota, breaker and connections.
package struct AccountID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    package var description: String { "account \(rawValue)" }
}
