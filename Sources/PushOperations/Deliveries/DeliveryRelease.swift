package import PushModel

/// Messages of a delivery that are to go at a time of their own: a wave, or what waits for a time of the day.
package struct DeliveryRelease: View, Equatable {
    package var at: WallTime
    package var count: Int

    /// Longer lists are told by their beginning.
    static let longestList = 100

    package init(at: WallTime, count: Int) {
        self.at = at
        self.count = count
    }
}
