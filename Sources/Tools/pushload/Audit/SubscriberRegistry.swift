/// Subscribers as an export has them, beside what they should be.
package struct SubscriberRegistry: Sendable {
    var expected = 0
    package var stored = 0
    /// Of the expected ones, under another user key or with other parameters.
    package var different = 0
    package var missing = 0
    /// That nobody registered.
    package var strange = 0

    /// - Parameter known: of one token, the last one holds.
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
        guard let columns = rows.popFirst(), columns.prefix(2) == ["token", "userKey"] else {
            throw LoadError.unreadable("subscribers export", "its first line names no columns")
        }
        return (columns, rows)
    }
}

/// Rows as `subscribers export` writes them (RFC 4180), without the apostrophe that guards against formulas.
package enum CommaSeparated {
    package static func rows(of bytes: [UInt8]) -> [[String]] {
        var rows: [[String]] = []
        var (row, field): ([String], [UInt8]) = ([], [])
        // After a quotation mark within quotes, which another one makes a part of the field.
        var (isQuoted, mayGoOn) = (false, false)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""):
                if mayGoOn { field.append(byte) }
                mayGoOn = isQuoted
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
            mayGoOn = false
        }
        return rows
    }

    /// The engine puts an apostrophe before text that begins with a formula's character, with or without
    /// apostrophes before that.
    private static func withoutGuard(_ field: [UInt8]) -> ArraySlice<UInt8> {
        guard field.first == UInt8(ascii: "'"),
            let mark = field.first(where: { $0 != UInt8(ascii: "'") }), Array("=+-@\t\r".utf8).contains(mark)
        else { return field[...] }
        return field.dropFirst()
    }
}
