package import PushModel
internal import PushStore

/// Returns the statistics of a delivery, which are kept when its messages are removed.
package struct ShowDeliveryStatistics: ShortOperation, UseCase {
    package static let name = "delivery.stats"
    package static let operation = Operation(
        .get, "/deliveries/{id}/statistics", .read,
        """
        Returns statistics about a delivery's results. With devices=true, the operation reads all of the \
        delivery's messages.
        """
    )
    package static let members: [Member<Self>] = [
        .delivery(\.id),
        .query(\.looksAtDevices, "devices", "Count the devices of each kind.", default: false),
    ]

    package var id = DeliveryID(rawValue: 0)
    package var looksAtDevices = false

    package init() {}

    package func perform(in operations: Operations) throws -> DeliveryStatistics {
        let delivery = try operations.requireDelivery(id)
        let reader = operations.store.statistics
        let figures = try reader.figures(of: id)
        let devices =
            looksAtDevices && delivery.removed == nil ? try reader.devices(of: id) : nil
        return DeliveryStatistics(delivery, figures, devices)
    }
}

package struct DeliveryStatistics: View, Equatable {
    package static let about = [
        "receipts":
            "all reported receipts, including repeated ones; `counts.received` counts each message once",
        "clicks":
            "all reported clicks, including repeated ones; `counts.clicked` counts each message once",
    ]

    package struct Reason: View, Hashable {
        package var app: String
        /// Campaign's type and reason; `nil` if there is none.
        package var failureType: String?
        package var failureReason: String?
        /// The gateway's reason, or PushMTA's own.
        package var providerReason: String
        package var count: Int
    }

    /// The counts of one app in the delivery.
    package struct AppCounts: View, Equatable {
        package var app: String
        package var platform: String
        /// The environment of the app now; `nil` if the store no longer has it.
        package var environment: PushEnvironment?
        package var sent = 0
        package var failed = 0
        package var cancelled = 0
        package var excluded = 0
        package var retrying = 0
        package var received = 0
        package var clicked = 0
        /// The numbers of all reports, including repeated ones.
        package var receipts = 0
        package var clicks = 0
    }

    /// The numbers of messages that, in one minute, reached their final result or were reported by a device
    /// for the first time.
    package struct Minute: View, Equatable {
        package var app: String
        package var minute: WallTime
        package var sent = 0
        package var failed = 0
        package var received = 0
        package var clicked = 0
    }

    package var id: DeliveryID
    package var label: String
    package var state: DeliveryState
    package var counts: DeliveryView.Counts
    /// The numbers of all reports, including repeated ones.
    package var receipts: Int
    package var clicks: Int
    package var apps: [AppCounts]
    /// The most frequent reason first.
    package var exclusions: [Reason]
    package var failures: [Reason]
    /// The counts for each minute, in order. Minutes without events are omitted.
    package var minutes: [Minute]
    /// The kinds of devices to which messages were sent, the most frequent first. The key is omitted if the
    /// devices were not counted.
    package var devices: [DeviceCount]?
}

/// A kind of device, and the number of such devices.
package struct DeviceCount: View, Equatable {
    package var app: String
    package var platform: String
    /// `iOS 16.4`, `Android 13`; empty if the device did not report it.
    package var os: String
    package var language: String
    package var count: Int

    init(_ figure: DeviceFigure, app: String, platform: Platform?) {
        self.app = app
        self.platform = platform?.rawValue ?? ""
        os = figure.osVersion.isEmpty ? figure.osName : figure.osVersion
        language = figure.language
        count = figure.count
    }
}

extension DeliveryStatistics {
    init(_ delivery: DeliverySummary, _ figures: DeliveryFigures, _ devices: [DeviceFigure]?) {
        id = delivery.id
        label = delivery.label
        state = delivery.state
        var hits: [HitKind: Int] = [:]
        for figure in figures.hits { hits[figure.kind, default: 0] += figure.count }
        counts = DeliveryView.Counts(delivery.counts, hits: hits)
        for figure in figures.repeatedHits { hits[figure.kind, default: 0] += figure.count }
        (receipts, clicks) = (hits[.received] ?? 0, hits[.clicked] ?? 0)
        func name(_ app: AppID) -> String { figures.apps[app]?.name ?? "\(app)" }
        apps = Self.apps(figures, name)
        exclusions = Self.reasons(.excluded, figures, name)
        failures = Self.reasons(.failed, figures, name)
        minutes = Self.minutes(figures, name)
        self.devices = devices?.map {
            DeviceCount($0, app: name($0.app), platform: figures.apps[$0.app]?.platform)
        }
    }

    private static func apps(_ figures: DeliveryFigures, _ name: (AppID) -> String) -> [AppCounts] {
        var counts: [AppID: AppCounts] = [:]
        func change(_ app: AppID, _ body: (inout AppCounts) -> Void) {
            let named = figures.apps[app]
            let none = AppCounts(
                app: name(app), platform: named?.platform.rawValue ?? "", environment: named?.environment)
            body(&counts[app, default: none])
        }
        for figure in figures.messages {
            change(figure.app) { counts in
                switch figure.state {
                case .sent: counts.sent += figure.count
                case .failed: counts.failed += figure.count
                case .cancelled: counts.cancelled += figure.count
                case .excluded: counts.excluded += figure.count
                case .retrying: counts.retrying += figure.count
                case .pending: break
                }
            }
        }
        for figure in figures.hits {
            change(figure.app) { counts in
                switch figure.kind {
                case .received: counts.received += figure.count
                case .clicked: counts.clicked += figure.count
                }
            }
        }
        for figure in figures.hits + figures.repeatedHits {
            change(figure.app) { counts in
                switch figure.kind {
                case .received: counts.receipts += figure.count
                case .clicked: counts.clicks += figure.count
                }
            }
        }
        return counts.values.sorted { $0.app < $1.app }
    }

    private static func reasons(
        _ state: MessageState, _ figures: DeliveryFigures, _ name: (AppID) -> String
    ) -> [Reason] {
        var counts: [Reason: Int] = [:]
        for figure in figures.messages where figure.state == state {
            let reason = Reason(
                app: name(figure.app), failureType: figure.type?.label,
                failureReason: figure.reason?.label, providerReason: figure.word, count: 0)
            counts[reason, default: 0] += figure.count
        }
        return counts.map { reason, count in
            var reason = reason
            reason.count = count
            return reason
        }.sorted { ($1.count, $0.app, $0.providerReason) < ($0.count, $1.app, $1.providerReason) }
    }

    private static func minutes(_ figures: DeliveryFigures, _ name: (AppID) -> String) -> [Minute] {
        struct Key: Hashable {
            var app: AppID
            var minute: Int64
        }
        var minutes: [Key: Minute] = [:]
        func change(_ app: AppID, _ minute: Int64, _ body: (inout Minute) -> Void) {
            let time = WallTime(secondsSince1970: minute.clampedProduct(60))
            body(&minutes[Key(app: app, minute: minute), default: Minute(app: name(app), minute: time)])
        }
        for figure in figures.messages where figure.state == .sent || figure.state == .failed {
            change(figure.app, figure.minute) {
                if figure.state == .sent { $0.sent += figure.count } else { $0.failed += figure.count }
            }
        }
        for figure in figures.hits {
            change(figure.app, figure.minute) {
                if figure.kind == .clicked { $0.clicked += figure.count } else { $0.received += figure.count }
            }
        }
        return minutes.values.sorted { ($0.minute, $0.app) < ($1.minute, $1.app) }
    }
}
