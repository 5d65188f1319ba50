package import PushModel
internal import PushStore
internal import PushWire

/// Returns statistics about the subscribers of a service: by app and state, by the day of the first
/// registration, and by device. Subscribers are counted page by page.
package struct ShowServiceStatistics: ShortOperation, UseCase {
    package static let name = "service.stats"
    package static let operation = Operation(
        .get, "/services/{name}/statistics", .read,
        "Returns figures about a service's subscribers. The operation reads all of the service's "
            + "subscribers.")
    package static let members: [Member<Self>] = [.path(\.name, "name", "The service's name.")]

    package var name = ""

    package init() {}

    package func perform(in operations: Operations) throws -> ServiceStatistics {
        let service = try operations.requireService(named: name)
        let apps = try operations.store.catalogue.apps().filter { $0.service == service.id }
        let reader = operations.store.statistics
        return ServiceStatistics(
            name: service.name,
            apps: try apps.map { ServiceStatistics.AppCounts($0, try reader.subscribers(of: $0.id)) })
    }
}

package struct ServiceStatistics: View, Equatable {
    package struct AppCounts: View, Equatable {
        package var app: String
        package var platform: String
        package var environment: PushEnvironment
        /// The number of subscribers to whom messages are sent.
        package var valid: Int
        package var quarantined: Int
        package var disabled: Int
        package var optedOut: Int
        /// The days on which present subscribers first registered, in order. Days without registrations are
        /// omitted.
        package var days: [Day]
        /// The devices of valid subscribers, the most frequent first.
        package var devices: [DeviceCount]
    }

    package struct Day: View, Equatable {
        /// The day in UTC, such as `2026-11-21`.
        package var day: String
        package var registered: Int
    }

    package var name: String
    package var apps: [AppCounts]
}

extension ServiceStatistics.AppCounts {
    init(_ app: App, _ figures: SubscriberFigures) {
        self.init(
            app: app.name, platform: app.settings.platform.rawValue,
            environment: app.settings.environment, valid: figures.valid,
            quarantined: figures.quarantined, disabled: figures.disabled,
            optedOut: figures.optedOut,
            days: figures.days.sorted { $0.key < $1.key }.map {
                let time = WallTime(secondsSince1970: $0.key * 86_400)
                return ServiceStatistics.Day(day: String(time.utcText.prefix(10)), registered: $0.value)
            },
            devices: figures.devices.map {
                DeviceCount($0, app: app.name, platform: app.settings.platform)
            })
    }
}

/// An answer that is also available as a table.
package protocol CSVTable {
    var csv: [UInt8] { get }
    /// The cursor of the following part of the table; `nil` if there is none.
    var next: String? { get }
}

extension CSVTable {
    package var next: String? { nil }
}

extension DeliveryStatistics: CSVTable {
    /// A table with a row for each figure. Columns that do not apply to a figure are empty.
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
            ("cancelled", counts.cancelled), ("sent", counts.sent), ("received", counts.received),
            ("clicked", counts.clicked), ("receipts", receipts), ("clicks", clicks),
            ("excludedTotal", counts.excluded), ("failedTotal", counts.failed),
        ] { row(figure, count) }
        for app in apps {
            for (figure, count) in [
                ("sentInApp", app.sent), ("failedInApp", app.failed), ("excludedInApp", app.excluded),
                ("receivedInApp", app.received), ("clickedInApp", app.clicked),
                ("receiptsInApp", app.receipts), ("clicksInApp", app.clicks),
            ] { row(figure, app: app.app, count) }
        }
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
    /// A table with a row for each figure. Columns that do not apply to a figure are empty.
    package var csv: [UInt8] {
        var csv = CSVWriter()
        csv.appendRow(["figure", "app", "platform", "day", "os", "language", "count"])
        for app in apps {
            for (figure, count) in [
                ("valid", app.valid), ("quarantined", app.quarantined), ("disabled", app.disabled),
                ("optedOut", app.optedOut),
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
