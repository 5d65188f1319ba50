package import PushModel

/// Zones that were asked for a moment ago, and names that no zone has.
///
/// **Promises.** It is bounded, whatever names are asked for: all is forgotten a minute after the first name was
/// noted, so that a new version of the database is seen, and names of no zone when there are too many.
package struct ZoneMemory: Sendable {
    private var known: [String: ZoneRules] = [:]
    private var absent: Set<String> = []
    private var since: ContinuousClock.Instant?

    package static let keeps: Duration = .seconds(60)
    /// The database has 600 names, and twice as many again in its folders of other forms.
    package static let mostKnown = 2_048
    /// A megabyte of them at most.
    package static let mostAbsent = 16_384

    package init() {}

    package enum Answer: Equatable, Sendable {
        case zone(ZoneRules)
        /// No zone has the name.
        case none
        /// It was not asked for in the last minute.
        case unknown
    }

    package mutating func zone(named name: String, at now: ContinuousClock.Instant) -> Answer {
        if let since, since.duration(to: now) >= Self.keeps { self = ZoneMemory() }
        if let rules = known[name] { return .zone(rules) }
        return absent.contains(name) ? .none : .unknown
    }

    /// - Parameter rules: nil: no zone has the name.
    package mutating func note(_ rules: ZoneRules?, named name: String, at now: ContinuousClock.Instant) {
        since = since ?? now
        if let rules {
            if known.count >= Self.mostKnown { known = [:] }
            known[name] = rules
        } else {
            if absent.count >= Self.mostAbsent { absent = [] }
            absent.insert(name)
        }
    }

    package var count: Int { known.count + absent.count }
}
