package import PushModel

/// The number of events per second, over the last ten seconds. Pure; each count costs one addition.
package struct RecentRate: Sendable {
    package static let seconds = 10

    /// One count for each second, indexed by the number of the second. The newest count is still being
    /// filled.
    private var counts = [Int](repeating: 0, count: Self.seconds)
    private var newest = Int64.min

    package init() {}

    package mutating func add(_ count: Int, at now: MonotonicTime) {
        let second = Self.second(now)
        if second > newest {
            // Clears the counts of all seconds that began after the newest one.
            let first = max(newest == .min ? 0 : newest + 1, second - Int64(Self.seconds) + 1)
            for passed in first...second { counts[Self.place(passed)] = 0 }
            newest = second
        }
        counts[Self.place(newest)] += count
    }

    package func perSecond(at now: MonotonicTime) -> Double {
        let oldest = Self.second(now) - Int64(Self.seconds) + 1
        guard newest >= oldest else { return 0 }
        let all = (oldest...newest).reduce(0) { $0 + counts[Self.place($1)] }
        return Double(all) / Double(Self.seconds)
    }

    private static func second(_ now: MonotonicTime) -> Int64 { max(now.nanoseconds, 0) / 1_000_000_000 }

    private static func place(_ second: Int64) -> Int {
        let rest = Int(second % Int64(seconds))
        return rest < 0 ? rest + seconds : rest
    }
}
