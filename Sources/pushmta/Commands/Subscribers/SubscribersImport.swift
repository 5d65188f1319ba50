internal import ArgumentParser
internal import PushModel
internal import PushStore
internal import PushWire

struct SubscribersImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import subscribers from a CSV file.",
        discussion: """
            UTF-8, columns separated by commas, fields in quotation marks where they hold commas, quotation marks or \
            line breaks. The first line names the columns: registrationToken and userKey in any order; every further \
            column is a subscription parameter.

            A row whose token is known updates that subscriber. Bad rows are reported with their line and left out, \
            good ones are kept; doing it again is harmless. Exit status: 0 every row was good, 1 some were rejected, \
            3 none was good or the first line is wrong.
            """)

    @Argument(help: "The file; - is standard input.")
    var file: String

    @Option(help: "The application's name.")
    var app: String

    @Option(help: ArgumentHelp(
        "Write rejected rows to this file: CSV with line and reason.", discussion: "Without it the first 10 are shown.",
        valueName: "file"))
    var rejects: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() async throws {
        let instance = try Instance(config)
        let store = try instance.openStore()
        let app = try store.catalogue.requireApp(named: app)
        var rows = SubscriberImport(importer: store.subscriberImporter, app: app, storePath: instance.storePath)
        var rejectLog = try RejectLog(path: rejects)
        do {
            var reader = try FileReader(path: file)
            try await rows.run(from: &reader, rejects: &rejectLog)
        } catch let error as WireError {
            throw CommandFailure.refused("\(file == "-" ? "standard input" : file): \(error)")
        }
        try rejectLog.finish()
        try show(rows.counts, rejected: rejectLog.count)
        if rejectLog.count > 0 { throw rows.counts.rows == 0 ? Ending.refused : Ending.failed }
    }

    private func show(_ counts: ImportCounts, rejected: Int) throws {
        guard !json.isWanted else {
            return try StandardOutput.json([
                "rows": .integer(counts.rows + rejected), "inserted": .integer(counts.inserted),
                "updated": .integer(counts.updated), "unchanged": .integer(counts.unchanged),
                "repeated": .integer(counts.repeated), "rejected": .integer(rejected),
            ])
        }
        let rows = counts.rows + rejected
        try StandardOutput.line(
            "\(rows) row\(rows == 1 ? "" : "s"): \(counts.inserted) new, \(counts.updated) changed, "
                + "\(counts.unchanged) unchanged, \(counts.repeated) repeated, \(rejected) rejected")
    }
}

extension ImportCounts {
    /// Rows that were taken.
    var rows: Int { inserted + updated + unchanged + repeated }
}
