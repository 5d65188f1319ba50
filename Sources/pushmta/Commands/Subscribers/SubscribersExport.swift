internal import ArgumentParser
internal import PushModel
internal import PushStore
internal import PushWire

struct SubscribersExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the subscribers of an application as CSV.",
        discussion: "The format that 'subscribers import' reads; every subscription parameter has its column.")

    @Option(help: "The application's name.")
    var app: String

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let store = try Instance(config).openStore()
        let app = try store.catalogue.requireApp(named: app)
        let reader = store.subscribers
        let parameters = try Self.parameterNames(of: app, in: reader)
        var columns: [String: Int] = [:]
        for (index, name) in parameters.enumerated() { columns[name] = index }
        var output = FileWriter()
        var csv = CSVWriter()
        csv.appendRow(["registrationToken", "userKey"] + parameters)
        try Self.forEachPage(of: app, in: reader) { records in
            for record in records {
                csv.append(record.token)
                csv.append(record.userKey)
                var values = [String](repeating: "", count: parameters.count)
                for member in try Self.parameters(of: record) {
                    guard let column = columns[member.key] else {
                        throw CommandFailure.failed(
                            "subscribers of \(app.name) changed during the export; run it again")
                    }
                    if case .string(let value) = member.value { values[column] = value }
                }
                for value in values { csv.append(value) }
                csv.endRow()
            }
            let bytes = csv.bytes
            try output.append { $0 += bytes }
            csv.removeAll()
        }
        let rest = csv.bytes
        try output.append { $0 += rest }
        try output.finish()
    }

    /// A CSV file names its columns before its first row, so all rows are read twice.
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
