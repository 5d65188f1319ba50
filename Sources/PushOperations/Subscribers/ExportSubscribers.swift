internal import PushModel
internal import PushStore
internal import PushWire

/// The subscribers of an application as CSV, in the format that ``ImportSubscribers`` reads; every
/// subscription parameter has its column.
///
/// A CSV file names its columns before its first row, so all rows are read twice; memory holds one page.
package struct ExportSubscribers: Sendable {
    package var app: String

    package init(app: String) { self.app = app }

    /// - Parameter write: is given the file's bytes in their order.
    package func perform(in operations: Operations, write: ([UInt8]) throws -> Void) throws(OperationError) {
        do {
            try export(try operations.requireApp(named: app), operations.store.subscribers, write)
        } catch {
            throw OperationError(error)
        }
    }

    private func export(_ app: App, _ reader: SubscriberReader, _ write: ([UInt8]) throws -> Void) throws {
        let parameters = try Self.parameterNames(of: app, in: reader)
        var columns: [String: Int] = [:]
        for (index, name) in parameters.enumerated() { columns[name] = index }
        var csv = CSVWriter()
        // A parameter may have the name of the column.
        csv.appendRow([parameters.contains("token") ? "registrationToken" : "token", "userKey"] + parameters)
        try Self.forEachPage(of: app, in: reader) { records in
            for record in records {
                csv.append(record.token)
                csv.append(record.userKey)
                var values = [String](repeating: "", count: parameters.count)
                for member in try Self.parameters(of: record) {
                    guard let column = columns[member.key] else {
                        throw OperationError.failed(
                            "subscribers of \(app.name) changed during the export; run it again")
                    }
                    if case .string(let value) = member.value { values[column] = value }
                }
                for value in values { csv.append(value) }
                csv.endRow()
            }
            try write(csv.bytes)
            csv.removeAll()
        }
        if !csv.bytes.isEmpty { try write(csv.bytes) }
    }

    private static func parameterNames(of app: App, in reader: SubscriberReader) throws -> [String] {
        var names: Set<String> = []
        try forEachPage(of: app, in: reader) { records in
            for record in records {
                for member in try parameters(of: record) { names.insert(member.key) }
            }
        }
        return names.sorted()
    }

    private static func forEachPage(
        of app: App, in reader: SubscriberReader, _ body: ([SubscriberRecord]) throws -> Void
    ) throws {
        var next: SubscriptionID?
        repeat {
            let page = try reader.page(of: app.id, after: next)
            try body(page.records)
            next = page.next
        } while next != nil
    }

    private static func parameters(of record: SubscriberRecord) throws -> [JSONMember] {
        guard let text = record.parametersJSON,
            case .object(let members) = try JSONParser.parse(Array(text.utf8))
        else { return [] }
        return members
    }
}
