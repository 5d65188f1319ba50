internal import ArgumentParser
internal import Glibc
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
            3 none was good or the first line is wrong. Interrupted, it keeps what is in the store, and what it has \
            rejected until then.
            """)

    @Argument(help: "The file; - is standard input.")
    var file: String

    @Option(help: "The application's name.")
    var app: String

    @Option(help: ArgumentHelp(
        "Write rejected rows to this file: CSV with line and reason.",
        discussion: """
            Without it the first 10 are shown. It appears when the import ends; an earlier file of rejects is replaced, \
            any other is refused.
            """,
        valueName: "file"))
    var rejects: String?

    @Flag(help: "Replace the file of --rejects, whatever it is; never the file that is imported, nor through a link.")
    var force = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() async throws {
        let instance = try Instance(config)
        let store = try instance.openStore()
        let app = try store.catalogue.requireApp(named: app)
        var reader = try FileReader(path: file)
        var rejectLog = RejectLog(file: try rejectsFile(beside: reader.identity, storePath: instance.storePath))
        let interruption = Interruption(SIGINT, SIGTERM)
        var rows = SubscriberImport(
            importer: store.subscriberImporter, app: app, storePath: instance.storePath, interruption: interruption)
        do {
            try await rows.run(from: &reader, rejects: &rejectLog)
        } catch {
            // What ended the import is said by whoever catches it; that its rejects are lost as well is said here.
            do { try rejectLog.finishAfterFailure() } catch { StandardError.complain("\(error)") }
            switch error {
            case let error as WireError: throw CommandFailure.refused("\(reader.name): \(error)")
            case is SubscriberImport.Interrupted:
                StandardError.line(
                    "interrupted: \(Numerals.count(rows.counts.rows, "row")) are in the store, \(rejectLog.count) were "
                        + "rejected; the same import again is harmless")
                interruption.obey()
            default: throw error
            }
        }
        try rejectLog.finish()
        try show(rows.counts, rejected: rejectLog.count)
        if rejectLog.count > 0 { throw rows.counts.rows == 0 ? Ending.refused : Ending.failed }
    }

    private func rejectsFile(
        beside input: FileIdentity?, storePath: String
    ) throws(CommandFailure) -> RejectsFile? {
        guard let rejects else { return nil }
        var spared: [RejectsFile.Spared] = []
        if let input { spared.append(.init(identity: input, name: "the file that is imported")) }
        for suffix in ["", "-wal", "-shm"] {
            if let part = FileIdentity(path: storePath + suffix) { spared.append(.init(identity: part, name: "the store")) }
        }
        return try RejectsFile.begin(path: rejects, isForced: force, sparing: spared)
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
