internal import PushModel

/// The due times of the members in a chunk, according to their delivery's calendar. A part has a single due
/// time.
///
/// **Promises.** Nothing is kept between chunks. A due time depends on the delivery, the subscription and the
/// clock; the clock matters only if a time has already passed.
struct DueTimes {
    private let calendar: DeliveryCalendar
    private let delivery: DeliveryID
    private let begin: WallTime
    private let now: WallTime
    private var zones: RecipientZones
    private var known: [Key: WallTime] = [:]

    private struct Key: Hashable {
        var wave: Int
        /// The name of the zone; empty for the delivery's zone.
        var zone: [UInt8]
    }

    /// - Parameter delivery: `nil` for a delivery that has not been submitted.
    init(_ calendar: DeliveryCalendar, of delivery: DeliveryID?, begin: WallTime, now: WallTime) {
        self.calendar = calendar
        self.delivery = delivery ?? DeliveryID(rawValue: 0)
        self.begin = begin
        self.now = now
        zones = RecipientZones(calendar)
    }

    /// Members that are due at the same time. If ``due`` is `nil`, they are due now.
    struct Group {
        var due: WallTime?
        var members: [TargetSelection.Member]
    }

    /// - Parameter position: The position of the first member in the target's order, starting at 0.
    /// - Returns: The groups, the earliest first.
    mutating func groups(
        of members: [TargetSelection.Member], from position: Int64, _ db: any Session
    ) throws -> [Group] {
        let numbers = members.map { SubscriptionID(rawValue: $0.subscription) }
        let names = calendar.asksZones ? try RecipientZones.names(of: numbers, db) : []
        let seed = DeliveryCalendar.seed(of: delivery)
        var groups: [WallTime: [TargetSelection.Member]] = [:]
        for (index, member) in members.enumerated() {
            let wave = calendar.wave(
                of: numbers[index], at: position + Int64(index), seed: seed)
            let due = due(wave, names.isEmpty ? [] : names[index])
            groups[max(due, now), default: []].append(member)
        }
        return groups.sorted { $0.key < $1.key }.map { due, members in
            Group(due: due > now ? due : nil, members: members)
        }
    }

    private mutating func due(_ wave: Int, _ name: [UInt8]) -> WallTime {
        let key = Key(wave: wave, zone: name)
        if let due = known[key] { return due }
        let zone = zones.rules(name)
        let due = calendar.due(wave: wave, begin: begin, now: now) { zone.offset(at: $0) }
        known[key] = due
        return due
    }
}
