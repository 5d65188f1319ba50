/// A number that identifies one object within one life of the master, including on the link to its children.
/// Each kind of object has its own type, so an account's number cannot be passed in place of a grant's.
package protocol LinkIdentifier: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible
where RawValue == UInt32 {
    init(rawValue: UInt32)
}

// Inlinable, because children compare such numbers for each message, in other modules.
extension LinkIdentifier {
    @inlinable package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    package var description: String { String(rawValue) }
    /// The id of the only object of its kind, for use without a master.
    package static var only: Self { Self(rawValue: 1) }
}

/// A child within this life of the master. Never reused, so a report about a dead child cannot be mistaken
/// for a report about its successor.
package struct ChildID: LinkIdentifier {
    package let rawValue: UInt32
    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }
    package var description: String { "child \(rawValue)" }
}

/// One transfer of messages to one child.
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

/// The combination of connector, endpoint, environment and credential. Each account has its own quota,
/// breaker and connections.
package struct AccountID: LinkIdentifier {
    package let rawValue: UInt32
    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }
    package var description: String { "account \(rawValue)" }
}
