/// A moment of the wall clock, in whole seconds since 1970 UTC, for stored times (due, validity, `iat`).
///
/// The number of seconds can be any number that a row of the store contains. Arithmetic saturates at the ends
/// of the range (``Swift/Int64/clampedSum(_:)``).
package struct WallTime: Hashable, Comparable, Sendable {
    package let secondsSince1970: Int64
    package init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

    package static func < (left: Self, right: Self) -> Bool { left.secondsSince1970 < right.secondsSince1970 }
    package func advanced(bySeconds seconds: Int64) -> WallTime {
        WallTime(secondsSince1970: secondsSince1970.clampedSum(seconds))
    }
    /// Never returns `Int64.min`, so that the result can be negated.
    package func seconds(since earlier: WallTime) -> Int64 {
        secondsSince1970.clampedDifference(earlier.secondsSince1970)
    }
}

/// A moment of a clock that never steps, for messages in flight, windows and the age of credentials.
package struct MonotonicTime: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
    package func advanced(bySeconds seconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: nanoseconds &+ seconds &* 1_000_000_000)
    }
    package func advanced(byMilliseconds milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: nanoseconds &+ milliseconds &* 1_000_000)
    }
    package func milliseconds(since earlier: MonotonicTime) -> Int64 {
        (nanoseconds - earlier.nanoseconds) / 1_000_000
    }
}
