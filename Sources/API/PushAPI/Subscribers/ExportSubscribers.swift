internal import PushModel
internal import PushStore
internal import PushWire

/// Exports the subscribers of an application as CSV or JSON lines, in the formats that ``ImportSubscribers``
/// reads, with all collected facts.
///
/// A CSV file names its columns before its first row, so all rows are read twice. Only one page at a time is
/// held in memory.
package struct ExportSubscribers: Download {
    package static let name = "subscribers.export"
    package static let operation = Operation(
        .get, "/apps/{app}/subscribers/export", .read,
        "Returns all subscribers of an app, with all collected facts, as CSV or JSON lines.",
        .lengthy)
    package static let members: [Member<Self>] = [
        .path(\.app, "app", "The app's name."),
        .query(
            \.hasFacts, "facts", "Whether the facts that the server collected are included.", default: true),
    ]
    package static let answerTypes = SubscriberFormat.allCases.map(\.mediaType)
    package static var answerExamples: [String: String] { SubscriberFormat.exportExamples }

    package private(set) var app = ""
    /// Whether the file contains collected facts in addition to what ``ImportSubscribers`` stores as it is.
    package private(set) var hasFacts = true

    package init() {}
    package init(app: String, withFacts hasFacts: Bool = true) { (self.app, self.hasFacts) = (app, hasFacts) }

    package func check(in operations: Operations) throws { _ = try operations.requireApp(named: app) }

    package func perform(
        in operations: Operations, type: String, write: ([UInt8]) async throws -> Void
    ) async throws {
        do {
            let app = try operations.requireApp(named: app)
            switch SubscriberFormat(mediaType: type) {
            case .jsonLines: try await exportLines(of: app, operations.store.subscribers, write)
            case .csv, nil: try await exportCSV(of: app, operations.store.subscribers, write)
            }
        } catch {
            throw OperationError(error)
        }
    }

    private func exportLines(
        of app: App, _ reader: SubscriberReader, _ write: ([UInt8]) async throws -> Void
    ) async throws {
        try await reader.forEachPageWithFacts(of: app.id) { subscribers in
            var bytes: [UInt8] = []
            for (record, facts) in subscribers.map({ ($0.record, $0.facts) }) {
                let userKey: JSONValue = record.userKey.isEmpty ? .null : .string(record.userKey)
                var members = [
                    JSONMember(key: "token", value: .string(record.token)),
                    JSONMember(key: "userKey", value: userKey),
                ]
                for fact in hasFacts ? Self.facts : [] {
                    let text = facts.text(of: fact)
                    if !text.isEmpty { members.append(JSONMember(key: fact.rawValue, value: .string(text))) }
                }
                members.append(
                    JSONMember(key: "parameters", value: .object(try Self.parameters(of: record))))
                JSONValue.object(members).append(to: &bytes)
                bytes.append(UInt8(ascii: "\n"))
            }
            try await write(bytes)
        }
    }

    private func exportCSV(
        of app: App, _ reader: SubscriberReader, _ write: ([UInt8]) async throws -> Void
    ) async throws {
        // In a file, as in texts and targets, the name of a fact means the fact, unless the app declares it.
        let known = CollectedFact.known(besides: app.settings.parameters)
        let facts = hasFacts ? Self.facts.filter(known.contains) : []
        let parameters = try await Self.parameterNames(of: app, in: reader)
        var columns: [String: Int] = [:]
        for (index, name) in parameters.enumerated() { columns[name] = index }
        var csv = CSVWriter()
        // A parameter may also be named `token`.
        csv.appendRow(
            [parameters.contains("token") ? "registrationToken" : "token", "userKey"]
                + parameters.map { ParameterColumn.name(of: $0, besides: known) } + facts.map(\.rawValue))
        try await reader.forEachPageWithFacts(of: app.id) { subscribers in
            for subscriber in subscribers {
                let record = subscriber.record
                csv.append(record.token)
                csv.append(record.userKey)
                var values = [String](repeating: "", count: parameters.count)
                for member in try Self.parameters(of: record) {
                    guard let column = columns[member.key] else {
                        throw OperationError.failed(
                            "subscribers of \(app.name) changed during the export; repeat the export")
                    }
                    if case .string(let value) = member.value { values[column] = value }
                }
                for value in values { csv.append(value) }
                for fact in facts { csv.append(subscriber.facts.text(of: fact)) }
                csv.endRow()
            }
            try await write(csv.bytes)
            csv.removeAll()
        }
    }

    /// The facts in a file, without the user key, which has its own place.
    private static let facts = CollectedFact.allCases.filter { $0 != .userKey }

    private static func parameterNames(
        of app: App, in reader: SubscriberReader
    ) async throws -> [String] {
        var names: Set<String> = []
        try await reader.forEachPage(of: app.id) { records in
            for record in records {
                for member in try parameters(of: record) { names.insert(member.key) }
            }
        }
        return names.sorted()
    }

    private static func parameters(of record: SubscriberRecord) throws -> [JSONMember] {
        guard let text = record.parametersJSON,
            case .object(let members) = try JSONParser.parse(Array(text.utf8))
        else { return [] }
        return members
    }
}
