/// Determines when a delivery that has started is sent to each recipient: in waves, at a time of day in each
/// device's own zone, and outside quiet hours. Pure arithmetic: moments and zones are arguments.
package struct DeliveryCalendar: Equatable, Sendable, Codable {
    /// A part of the target. Every wave but the last has a share or a size. The last one takes the rest, or
    /// has the share that completes the whole.
    package struct Wave: Equatable, Sendable, Codable {
        /// The number of seconds from the beginning of the previous wave or, for the first wave, from the
        /// beginning of the delivery.
        package var after: Int64
        /// The share, as a number of places (``TargetSample``).
        package var share: Int?
        /// The number of recipients, in the order of the target.
        package var size: Int?

        package init(after: Int64 = 0, share: Int? = nil, size: Int? = nil) {
            self.after = after
            self.share = share
            self.size = size
        }
    }

    /// The waves; empty if all recipients are in one wave.
    package var waves: [Wave] = []
    /// The time of day at which devices get the delivery, in seconds since midnight.
    package var localTime: Int?
    package var quietHours: QuietHours?
    /// The zone of devices that do not report their own. `nil` only until the submission has set it.
    package var timeZone: String?

    package static let maxWaves = 20
    /// A time of day that passed at most this many seconds ago still counts, because preparation takes time.
    package static let lateness: Int64 = 3_600
    /// The subscriber's parameter that contains the name of a device's zone.
    package static let parameter = "timeZone"

    package init() {}

    /// Whether the zone of a device matters.
    package var asksZones: Bool { localTime != nil || quietHours != nil }

    /// Whether a delivery without this calendar would behave in the same way.
    package var isEmpty: Bool { waves.isEmpty && !asksZones }

    /// Whether the values are in the range that a submission can write.
    package var isSound: Bool {
        let seconds: ClosedRange<Int64> = 0...(1 << 40)
        return waves.count <= Self.maxWaves
            && waves.allSatisfy {
                seconds.contains($0.after) && seconds.contains(Int64($0.share ?? 0))
                    && seconds.contains(Int64($0.size ?? 0))
            }
            && localTime.map(DayTime.range.contains) ?? true && quietHours?.isSound ?? true
    }

    // MARK: - Waves

    /// Returns the index of a recipient's wave. If the waves have shares, the index depends only on the
    /// subscription and the seed, as in ``TargetSample``. If they have sizes, the index depends on the
    /// position.
    /// - Parameters:
    ///   - position: The position in the order of the target, from 0.
    ///   - seed: A different value for each delivery, because otherwise the same people would always be in
    ///     the first wave.
    package func wave(of subscription: SubscriptionID, at position: Int64, seed: Int64) -> Int {
        guard waves.count > 1 else { return 0 }
        let place = waves.contains { $0.share != nil } ? TargetSample.place(of: subscription, seed: seed) : 0
        var (places, positions) = (0, Int64(0))
        for (index, wave) in waves.dropLast().enumerated() {
            places += wave.share ?? 0
            positions += Int64(wave.size ?? 0)
            if wave.share != nil ? place < places : position < positions { return index }
        }
        return waves.count - 1
    }

    /// Returns the seed for a delivery's waves. Seeds in documents are not negative, so no sample has the
    /// same seed.
    package static func seed(of delivery: DeliveryID) -> Int64 { -1 - delivery.rawValue }

    /// Returns the number of seconds from the beginning of the delivery to the beginning of the wave.
    package func delay(ofWave index: Int) -> Int64 {
        waves.prefix(index + 1).reduce(0) { $0.clampedSum($1.after) }
    }

    // MARK: - Moments

    /// Returns the time at which a device is to get the delivery, not before `now`.
    /// - Parameters:
    ///   - begin: The beginning of the delivery.
    ///   - offset: The offset of the device's zone, in seconds east of UTC.
    package func due(
        wave: Int, begin: WallTime, now: WallTime, offset: (WallTime) -> Int
    ) -> WallTime {
        let wanted = begin.advanced(bySeconds: delay(ofWave: wave))
        var moment = max(wanted, now)
        if let localTime {
            let from = max(wanted, now.advanced(bySeconds: -Self.lateness))
            moment = max(DayTime.next(localTime, from: from, offset: offset), now)
        }
        return quietHours?.end(at: moment, offset: offset) ?? moment
    }
}
