internal import PushModel
package import PushOperations
internal import PushWire

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

    /// A row for each figure; what a figure is not of is empty.
    package var csv: [UInt8] {
        var csv = CSVWriter()
        csv.appendRow([
            "figure", "app", "minute", "failureType", "failureReason", "providerReason", "platform", "os",
            "language", "count",
        ])
        func row(
            _ figure: String, app: String = "", minute: String = "", reason: Reason? = nil,
            device: DeviceCount? = nil, _ count: Int
        ) {
            csv.appendRow([
                figure, app, minute, reason?.failureType ?? "", reason?.failureReason ?? "",
                reason?.providerReason ?? "", device?.platform ?? "", device?.os ?? "",
                device?.language ?? "", String(count),
            ])
        }
        for (figure, count) in [
            ("targeted", counts.targeted), ("pending", counts.pending), ("retrying", counts.retrying),
            ("cancelled", counts.cancelled),
        ] { row(figure, count) }
        for reason in exclusions { row("excluded", app: reason.app, reason: reason, reason.count) }
        for reason in failures { row("failed", app: reason.app, reason: reason, reason.count) }
        for minute in minutes {
            for (figure, count) in [
                ("sentInMinute", minute.sent), ("failedInMinute", minute.failed),
                ("receivedInMinute", minute.received), ("clickedInMinute", minute.clicked),
            ] where count > 0 { row(figure, app: minute.app, minute: minute.minute.utcText, count) }
        }
        for device in devices ?? [] { row("device", app: device.app, device: device, device.count) }
        return csv.bytes
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

    /// A row for each figure; what a figure is not of is empty.
    package var csv: [UInt8] {
        var csv = CSVWriter()
        csv.appendRow(["figure", "app", "platform", "day", "os", "language", "count"])
        for app in apps {
            for (figure, count) in [
                ("valid", app.valid), ("quarantined", app.quarantined), ("disabled", app.disabled),
            ] { csv.appendRow([figure, app.app, app.platform, "", "", "", String(count)]) }
            for day in app.days {
                csv.appendRow(["registered", app.app, app.platform, day.day, "", "", String(day.registered)])
            }
            for device in app.devices {
                csv.appendRow([
                    "device", app.app, app.platform, "", device.os, device.language, String(device.count),
                ])
            }
        }
        return csv.bytes
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
