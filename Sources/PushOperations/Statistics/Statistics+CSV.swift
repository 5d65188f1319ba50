internal import PushModel
internal import PushWire

/// An answer that callers may have as a table.
package protocol CSVTable {
    var csv: [UInt8] { get }
}

extension DeliveryStatistics: CSVTable {
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

extension ServiceStatistics: CSVTable {
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
