internal import PushModel
internal import PushOperations

extension DeliveryStatistics {
    var lines: [String] {
        let fields: [(name: String, value: String)] = [
            ("id", "\(id)"), ("label", label), ("state", state.rawValue),
            ("targeted", Numerals.grouped(counts.targeted)),
            ("excluded", Numerals.grouped(counts.excluded)),
            ("pending", Numerals.grouped(counts.pending + counts.retrying)),
            ("sent", Numerals.grouped(counts.sent)),
            ("failed", Numerals.grouped(counts.failed)),
            ("cancelled", Numerals.grouped(counts.cancelled)),
            ("received", Self.share(counts.received, of: counts.sent)),
            ("clicked", Self.share(counts.clicked, of: counts.sent)),
        ]
        var lines = FieldList(fields).lines
        var table = TextTable(
            ["APP", "SENT", "FAILED", "EXCLUDED", "RECEIVED", "CLICKED"],
            numeric: ["SENT", "FAILED", "EXCLUDED", "RECEIVED", "CLICKED"])
        for app in apps {
            table.append([
                app.app, "\(app.sent)", "\(app.failed)", "\(app.excluded)", "\(app.received)",
                "\(app.clicked)",
            ])
        }
        if !apps.isEmpty { lines += [""] + table.lines }
        lines += Self.table("EXCLUDED BECAUSE", exclusions) + Self.table("FAILED BECAUSE", failures)
        if let devices { lines += DeviceCount.table(devices) }
        return lines
    }

    /// `1 200 (12.0 %)`
    private static func share(_ count: Int, of all: Int) -> String {
        guard all > 0 else { return Numerals.grouped(count) }
        let tenths = (count * 1_000 + all / 2) / all
        return "\(Numerals.grouped(count)) (\(tenths / 10).\(tenths % 10) %)"
    }

    private static func table(_ heading: String, _ reasons: [Reason]) -> [String] {
        guard !reasons.isEmpty else { return [] }
        var table = TextTable(["COUNT", "APP", "TYPE", "REASON", heading], numeric: ["COUNT"])
        for reason in reasons {
            table.append([
                "\(reason.count)", reason.app, reason.failureType, reason.failureReason,
                reason.providerReason,
            ])
        }
        return [""] + table.lines
    }
}

extension ServiceStatistics {
    var lines: [String] {
        var table = TextTable(
            ["APP", "PLATFORM", "VALID", "QUARANTINED", "DISABLED"],
            numeric: ["VALID", "QUARANTINED", "DISABLED"])
        for app in apps {
            table.append([
                app.app, app.platform, "\(app.valid)", "\(app.quarantined)", "\(app.disabled)",
            ])
        }
        var lines = table.lines
        lines += DeviceCount.table(apps.flatMap(\.devices))
        var days = TextTable(["DAY", "APP", "REGISTERED"], numeric: ["REGISTERED"])
        for app in apps {
            for day in app.days { days.append([day.day, app.app, "\(day.registered)"]) }
        }
        if apps.contains(where: { !$0.days.isEmpty }) { lines += [""] + days.lines }
        return lines
    }
}

extension DeviceCount {
    fileprivate static func table(_ devices: [DeviceCount]) -> [String] {
        guard !devices.isEmpty else { return [] }
        var table = TextTable(["DEVICES", "APP", "SYSTEM", "LANGUAGE"], numeric: ["DEVICES"])
        for device in devices { table.append(["\(device.count)", device.app, device.os, device.language]) }
        return [""] + table.lines
    }
}
