internal import PushModel
internal import PushSystem

/// Checks when a delivery is sent to its recipients, before it is accepted.
enum CalendarCheck {
    /// Returns the calendar with the zone for devices that do not report their own: the document's zone, or
    /// otherwise this machine's zone.
    /// - Throws: The reason why the calendar cannot be accepted, with its place in the document.
    static func settled(_ calendar: DeliveryCalendar) throws(Misfit) -> DeliveryCalendar {
        var calendar = calendar
        guard calendar.asksZones else { return calendar }
        let name = calendar.timeZone ?? SystemZones.localName()
        guard SystemZones.zone(named: name) != nil else {
            throw Misfit(
                text:
                    "schedule.timeZone: this machine knows no zone \"\(name.printable(atMost: 64))\"; give one of "
                    + "/usr/share/zoneinfo, such as Europe/Paris (package tzdata)")
        }
        calendar.timeZone = name
        return calendar
    }

    struct Misfit: Error { let text: String }

    /// The minimum remaining validity of the last wave, in seconds, below which a warning is given.
    private static let shortestLastWave: Int64 = 3_600

    /// Returns warnings about values that are probably unintended, one line each.
    static func warnings(of schedule: DeliverySchedule, for apps: [App]) -> [String] {
        guard let calendar = schedule.calendar, !calendar.isEmpty else { return [] }
        var lines: [String] = []
        let left = schedule.validitySeconds - calendar.delay(ofWave: calendar.waves.count - 1)
        if calendar.waves.count > 1, left < shortestLastWave {
            lines.append(
                "waves: the last one begins \(DurationText.text(seconds: left)) before the end of the validity of "
                    + "\(DurationText.text(seconds: schedule.validitySeconds)): what is not sent in that time expires"
            )
        }
        guard calendar.asksZones else { return lines }
        if let quietHours = calendar.quietHours, left <= Int64(quietHours.length) {
            let wave = calendar.waves.count > 1 ? "the last wave's " : ""
            lines.append(
                "quietHours: \(wave)validity of \(DurationText.text(seconds: left)) is not longer than they are: "
                    + "where they have just begun, the message expires unsent before \(DayTime.text(quietHours.to))"
            )
        }
        if let time = calendar.localTime, left < Int64(DayTime.day) {
            lines.append(
                "localTime: the validity of \(DurationText.text(seconds: schedule.validitySeconds)) ends within a day: "
                    + "where it is past \(DayTime.text(time)) already, the message expires unsent")
        }
        let declared = apps.map { $0.settings.parameters.map(\.name) }
        if declared.allSatisfy({ !$0.isEmpty && !$0.contains(DeliveryCalendar.parameter) }) {
            lines.append(
                "schedule: no app declares a parameter \"\(DeliveryCalendar.parameter)\": all devices count as in "
                    + (calendar.timeZone ?? "UTC"))
        }
        return lines
    }
}
