/// When whom of a delivery's target gets it, beyond its start: in waves, at a time of each device's own day,
/// and not in the night. Pure arithmetic: moments and zones are arguments.
package struct DeliveryCalendar: Equatable, Sendable, Codable {
    /// A part of the target. Of all waves but the last each says a share or a size; the last one takes the
    /// rest, or the share that makes the whole.
    package struct Wave: Equatable, Sendable, Codable {
        /// Seconds from the beginning of the wave before; of the first wave from the delivery's.
        package var after: Int64
        /// In places of ``TargetSample``.
        package var share: Int?
        /// So many, in the target's order.
        package var size: Int?

        package init(after: Int64 = 0, share: Int? = nil, size: Int? = nil) {
            self.after = after
            self.share = share
            self.size = size
        }
    }

    /// Empty: all in one.
    package var waves: [Wave] = []
    /// Seconds since midnight.
    package var localTime: Int?
    package var quietHours: QuietHours?
    /// Of devices that do not say their own; nil only until the submission has settled it.
    package var timeZone: String?

    package static let mostWaves = 20
    /// A time of the day that is not longer ago than this is still kept: preparation takes its time.
    package static let lateness: Int64 = 3_600
    /// The subscriber's parameter that names a device's zone.
    package static let parameter = "timeZone"

    package init() {}

    /// Whether it matters where a device is.
    package var asksZones: Bool { localTime != nil || quietHours != nil }

    /// Whether it says nothing that a delivery without one would not do.
    package var isEmpty: Bool { waves.isEmpty && !asksZones }

    /// What no submission can have written.
    package var isSound: Bool {
        let seconds: ClosedRange<Int64> = 0...(1 << 40)
        return waves.count <= Self.mostWaves
            && waves.allSatisfy {
                seconds.contains($0.after) && seconds.contains(Int64($0.share ?? 0))
                    && seconds.contains(Int64($0.size ?? 0))
            }
            && localTime.map(DayTime.range.contains) ?? true && quietHours?.isSound ?? true
    }

    // MARK: - Waves

    /// Which wave somebody is in. By shares it follows from the subscription and the seed alone, as with
    /// ``TargetSample``; by sizes from the position.
    /// - Parameters:
    ///   - position: from 0, in the order of the target.
    ///   - seed: another one for each delivery, or the same people would always come first.
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

    /// Seeds of documents are not negative: no sample has this one.
    package static func seed(of delivery: DeliveryID) -> Int64 { -1 - delivery.rawValue }

    /// Seconds from the delivery's beginning to the wave's.
    package func delay(ofWave index: Int) -> Int64 {
        waves.prefix(index + 1).reduce(0) { $0.clampedSum($1.after) }
    }

    // MARK: - Moments

    /// When a device is to get it: not before `now`.
    /// - Parameters:
    ///   - begin: of the delivery.
    ///   - offset: of the device's zone, in seconds east of UTC.
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
