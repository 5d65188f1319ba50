internal import ArgumentParser
internal import PushMaster
internal import PushModel
internal import PushOperations

struct SubscribersImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import subscribers from a CSV file.",
        discussion: """
            UTF-8, columns separated by commas, fields in quotation marks where they hold commas, quotation marks or \
            line breaks. The first line names the columns: registrationToken and userKey in any order; every further \
            column is a subscription parameter.

            A row whose token is known updates that subscriber; one in quarantine stays there, as a list is no \
            registration. Bad rows are reported with their line and left out, \
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

    @Flag(help: "Make subscribers of the file that are in quarantine or disabled valid again.")
    var liftQuarantine = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() async throws {
        let operations = try Operations(config)
        var rejectLog = try RejectLog(path: rejects)
        var reader = try FileReader(path: file)
        var progress = ImportProgress(totalBytes: reader.totalBytes)
        let imported = try await ImportSubscribers(
            app: app, fileName: file == "-" ? "standard input" : file, liftsQuarantine: liftQuarantine
        ).perform(
            in: operations, watchedBy: Watch(report: { progress.show($0) }),
            read: { limit in
                let bytes = try reader.read(upTo: limit)
                progress.bytesRead += bytes.count
                return bytes
            },
            reject: { try rejectLog.take($0) })
        progress.clear()
        try rejectLog.finish()
        try show(imported)
        if imported.rejected > 0 { throw imported.taken == 0 ? Ending.refused : Ending.failed }
    }

    private func show(_ imported: ImportedSubscribers) throws {
        if json.isWanted { return try StandardOutput.json(imported) }
        let rows = imported.rows
        try StandardOutput.line(
            "\(rows) row\(rows == 1 ? "" : "s"): \(imported.inserted) new, \(imported.updated) changed, "
                + "\(imported.unchanged) unchanged, \(imported.repeated) repeated, \(imported.rejected) rejected")
        if imported.quarantined > 0 {
            StandardError.line(
                "\(imported.quarantined) of these are in quarantine or disabled and stay so; "
                    + "--lift-quarantine makes them valid again")
        }
    }
}

/// What a person sees of it.
private struct ImportProgress {
    var bytesRead = 0
    private let totalBytes: Int?
    private let start = Clocks.monotonic()
    private var line = ProgressLine()

    init(totalBytes: Int?) { self.totalBytes = totalBytes }

    /// - Parameter imported: what is in the store.
    mutating func show(_ imported: ImportedSubscribers) {
        line.show { [start, bytesRead, totalBytes] in
            let seconds = max(0.001, Double(Clocks.monotonic().milliseconds(since: start)) / 1_000)
            let rows = imported.taken
            var text = "\(Numerals.count(rows, "row")), \(Numerals.grouped(Int(Double(rows) / seconds)))/s"
            if let totalBytes, totalBytes > 0 { text += ", \(min(100, bytesRead * 100 / totalBytes)) % read" }
            return text
        }
    }

    mutating func clear() { line.clear() }
}
