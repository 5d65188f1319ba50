/// A delivery's statistics as the API tells them.
package struct StatisticsReport: Decodable, Equatable, Sendable {
    /// Of an app, in all or in a minute.
    package struct AppCounts: Decodable, Equatable, Sendable {
        package var app: String
        package var sent = 0
        package var failed = 0
        package var received = 0
        package var clicked = 0

        var text: String { "\(sent) sent, \(failed) failed, \(received) received, \(clicked) clicked" }
    }
    /// Of one kind, in an app.
    package struct Devices: Decodable, Equatable, Sendable {
        package var app: String
        package var os: String
        package var language: String
        package var count: Int
    }

    package var id: Int
    package var state: String
    package var counts: DeliveryReport.Counts
    package var apps: [AppCounts]
    package var minutes: [AppCounts]
    package var devices: [Devices]?
}

/// A service's statistics as the API tells them.
package struct ServiceReport: Decodable, Equatable, Sendable {
    package struct AppCounts: Decodable, Equatable, Sendable {
        package struct Day: Decodable, Equatable, Sendable { package var registered: Int }

        package var app: String
        package var valid: Int
        package var quarantined: Int
        package var disabled: Int
        package var days: [Day]
        package var devices: [StatisticsReport.Devices]
    }
    package var apps: [AppCounts]
}
