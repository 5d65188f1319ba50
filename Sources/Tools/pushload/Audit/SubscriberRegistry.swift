/// The result of comparing exported subscribers with the expected subscribers.
package struct SubscriberRegistry: Sendable {
    var expected = 0
    package var stored = 0
    /// Expected subscribers whose exported user key or parameters differ from the expected values.
    package var different = 0
    package var missing = 0
    /// Subscribers that no device registered.
    package var strange = 0

    /// - Parameter known: The expected registrations. If a token occurs more than once, its last registration
    ///   counts.
    mutating func compare(
        _ known: [FleetDevice.Registration], with export: (columns: [String], rows: ArraySlice<[String]>)
    ) {
        let known = Dictionary(known.map { ($0.token, $0) }, uniquingKeysWith: { $1 })
        expected += known.count
        stored += export.rows.count
        var found = 0
        for row in export.rows {
            guard row.count == export.columns.count, let device = known[row[0]] else {
                strange += 1
                continue
            }
            found += 1
            // A parameter without a value counts as absent.
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
    /// Returns an app's subscribers as `subscribers export` writes them without facts. Each row consists of
    /// the token, the user key and the parameters.
    func subscribers(of app: String) async throws -> (columns: [String], rows: ArraySlice<[String]>) {
        let export = try await succeed(
            ["subscribers", "export", "--app", app, "--without-facts"], within: .seconds(600))
        var rows = CommaSeparated.rows(of: Array(export.output.utf8))[...]
        guard let columns = rows.popFirst(), columns.prefix(2) == ["token", "userKey"] else {
            throw LoadError.unreadable("subscribers export", "the first line does not name the columns")
        }
        return (columns, rows)
    }
}

/// Reads the CSV (RFC 4180) that `subscribers export` writes, and removes the apostrophes that prevent
/// spreadsheets from evaluating text as a formula.
package enum CommaSeparated {
    package static func rows(of bytes: [UInt8]) -> [[String]] {
        var rows: [[String]] = []
        var (row, field): ([String], [UInt8]) = ([], [])
        // `mayContinue` is true after a quotation mark within quotes. If another quotation mark follows
        // directly, the two represent one quotation mark in the field.
        var (isQuoted, mayContinue) = (false, false)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""):
                if mayContinue { field.append(byte) }
                mayContinue = isQuoted
                isQuoted.toggle()
                continue
            case UInt8(ascii: ",") where !isQuoted, UInt8(ascii: "\n") where !isQuoted:
                row.append(String(decoding: withoutGuard(field), as: UTF8.self))
                field.removeAll(keepingCapacity: true)
                guard byte == UInt8(ascii: "\n") else { break }
                rows.append(row)
                row.removeAll(keepingCapacity: true)
            default: field.append(byte)
            }
            mayContinue = false
        }
        return rows
    }

    /// Removes the apostrophe that the engine writes before text that begins with a formula character, or
    /// with apostrophes followed by a formula character.
    private static func withoutGuard(_ field: [UInt8]) -> ArraySlice<UInt8> {
        guard field.first == UInt8(ascii: "'"),
            let mark = field.first(where: { $0 != UInt8(ascii: "'") }), Array("=+-@\t\r".utf8).contains(mark)
        else { return field[...] }
        return field.dropFirst()
    }
}
