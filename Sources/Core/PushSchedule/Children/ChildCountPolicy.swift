package import PushModel

/// Decides when a child is started. This type never spawns a process; the master's `ChildProcess` does.
///
/// The rules are those of Campaign: at start-up, `startSpareServers` children are started immediately.
/// Afterwards at most one child is started per second: always up to `minSpareServers`, and up to
/// `maxSpareServers` while work is waiting and no living child has credit for it. A child that ends before it
/// was useful indicates a structural fault: the delay between spawns then doubles.
package struct ChildCountPolicy: Sendable {
    package struct Limits: Equatable, Sendable {
        package var atStart: Int
        package var minimum: Int
        package var maximum: Int
        package init(atStart: Int, minimum: Int, maximum: Int) {
            self.atStart = atStart
            self.minimum = minimum
            self.maximum = max(maximum, 1)
        }
    }

    /// The facts about the children that the policy needs.
    package struct ChildStats: Equatable, Sendable {
        /// The number of children that are alive and not draining, whether or not they have sent their hello.
        package var working: Int
        /// Whether work is waiting and no working child has credit for it.
        package var lacksCredit: Bool
        package init(working: Int, lacksCredit: Bool) {
            self.working = working
            self.lacksCredit = lacksCredit
        }
    }

    package var limits: Limits
    private var lastSpawn: MonotonicTime?
    private var earlyDeaths = 0
    private var hasOpened = false

    static let maxDelaySeconds: Int64 = 60

    package init(_ limits: Limits) { self.limits = limits }

    /// Returns the number of children to start now.
    package mutating func spawns(for staff: ChildStats, at now: MonotonicTime) -> Int {
        if !hasOpened {
            hasOpened = true
            let count = min(max(limits.atStart, limits.minimum), limits.maximum) - staff.working
            if count > 0 {
                lastSpawn = now
                return count
            }
        }
        guard staff.working < limits.maximum, now >= nextSpawn else { return 0 }
        guard staff.working < limits.minimum || staff.lacksCredit else { return 0 }
        lastSpawn = now
        return 1
    }

    /// Records that a child ended.
    /// - Parameter wasUseful: Whether the child reported at least one outcome, had no work until it was asked
    ///   to leave, or was ended from outside while it was sending.
    /// - Returns: `true` if this is the first sign of a structural fault. The caller logs it prominently.
    package mutating func died(wasUseful: Bool) -> Bool {
        if wasUseful {
            earlyDeaths = 0
            return false
        }
        earlyDeaths += 1
        return earlyDeaths == 1
    }

    package var isThrottled: Bool { earlyDeaths > 0 }

    /// The earliest moment for the next spawn.
    package var nextSpawn: MonotonicTime {
        guard let lastSpawn else { return MonotonicTime(nanoseconds: 0) }
        let seconds =
            earlyDeaths == 0 ? 1 : min(Int64(1) << Int64(min(earlyDeaths, 6)), Self.maxDelaySeconds)
        return lastSpawn.advanced(bySeconds: seconds)
    }
}
