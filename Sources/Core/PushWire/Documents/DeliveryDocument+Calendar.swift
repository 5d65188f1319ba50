import PushModel

/// The calendar members of a `schedule`: `waves`, `localTime`, `quietHours`, `timeZone`.
extension DeliverySchedule {
    static let calendarFields: [Field<DeliverySchedule>] = [
        Field("waves", \.saidCalendar.waves, waves, "the last wave receives the rest"),
        Field("localTime", \.saidCalendar.localTime, .dayTime, "such as 10:00, in each device's local time"),
        Field(
            "quietHours", \.saidCalendar.quietHours,
            Form.object(quietHours).map { hours in
                guard let from = hours.from, let to = hours.to, from != to else { return nil }
                return QuietHours(from: from, to: to)
            } write: {
                DayTimes(from: $0.from, to: $0.to)
            }, "in each device's local time"),
        Field(
            "timeZone", \.saidCalendar.timeZone, .text(.bytes(64)),
            "such as Europe/Paris, for devices that do not report their own"),
    ]

    /// The calendar while it is being read. If it has no effect after all members have been read, it is
    /// removed: see `checkCalendar`.
    private var saidCalendar: DeliveryCalendar {
        get { calendar ?? DeliveryCalendar() }
        set { calendar = newValue }
    }

    private struct DayTimes {
        var from: Int?
        var to: Int?
    }

    private static let quietHours = Fields(
        DayTimes(),
        [
            Field("from", \.from, .dayTime, isRequired: true),
            Field("to", \.to, .dayTime, isRequired: true),
        ], named: "QuietHours"
    ) { reader, object, hours in
        guard let from = hours.from, from == hours.to else { return }
        reader.note(object.path, "from and to must be different times of day")
    }

    private static let wave = Fields(
        DeliveryCalendar.Wave(),
        [
            Field("after", \.after, .duration(from: 1)),
            Field("share", \.share, .share),
            Field("size", \.size, .integer(1...Int(Int32.max))),
        ], named: "DeliveryWave"
    ) { reader, object, _ in
        if object.value("share") != nil, object.value("size") != nil {
            reader.note(object.path, "must have only share or size, not both")
        }
    }

    private static let waves = Form<[DeliveryCalendar.Wave]>(
        .list(wave.schema, count: 1...DeliveryCalendar.maxWaves)
    ) { reader, value, path in
        let elements = reader.elements(
            of: value, at: path, 1...DeliveryCalendar.maxWaves, of: "waves", counted: "waves")
        let before = reader.faults.count
        let waves = (elements ?? []).enumerated().compactMap { index, element in
            let path = "\(path)[\(index)]"
            let wave = wave.read(element, at: path, by: &reader)
            let hasRetryAfter = element["after"] != nil
            if index == 0, hasRetryAfter {
                reader.note("\(path).after", "the first wave starts with the delivery; remove after")
            } else if index > 0, wave != nil, !hasRetryAfter {
                reader.note("\(path).after", "missing")
            }
            return wave
        }
        // Checks of all waves together would only repeat these faults.
        return reader.faults.count == before ? waves : nil
    } write: { writer, key, waves in
        writer.objects(key, waves) { wave.write($1, by: &$0) }
    }
}

extension Form<Int> {
    /// A time of day, in seconds since midnight.
    fileprivate static var dayTime: Self {
        .spelled(
            .string, allowed: "a time of day from 00:00 to 23:59", read: { DayTime.read($0) },
            write: DayTime.text)
    }
}

extension DocumentReader {
    /// Checks the calendar members of `schedule` together with its other members.
    mutating func checkCalendar(of schedule: inout DeliverySchedule, _ object: Object) {
        if schedule.calendar?.isEmpty == true { schedule.calendar = nil }
        if let calendar = schedule.calendar {
            if !calendar.waves.isEmpty {
                check(calendar.waves, at: object.path(of: "waves"), validity: schedule.sendingSeconds)
            }
            if let time = calendar.localTime, calendar.quietHours?.contains(time) == true {
                note(
                    object.path(of: "localTime"), "is within the quiet hours; use a time outside quietHours"
                )
            }
        }
        if object.value("timeZone") != nil, object.value("localTime") == nil,
            object.value("quietHours") == nil
        {
            note(object.path(of: "timeZone"), "has no effect without localTime or quietHours")
        }
    }

    private mutating func check(_ waves: [DeliveryCalendar.Wave], at path: String, validity: Int64) {
        let shares = waves.compactMap(\.share).reduce(0, +)
        let isWhole = shares == TargetSample.places && !waves.contains { $0.share == nil }
        if waves.contains(where: { $0.share != nil }), waves.contains(where: { $0.size != nil }) {
            note(path, "must have either shares or sizes, not both")
        } else if shares > TargetSample.places {
            note(path, "the sum of the shares must not exceed 1")
        } else if shares == TargetSample.places, !isWhole {
            note(path, "no recipient is left for the last wave; the shares before it already add up to 1")
        } else if let last = waves.last, last.share != nil || last.size != nil, !isWhole {
            note("\(path)[\(waves.count - 1)]", "the last wave receives the rest; remove its share or size")
        }
        for (index, wave) in waves.enumerated().dropLast() where wave.share == nil && wave.size == nil {
            note("\(path)[\(index)]", "has neither share nor size; only the last wave receives the rest")
        }
        var begin: Int64 = 0
        for (index, wave) in waves.enumerated() {
            begin = begin.clampedSum(wave.after)
            guard begin >= validity else { continue }
            note(
                "\(path)[\(index)].after",
                """
                the wave would start after the validity ends, which is \
                \(DurationText.text(seconds: validity)) after the start of the delivery
                """
            )
            return
        }
    }
}
