internal import PushModel

/// What a `schedule` says of when whom: `waves`, `localTime`, `quietHours`, `timeZone`.
extension DocumentReader {
    static var calendarKeys: [String] { ["waves", "localTime", "quietHours", "timeZone"] }

    /// nil: none of it is said, or nothing of it can be read; then that was noted.
    mutating func calendar(of schedule: Object, validity: Int64) -> DeliveryCalendar? {
        var calendar = DeliveryCalendar()
        calendar.waves = waves(of: schedule, validity: validity)
        calendar.localTime = dayTime("localTime", of: schedule)
        calendar.quietHours = quietHours(of: schedule)
        calendar.timeZone = string("timeZone", of: schedule, .bytes(64))
        if let time = calendar.localTime, calendar.quietHours?.contains(time) == true {
            note(schedule.path(of: "localTime"), "lies in the quiet hours; give a time outside of quietHours")
        }
        if schedule.value("timeZone") != nil, schedule.value("localTime") == nil,
            schedule.value("quietHours") == nil
        {
            note(schedule.path(of: "timeZone"), "nothing asks for it; it goes with localTime or quietHours")
        }
        return calendar.isEmpty ? nil : calendar
    }

    // MARK: - Waves

    private mutating func waves(of schedule: Object, validity: Int64) -> [DeliveryCalendar.Wave] {
        guard let value = schedule.value("waves") else { return [] }
        let path = schedule.path(of: "waves")
        guard case .array(let elements) = value else {
            note(path, "found \(value.kind); allowed is an array of waves")
            return []
        }
        guard (1...DeliveryCalendar.mostWaves).contains(elements.count) else {
            note(path, "holds \(elements.count) waves; allowed are 1 to \(DeliveryCalendar.mostWaves)")
            return []
        }
        let before = findings.count
        let waves = elements.enumerated().compactMap {
            wave($0.element, at: "\(path)[\($0.offset)]", $0.offset)
        }
        // What follows would only repeat it.
        guard findings.count == before, waves.count == elements.count else { return [] }
        check(waves, at: path, validity: validity)
        return waves
    }

    private mutating func wave(_ value: JSONValue, at path: String, _ index: Int) -> DeliveryCalendar.Wave? {
        guard let object = object(value, at: path, keys: ["after", "share", "size"]) else { return nil }
        var wave = DeliveryCalendar.Wave()
        if index == 0 {
            if object.value("after") != nil {
                note(object.path(of: "after"), "the first wave begins with the delivery; leave it out")
            }
        } else {
            require("after", in: object)
            wave.after = duration("after", of: object) ?? 0
        }
        if object.value("share") != nil, object.value("size") != nil {
            note(path, "allowed is one of share and size")
        }
        if let share = object.value("share") { wave.share = self.share(share, at: object.path(of: "share")) }
        wave.size = integer("size", of: object, in: 1...Int64(Int32.max)).map(Int.init)
        return wave
    }

    private mutating func check(_ waves: [DeliveryCalendar.Wave], at path: String, validity: Int64) {
        let shares = waves.compactMap(\.share).reduce(0, +)
        let isWhole = shares == TargetSample.places && !waves.contains { $0.share == nil }
        if waves.contains(where: { $0.share != nil }), waves.contains(where: { $0.size != nil }) {
            note(path, "has shares and sizes; allowed is one kind")
        } else if shares > TargetSample.places {
            note(path, "its shares are more than the whole; allowed is at most 1 together")
        } else if shares == TargetSample.places, !isWhole {
            note(path, "nobody is left for the last wave; its shares are the whole without it")
        } else if let last = waves.last, last.share != nil || last.size != nil, !isWhole {
            note("\(path)[\(waves.count - 1)]", "the last wave takes the rest; leave out its share or size")
        }
        for (index, wave) in waves.enumerated().dropLast() where wave.share == nil && wave.size == nil {
            note("\(path)[\(index)]", "says neither share nor size; only the last wave takes the rest")
        }
        var begin: Int64 = 0
        for (index, wave) in waves.enumerated() {
            begin = begin.clampedSum(wave.after)
            guard begin >= validity else { continue }
            note(
                "\(path)[\(index)].after",
                "the wave would begin after the end of validity, \(DurationText.text(seconds: validity)) after the start"
            )
            return
        }
    }

    // MARK: - Times of the day

    private mutating func dayTime(_ key: String, of object: Object) -> Int? {
        guard let text = string(key, of: object) else { return nil }
        if let time = DayTime.read(text) { return time }
        note(object.path(of: key), "not a time of the day; allowed is 00:00 to 23:59")
        return nil
    }

    private mutating func quietHours(of schedule: Object) -> QuietHours? {
        guard let object = object("quietHours", of: schedule, keys: ["from", "to"]) else { return nil }
        for key in ["from", "to"] { require(key, in: object) }
        guard let from = dayTime("from", of: object), let to = dayTime("to", of: object) else { return nil }
        guard from != to else {
            note(object.path, "from and to are the same; allowed are two times of the day")
            return nil
        }
        return QuietHours(from: from, to: to)
    }
}
