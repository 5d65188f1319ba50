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

/// From a time of the day to another one, of this day or of the next.
package struct QuietHours: Equatable, Sendable, Codable {
    /// Seconds since midnight; not equal.
    package let from: Int
    package let to: Int

    package init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    package var isSound: Bool {
        DayTime.range.contains(from) && DayTime.range.contains(to) && from != to
    }

    /// In seconds, on a day of the usual length.
    package var length: Int { (to - from + DayTime.day) % DayTime.day }

    /// - Parameter seconds: since midnight. The end is outside.
    package func contains(_ seconds: Int) -> Bool {
        from < to ? seconds >= from && seconds < to : seconds >= from || seconds < to
    }

    /// When they are over that this moment lies in; nil: it lies in none.
    package func end(at moment: WallTime, offset: (WallTime) -> Int) -> WallTime? {
        let (day, seconds) = DayTime.split(moment, offset: offset)
        guard contains(seconds) else { return nil }
        let end = DayTime.moment(day: seconds < to ? day : day + 1, to, offset: offset)
        if end > moment { return end }
        // In an hour that comes twice, its first end is over.
        return moment.advanced(bySeconds: Int64((to - seconds + DayTime.day) % DayTime.day))
    }
}

/// Times of the day as the clocks of a zone show them, in seconds since midnight.
///
/// A time that a day lacks (when summer begins) is as long after the change as it would have been after the
/// hour before it: an hour later. Of one that a day has twice the first counts.
package enum DayTime {
    package static let day = 86_400
    package static let range = 0..<day

    /// `10:00`, as documents have it.
    package static func read(_ text: some StringProtocol) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        func number(_ place: Int) -> Int? {
            let digits = bytes[place..<place + 2].map { Int($0) - Int(UInt8(ascii: "0")) }
            guard digits.allSatisfy((0...9).contains) else { return nil }
            return digits[0] * 10 + digits[1]
        }
        guard let hour = number(0), let minute = number(3), hour < 24, minute < 60 else { return nil }
        return hour * 3_600 + minute * 60
    }

    package static func text(_ seconds: Int) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(two(seconds / 3_600)):\(two(seconds / 60 % 60))"
    }

    /// What the zone's clocks show then: days since 1970, and seconds since midnight.
    package static func split(_ moment: WallTime, offset: (WallTime) -> Int) -> (day: Int64, seconds: Int) {
        let local = moment.secondsSince1970.clampedSum(Int64(offset(moment)))
        let (days, seconds) = local.flooredQuotientAndRemainder(by: Int64(day))
        return (days, Int(seconds))
    }

    /// The moment at which they show that time of that day.
    package static func moment(day: Int64, _ seconds: Int, offset: (WallTime) -> Int) -> WallTime {
        let local = WallTime(secondsSince1970: day.clampedProduct(Int64(Self.day)).clampedSum(Int64(seconds)))
        // No zone is a day from UTC, nor changes twice in two days.
        let before = Int64(offset(local.advanced(bySeconds: -Int64(Self.day))))
        let after = Int64(offset(local.advanced(bySeconds: Int64(Self.day))))
        for candidate in [before, after] {
            let moment = local.advanced(bySeconds: -candidate)
            if Int64(offset(moment)) == candidate { return moment }
        }
        return local.advanced(bySeconds: -before)
    }

    /// The first moment from then on at which they show that time.
    package static func next(_ seconds: Int, from: WallTime, offset: (WallTime) -> Int) -> WallTime {
        let (day, _) = split(from, offset: offset)
        let today = moment(day: day, seconds, offset: offset)
        return today >= from ? today : moment(day: day + 1, seconds, offset: offset)
    }
}
