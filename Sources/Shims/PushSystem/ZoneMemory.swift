package import PushModel

/// Zones that were recently requested, and names that no zone has.
///
/// **Promises.** The memory is bounded, whatever names are requested. Everything is forgotten a minute after
/// the first name was noted, so that a new version of the database is read. Names without a zone are
/// forgotten when there are too many.
package struct ZoneMemory: Sendable {
    private var known: [String: ZoneRules] = [:]
    private var absent: Set<String> = []
    private var since: ContinuousClock.Instant?

    package static let keeps: Duration = .seconds(60)
    /// The maximum number of zones. The database has 600 names, and another 1200 in its folders that contain
    /// the same zones in two other forms.
    package static let maxKnown = 2_048
    /// The maximum number of names without a zone. Their total size is at most one megabyte.
    package static let maxAbsent = 16_384

    package init() {}

    package enum Answer: Equatable, Sendable {
        case zone(ZoneRules)
        /// No zone has the name.
        case none
        /// The name was not requested in the last minute.
        case unknown
    }

    package mutating func zone(named name: String, at now: ContinuousClock.Instant) -> Answer {
        if let since, since.duration(to: now) >= Self.keeps { self = ZoneMemory() }
        if let rules = known[name] { return .zone(rules) }
        return absent.contains(name) ? .none : .unknown
    }

    /// - Parameter rules: The zone's rules; `nil` if no zone has the name.
    package mutating func note(_ rules: ZoneRules?, named name: String, at now: ContinuousClock.Instant) {
        since = since ?? now
        if let rules {
            if known.count >= Self.maxKnown { known = [:] }
            known[name] = rules
        } else {
            if absent.count >= Self.maxAbsent { absent = [] }
            absent.insert(name)
        }
    }

    package var count: Int { known.count + absent.count }
}
