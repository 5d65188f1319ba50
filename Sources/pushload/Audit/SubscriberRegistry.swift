/// Subscribers as an export has them, beside what they should be.
package struct SubscriberRegistry: Sendable {
    var expected = 0
    package var stored = 0
    /// Of the expected ones, under another user key or with other parameters.
    package var different = 0
    package var missing = 0
    /// That nobody registered.
    package var strange = 0

    /// - Parameter known: by their tokens.
    mutating func compare(
        _ known: [String: FleetDevice.Registration],
        with export: (columns: [String], rows: ArraySlice<[String]>)
    ) {
        expected += known.count
        stored += export.rows.count
        var found = 0
        for row in export.rows {
            guard row.count == export.columns.count, let device = known[row[0]] else {
                strange += 1
                continue
            }
            found += 1
            // What has no value has none.
            let parameters = zip(export.columns.dropFirst(2), row.dropFirst(2)).filter { !$0.1.isEmpty }
            let shown = FleetDevice.Registration(
                token: row[0], userKey: row[1],
                parameters: Dictionary(parameters.map { ($0.0, $0.1) }, uniquingKeysWith: { $1 }))
            if shown != device { different += 1 }
        }
        missing += max(known.count - found, 0)
    }
}

extension Testbed {
    /// Subscribers of an app as `subscribers export` writes them, a row each: token, user key and parameters.
    func subscribers(of app: String) async throws -> (columns: [String], rows: ArraySlice<[String]>) {
        let export = try await succeed(["subscribers", "export", "--app", app], within: .seconds(600))
        var rows = CommaSeparated.rows(of: Array(export.output.utf8))[...]
        guard let columns = rows.popFirst(), columns.prefix(2) == ["registrationToken", "userKey"] else {
            throw LoadError(.unreadable(what: "subscribers export", why: "its first line names no columns"))
        }
        return (columns, rows)
    }
}
