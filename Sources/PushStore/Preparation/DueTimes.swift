internal import PushModel
internal import PushSystem

/// Which of a chunk's members are due when, by their delivery's calendar: a part has one due time.
///
/// **Promises.** It keeps nothing between chunks. Who is due when follows from the delivery, the subscription
/// and the clock; the clock matters only where a time has come already.
struct DueTimes {
    private let calendar: DeliveryCalendar
    private let delivery: DeliveryID
    private let begin: WallTime
    private let now: WallTime
    /// Of devices that say none, or one that nobody knows.
    private let ownZone: ZoneRules
    private var zones: [[UInt8]: ZoneRules] = [:]
    private var known: [Key: WallTime] = [:]

    private struct Key: Hashable {
        var wave: Int
        /// Empty: the delivery's.
        var zone: [UInt8]
    }

    /// - Parameter delivery: nil: of one that nobody has submitted.
    init(_ calendar: DeliveryCalendar, of delivery: DeliveryID?, begin: WallTime, now: WallTime) {
        self.calendar = calendar
        self.delivery = delivery ?? DeliveryID(rawValue: 0)
        self.begin = begin
        self.now = now
        ownZone = calendar.timeZone.flatMap { SystemZones.zone(named: $0) } ?? .utc
    }

    /// Some that are due at one time; nil: now.
    struct Group {
        var due: WallTime?
        var members: [TargetSelection.Member]
    }

    /// - Parameter position: of the first, in the target's order, from 0.
    /// - Returns: the earliest first.
    mutating func groups(
        of members: [TargetSelection.Member], from position: Int64, _ db: any Session
    ) throws -> [Group] {
        let names = calendar.asksZones ? try zoneNames(of: members, db) : []
        let seed = DeliveryCalendar.seed(of: delivery)
        var groups: [WallTime: [TargetSelection.Member]] = [:]
        for (index, member) in members.enumerated() {
            let wave = calendar.wave(
                of: SubscriptionID(rawValue: member.subscription), at: position + Int64(index), seed: seed)
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
        let zone = zone(name)
        let due = calendar.due(wave: wave, begin: begin, now: now) { zone.offset(at: $0) }
        known[key] = due
        return due
    }

    private mutating func zone(_ name: [UInt8]) -> ZoneRules {
        if name.isEmpty { return ownZone }
        if let zone = zones[name] { return zone }
        let zone = SystemZones.zone(named: String(decoding: name, as: UTF8.self)) ?? ownZone
        zones[name] = zone
        return zone
    }

    /// What each says of its zone, empty where it says nothing.
    private func zoneNames(of members: [TargetSelection.Member], _ db: any Session) throws -> [[UInt8]] {
        let places = members.indices.sorted { members[$0].subscription < members[$1].subscription }
        let numbers = ContiguousArray(places.map { SubscriptionID(rawValue: members[$0].subscription) })
        var names = [[UInt8]](repeating: [], count: members.count)
        guard !numbers.isEmpty else { return names }
        var walk = try SubscriptionWalk(numbers, db, reading: SubscriptionWalk.parameters)
        defer { walk.end() }
        for (place, number) in zip(places, numbers) {
            guard let row = try walk.seek(number) else { continue }
            let parameters = unsafe row.bytes(1)
            names[place] =
                ParameterText.value(of: DeliveryCalendar.parameter, in: unsafe parameters.span) ?? []
        }
        return names
    }
}
