internal import PushModel
internal import PushStore

/// Who subscribes to a service: by app and state, by the day of the first registration, by device. Counted
/// page by page.
package struct ShowServiceStatistics: ShortOperation, UseCase {
    package static let name = "service.stats"
    package static let operation = Operation(
        .get, "/services/{name}/statistics", .read, "A service's subscribers in figures. Reads all of them.")
    package static let members: [Member<Self>] = [.path(\.name, "name", "The service's name.")]

    package private(set) var name = ""

    package init() {}
    package init(name: String) { self.name = name }

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
        /// Those who are sent to.
        package var valid: Int
        package var quarantined: Int
        package var disabled: Int
        /// Of those who are there now, in order; days on which nobody came are left out.
        package var days: [Day]
        /// Of the valid ones, the most frequent first.
        package var devices: [DeviceCount]
    }

    package struct Day: View, Equatable {
        /// `2026-11-21`, in UTC.
        package var day: String
        package var registered: Int
    }

    package var name: String
    package var apps: [AppCounts]
}

extension ServiceStatistics.AppCounts {
    init(_ app: App, _ figures: SubscriberFigures) {
        self.init(
            app: app.name, platform: app.settings.platform.rawValue, valid: figures.valid,
            quarantined: figures.quarantined, disabled: figures.disabled,
            days: figures.days.sorted { $0.key < $1.key }.map {
                let time = WallTime(secondsSince1970: $0.key * 86_400)
                return ServiceStatistics.Day(day: String(time.utcText.prefix(10)), registered: $0.value)
            },
            devices: figures.devices.map {
                DeviceCount($0, app: app.name, platform: app.settings.platform)
            })
    }
}
