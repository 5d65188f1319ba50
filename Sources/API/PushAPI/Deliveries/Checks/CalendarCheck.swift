internal import PushModel
internal import PushSystem

/// Checks a delivery's calendar (waves, local times and quiet hours) before the delivery is accepted.
enum CalendarCheck {
    /// Returns the calendar, completed with the time zone for devices that do not report their own: the
    /// document's zone, or otherwise this machine's zone.
    /// - Throws: The reason why the calendar cannot be accepted, with its place in the document.
    static func settled(_ calendar: DeliveryCalendar) throws(CalendarMismatch) -> DeliveryCalendar {
        var calendar = calendar
        guard calendar.asksZones else { return calendar }
        let name = calendar.timeZone ?? SystemZones.localName()
        guard SystemZones.zone(named: name) != nil else {
            throw CalendarMismatch(
                text:
                    "schedule.timeZone: this machine does not have the time zone "
                    + "\"\(name.printable(atMost: 64))\"; give a zone in /usr/share/zoneinfo, such as "
                    + "Europe/Paris (package tzdata)")
        }
        calendar.timeZone = name
        return calendar
    }

    struct CalendarMismatch: Error { let text: String }

    /// If the remaining validity of the last wave is less than this number of seconds, a warning is given.
    private static let minLastWaveSeconds: Int64 = 3_600

    /// Returns warnings about values that are probably unintended, one line each.
    static func warnings(of schedule: DeliverySchedule, for apps: [App]) -> [String] {
        guard let calendar = schedule.calendar, !calendar.isEmpty else { return [] }
        var lines: [String] = []
        let left = schedule.validitySeconds - calendar.delay(ofWave: calendar.waves.count - 1)
        if calendar.waves.count > 1, left < minLastWaveSeconds {
            lines.append(
                "waves: the last wave begins \(DurationText.text(seconds: left)) before the end of the "
                    + "validity of \(DurationText.text(seconds: schedule.validitySeconds)); messages that "
                    + "are not sent by then expire"
            )
        }
        guard calendar.asksZones else { return lines }
        if let quietHours = calendar.quietHours, left <= Int64(quietHours.length) {
            let wave = calendar.waves.count > 1 ? "last wave's " : ""
            lines.append(
                "quietHours: the quiet hours last at least as long as the \(wave)validity of "
                    + "\(DurationText.text(seconds: left)): if they have just begun for a device, its "
                    + "message expires unsent before \(DayTime.text(quietHours.to))"
            )
        }
        if let time = calendar.localTime, left < Int64(DayTime.day) {
            lines.append(
                "localTime: the validity of \(DurationText.text(seconds: schedule.validitySeconds)) is less "
                    + "than a day: if \(DayTime.text(time)) has already passed for a device, its message "
                    + "expires unsent")
        }
        let declared = apps.map { $0.settings.parameters.map(\.name) }
        if declared.allSatisfy({ !$0.isEmpty && !$0.contains(DeliveryCalendar.parameter) }) {
            lines.append(
                "schedule: no app declares a parameter \"\(DeliveryCalendar.parameter)\", so all devices use "
                    + "the time zone "
                    + (calendar.timeZone ?? "UTC"))
        }
        return lines
    }
}
