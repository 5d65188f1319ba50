internal import ArgumentParser

/// Scenarios from documents, and a report of them.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Run scenarios from documents and write a report: text, JSON and a page with plots.",
        discussion: """
            Each scenario has a testbed of its own: an engine, a store, and a synthetic gateway on this machine's cores. \
            Docs/Scenarios has scenarios, Docs/LoadReports.md says what their documents hold and how a report is read. \
            Writes report.txt, report.json and report.html after each scenario, and prints the text. Exit status 0: every \
            message came to its end; 1: some did not, or a document was refused; 2: wrong usage.

            Example: pushload report Docs/Scenarios/one-message-in-ten-fails.json --output report
            """)

    @Argument(help: "Documents of scenarios.") var scenarios: [String]
    @Option(
        help: ArgumentHelp("The chance of all of them, in the place of the documents'.", valueName: "number"))
    var seed: Int?
    @Option(help: ArgumentHelp("Where the report is written; made where it is missing.", valueName: "folder"))
    var output = "load-report"
    @Option(
        help: ArgumentHelp(
            "Send to this gateway of APNs' kind, https://HOST:PORT, and start no synthetic one.",
            valueName: "url"))
    var gateway: String?
    @Option(
        help: ArgumentHelp(
            "Keys and authority for --gateway, as 'pushsink certs' makes them.", valueName: "folder"))
    var certs: String?

    func validate() throws {
        guard !scenarios.isEmpty else { throw ValidationError("Name at least one document of a scenario.") }
        if let seed, !(0...Int(Int32.max)).contains(seed) {
            throw ValidationError("--seed takes 0 to \(Int32.max).")
        }
        if certs != nil, gateway == nil { throw ValidationError("--certs goes with --gateway alone.") }
        do { _ = try external } catch { throw ValidationError(error.description) }
    }

    private var external: GatewayAddress? {
        get throws(LoadError) {
            guard let gateway else { return nil }
            return try GatewayAddress(url: gateway, certificates: certs)
        }
    }

    func run() async throws {
        let external = try external
        let documents = try scenarios.map { try document($0, external) }
        try Folder.makeFolder(output)
        let machine =
            "\(Machine.cores) cores of \(Machine.processor), \(Machine.memoryGigabytes) GB, \(Machine.system)"
        var report = LoadReport(machine: machine)
        let display = ProgressDisplay()
        defer { display.end() }
        for (number, document) in documents.enumerated() {
            let place = documents.count > 1 ? "\(number + 1)/\(documents.count) " : ""
            display.begin(place + document.name)
            let came = try await Testbed.use(ReportRun.settings(document, external: external)) { testbed in
                try await ReportRun(document, in: testbed) { display.show($0) }.run()
            }
            report.scenarios.append(came)
            try write(report)
        }
        display.end()
        Terminal.line(report.text)
        let broken = report.scenarios.filter { $0.ended != $0.document.messages }
        guard broken.isEmpty else {
            let names = broken.map {
                "\($0.document.name): \($0.ended) of \($0.document.messages) messages ended"
            }
            throw LoadError(names.joined(separator: "; "))
        }
    }

    private func document(_ path: String, _ external: GatewayAddress?) throws(LoadError) -> ScenarioDocument {
        var document = try ScenarioDocument(try Folder.read(path), from: path)
        if let seed { document.seed = seed }
        if external != nil, document.isAndroid || document.accounts > 1 {
            throw LoadError("\(path): --gateway takes scenarios with platform \"ios\" and accounts 1")
        }
        return document
    }

    private func write(_ report: LoadReport) throws(LoadError) {
        for (name, text) in [
            ("report.txt", report.text), ("report.json", try report.json), ("report.html", report.html),
        ] {
            try Folder.write(Array(text.utf8), to: "\(output)/\(name)", mode: 0o644)
        }
    }
}
