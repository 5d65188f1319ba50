internal import PushModel
internal import PushSystem

/// The time zones of recipients: from their parameter `timeZone`, otherwise from the calendar of their
/// delivery.
///
/// **Promises.** No data about any recipient is kept. A zone that this machine does not know is replaced by
/// the delivery's zone.
struct RecipientZones {
    /// The zone of devices that specify no zone, or an unknown one.
    private let ownZone: ZoneRules
    private var zones: [[UInt8]: ZoneRules] = [:]

    init(_ calendar: DeliveryCalendar) {
        ownZone = calendar.timeZone.flatMap { SystemZones.zone(named: $0) } ?? .utc
    }

    /// Returns the rules of a zone; an empty name stands for the delivery's zone.
    mutating func rules(_ name: [UInt8]) -> ZoneRules {
        if name.isEmpty { return ownZone }
        if let zone = zones[name] { return zone }
        let zone = SystemZones.zone(named: String(decoding: name, as: UTF8.self)) ?? ownZone
        zones[name] = zone
        return zone
    }

    /// Returns the zone that each subscription specifies; empty if it specifies none.
    /// - Parameter numbers: The subscriptions, in any order.
    static func names(
        of numbers: some RandomAccessCollection<SubscriptionID>, _ db: any Session
    ) throws -> [[UInt8]] {
        let asked = ContiguousArray(numbers)
        let places = asked.indices.sorted { asked[$0].rawValue < asked[$1].rawValue }
        let sorted = ContiguousArray(places.map { asked[$0] })
        var names = [[UInt8]](repeating: [], count: asked.count)
        guard !sorted.isEmpty else { return names }
        var walk = try SubscriptionWalk(sorted, db, reading: SubscriptionWalk.parameters)
        defer { walk.end() }
        for (place, number) in zip(places, sorted) {
            guard let row = try walk.seek(number) else { continue }
            let parameters = unsafe row.bytes(1)
            names[place] =
                ParameterText.value(of: DeliveryCalendar.parameter, in: unsafe parameters.span) ?? []
        }
        return names
    }
}
