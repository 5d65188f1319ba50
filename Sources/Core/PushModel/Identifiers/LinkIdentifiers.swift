/// A number that names one thing in one life of the master, on the link to its children too: an account's
/// cannot be passed where a grant's is wanted.
package protocol LinkIdentifier: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible
where RawValue == UInt32 {
    init(rawValue: UInt32)
}

// Inlinable: children compare them for each message, from other modules.
extension LinkIdentifier {
    @inlinable package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    package var description: String { String(rawValue) }
    /// Where there is one of its kind and no master.
    package static var only: Self { Self(rawValue: 1) }
}

/// A child of this master's life; never used twice, so that news of a dead one cannot be taken for its
/// successor's.
package struct ChildID: LinkIdentifier {
    package let rawValue: UInt32
    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }
    package var description: String { "child \(rawValue)" }
}

/// One handing of messages to one child.
package struct GrantID: LinkIdentifier {
    package let rawValue: UInt32
    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }
    package var description: String { "grant \(rawValue)" }
}

/// One delivery to one app, as children know it.
package struct JobID: LinkIdentifier {
    package let rawValue: UInt32
    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }
    package var description: String { "job \(rawValue)" }
}

/// Connector, endpoint, environment and credential together: what has its own quota, breaker and connections.
package struct AccountID: LinkIdentifier {
    package let rawValue: UInt32
    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }
    package var description: String { "account \(rawValue)" }
}
