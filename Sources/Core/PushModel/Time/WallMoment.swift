/// A moment of the wall clock in milliseconds since 1970 UTC, for times that are both stored and measured,
/// such as the start and end of a delivery. As in ``WallTime``, the number can be any that a row of the store
/// contains.
package struct WallMoment: Hashable, Comparable, Sendable {
    package let millisecondsSince1970: Int64
    package init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }
    /// The first millisecond of a second.
    package init(_ time: WallTime) { millisecondsSince1970 = time.secondsSince1970.clampedProduct(1_000) }

    package static func < (left: Self, right: Self) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
    /// The second that contains this moment.
    package var time: WallTime {
        WallTime(secondsSince1970: millisecondsSince1970.flooredQuotientAndRemainder(by: 1_000).quotient)
    }
    package func seconds(since earlier: WallMoment) -> Double {
        Double(millisecondsSince1970.clampedDifference(earlier.millisecondsSince1970)) / 1_000
    }
}
