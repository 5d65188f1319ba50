package import PushModel

/// The formats of moments, in the reader's time zone. Each format is defined only here.
package enum Moments {
    /// The parts of a moment on the wall clock of the reader's time zone.
    private struct Parts {
        let text: String
        let day: Int64
        let weekday: Int
        var year: Substring { text.prefix(4) }
        var month: Int { Int(text.dropFirst(5).prefix(2)) ?? 1 }
        var date: Int { Int(text.dropFirst(8).prefix(2)) ?? 1 }
        var clock: String { String(text.dropFirst(11).prefix(5)) }
        var clockWithSeconds: String { String(text.dropFirst(11).prefix(8)) }

        init(_ time: WallTime) {
            let offset = Int64(Presentation.current.zone.offset(at: time))
            let local = time.secondsSince1970.clampedSum(offset)
            text = WallTime(secondsSince1970: local).utcText
            // Rounds down before 1970, too.
            day = local / 86_400 - (local % 86_400 < 0 ? 1 : 0)
            // 1 January 1970 was a Thursday.
            weekday = Int(((day + 4) % 7 + 7) % 7)
        }
    }

    private static let months = [
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
        ["Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sep.", "Okt.", "Nov.", "Dez."],
    ]
    private static let weekdays = [
        ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
        ["Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"],
    ]

    private static var isGerman: Bool { Presentation.current.language == .german }

    /// Returns a text such as `26 Nov 2026, 17:41`, or `Today, 17:41`.
    package static func text(_ moment: WallMoment) -> String {
        let parts = Parts(moment.time)
        return "\(day(parts)), \(parts.clock)"
    }

    /// Returns a text such as `26 Nov 2026` or `Today`.
    package static func day(_ moment: WallMoment) -> String { day(Parts(moment.time)) }

    /// Returns a text such as `17:41`.
    package static func clock(_ moment: WallMoment) -> String { Parts(moment.time).clock }

    /// Returns a text such as `17:41:42`.
    package static func clockWithSeconds(_ moment: WallMoment) -> String {
        Parts(moment.time).clockWithSeconds
    }

    /// Returns a text such as `Thursday 26 Nov 2026, 17:41`.
    package static func long(_ moment: WallMoment) -> String {
        let parts = Parts(moment.time)
        let weekday = weekdays[isGerman ? 1 : 0][parts.weekday]
        return "\(weekday)\(isGerman ? "," : "") \(date(parts)), \(parts.clock)"
    }

    /// Returns an element `time` that shows ``text(_:)``.
    package static func element(_ moment: WallMoment) -> HTML {
        "<time datetime=\"\(moment.time.utcText)\" title=\"\(long(moment))\">\(text(moment))</time>"
    }

    /// Returns the distance to a moment: `in 14 h` or `8 min ago`.
    package static func distance(_ moment: WallMoment) -> Phrase {
        let seconds = Int(moment.seconds(since: Presentation.current.now).rounded())
        guard seconds != 0 else { return Phrase("now", "jetzt") }
        let duration = Formats.durationAfterPreposition(seconds: rounded(abs(seconds)))
        return seconds > 0
            ? Phrase("in \(duration)", "in \(duration)") : Phrase("\(duration) ago", "vor \(duration)")
    }

    /// Drops the seconds of a duration of at least two minutes, the minutes of one of at least ten hours, and
    /// the hours of one of at least two days.
    private static func rounded(_ seconds: Int) -> Int {
        let unit = seconds < 120 ? 1 : seconds < 36_000 ? 60 : seconds < 172_800 ? 3_600 : 86_400
        return seconds / unit * unit
    }

    private static func day(_ parts: Parts) -> String {
        switch parts.day - Parts(Presentation.current.now.time).day {
        case 0: isGerman ? "Heute" : "Today"
        case 1: isGerman ? "Morgen" : "Tomorrow"
        case -1: isGerman ? "Gestern" : "Yesterday"
        default: date(parts)
        }
    }

    private static func date(_ parts: Parts) -> String {
        let month = months[isGerman ? 1 : 0][(parts.month - 1) % 12]
        return isGerman ? "\(parts.date). \(month) \(parts.year)" : "\(parts.date) \(month) \(parts.year)"
    }
}
