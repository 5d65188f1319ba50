internal import ArgumentParser

/// Runs scenarios from documents and reports on them.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Run scenarios from documents and write a report as text, JSON and a page with plots.",
        discussion: """
            Each scenario runs in its own testbed: an engine, a store, and a synthetic gateway on this \
            machine's cores. Docs/Scenarios contains scenarios. Docs/Inside/LoadReports.md describes their \
            documents and the report. Writes report.txt, report.json and report.html after each scenario, \
            and prints the text. Exit status 0: every message ended; 1: some messages did not end; 2: wrong \
            usage, or a document was refused before any scenario started.

            --gateway sends to a gateway that runs elsewhere. Without --token-server, the gateway speaks \
            APNs over HTTP/2, and all scenarios must have platform "ios". With --token-server, it speaks FCM \
            HTTP v1, and all scenarios must have platform "android". With --gateway, there is one account, \
            and the gateway settings in the documents have no effect.

            Example: pushload report Docs/Scenarios/one-message-in-ten-fails.json --output report
            """)

    @Argument(help: "Scenario documents.") var scenarios: [String]
    @Option(
        help: ArgumentHelp(
            "The random seed of all scenarios, instead of the seeds in the documents.", valueName: "number"))
    var seed: Int?
    @Option(
        help: ArgumentHelp("The folder for the report. Created if it does not exist.", valueName: "folder"))
    var output = "load-report"
    @Option(
        help: ArgumentHelp(
            "Send to this gateway, https://HOST:PORT, instead of starting a synthetic one.", valueName: "url")
    )
    var gateway: String?
    @Option(
        help: ArgumentHelp(
            """
            The server that issues access tokens for --gateway, https://HOST:PORT. With this option, the \
            gateway is FCM instead of APNs.
            """,
            valueName: "url"))
    var tokenServer: String?
    @Option(
        help: ArgumentHelp(
            "Keys and authority for --gateway, as created by 'pushsink certs'.", valueName: "folder"))
    var certs: String?

    func validate() throws {
        guard !scenarios.isEmpty else { throw ValidationError("Specify at least one scenario document.") }
        if let seed, !(0...Int(Int32.max)).contains(seed) {
            throw ValidationError("--seed must be from 0 to \(Int32.max).")
        }
        if certs != nil, gateway == nil { throw ValidationError("--certs requires --gateway.") }
        if tokenServer != nil, gateway == nil {
            throw ValidationError("--token-server requires --gateway.")
        }
        do { _ = try external } catch { throw ValidationError(error.description) }
    }

    private var external: ExternalGateway? {
        get throws(LoadError) {
            guard let gateway else { return nil }
            return ExternalGateway(
                try GatewayAddress(url: gateway),
                tokenServer: try tokenServer.map { url throws(LoadError) in
                    try GatewayAddress(url: url, option: "token-server")
                }, certificates: certs)
        }
    }

    func run() async throws {
        let external = try external
        let documents = try scenarios.map { path in
            do throws(LoadError) { return try document(path, external) } catch {
                throw RefusedInput(error)
            }
        }
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

    private func document(_ path: String, _ external: ExternalGateway?) throws(LoadError) -> ScenarioDocument
    {
        var document = try ScenarioDocument(try Folder.read(path), from: path)
        if let seed { document.seed = seed }
        guard let external else { return document }
        let isFCM = external.tokenServer != nil
        guard document.isAndroid == isFCM, document.accounts == 1 else {
            throw LoadError(
                "\(path): platform is \"\(document.isAndroid ? "android" : "ios")\" and accounts "
                    + "\(document.accounts); --gateway requires "
                    + "\(isFCM ? "\"android\" with" : "\"ios\" without") --token-server, and accounts 1"
            )
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
