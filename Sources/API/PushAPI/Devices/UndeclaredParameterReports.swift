package import PushModel

/// Counts registrations with parameters that their app does not declare, and formulates a log line about each
/// app once an hour.
package struct UndeclaredParameterReports: Sendable {
    fileprivate struct AppCounts {
        var name: String
        var total = 0
        var sinceReport = HourlyCount()
        /// The undeclared names that were sent since the last report, shortened and printable.
        var names: [String] = []
    }

    /// The maximum number of names in a line. Devices choose the names, so the number must be limited.
    static let maximumNamesInLine = 5

    private var apps: [AppID: AppCounts] = [:]

    package init() {}

    /// For each app, the number of such registrations since this process started. The apps are ordered by
    /// name.
    package var totals: [(app: String, registrations: Int)] {
        apps.values.map { ($0.name, $0.total) }.sorted { $0.0 < $1.0 }
    }

    /// - Returns: A line for the log, if one is due for this app.
    package mutating func note(_ names: [String], app: AppID, named name: String, at now: MonotonicTime)
        -> String?
    {
        var counts = apps[app] ?? AppCounts(name: name)
        counts.name = name
        counts.total += 1
        for name in names where counts.names.count <= Self.maximumNamesInLine {
            let name = name.printable(atMost: 64)
            if !counts.names.contains(name) { counts.names.append(name) }
        }
        var line: String?
        if let registrations = counts.sinceReport.add(at: now) {
            line = counts.line(about: registrations)
            counts.names = []
        }
        apps[app] = counts
        return line
    }
}

extension UndeclaredParameterReports.AppCounts {
    fileprivate func line(about registrations: Int) -> String {
        let limit = UndeclaredParameterReports.maximumNamesInLine
        let shown = names.prefix(limit).joined(separator: ", ") + (names.count > limit ? ", …" : "")
        return
            """
            app \(name): \(HourlyCount.subject(registrations)) parameters that the app does not declare \
            (\(shown)); their values are not stored; correct the names in the app, or declare them as \
            parameters of the app; the next such line follows in an hour at the earliest, and \
            'pushmta app show \(name)' shows the counts
            """
    }
}
