/// The operator of a testbed: the commands that a person would type.
extension Testbed {
    package static let service = "neotrips"
    package static let app = "neotrips-ios"

    /// What a command said and used.
    package struct CommandResult: Sendable {
        var command: String
        package var output: String
        package var complaints: String
        package var ending: RunningProcess.Ending
        package var seconds: Double

        /// - Throws: if it ended with another exit status.
        func require(_ statuses: Int32...) throws(LoadError) {
            guard !statuses.contains(ending.status) else { return }
            let said = complaints.split(separator: "\n").joined(separator: " | ")
            throw LoadError(.commandFailed(command: command, status: "\(ending)", said: said))
        }
    }

    /// One `pushmta` command, whatever becomes of it.
    package func pushmta(_ arguments: [String]) async throws -> CommandResult {
        try await run(programs.pushmta, ["--config", folder.file("serverConf.xml")] + arguments)
    }

    /// One that goes on in the background; it ends with the testbed.
    package func launch(_ arguments: [String]) throws(LoadError) -> RunningProcess {
        try start(programs.pushmta, ["--config", folder.file("serverConf.xml")] + arguments)
    }

    /// One that must succeed.
    @discardableResult
    package func succeed(_ arguments: [String], within limit: Duration = Waiting.patience) async throws
        -> CommandResult
    {
        try await succeed(
            programs.pushmta, ["--config", folder.file("serverConf.xml")] + arguments, within: limit)
    }

    @discardableResult
    func succeed(
        _ program: String, _ arguments: [String], within limit: Duration = Waiting.patience
    ) async throws -> CommandResult {
        let result = try await run(program, arguments, within: limit)
        try result.require(0)
        return result
    }

    private func run(
        _ program: String, _ arguments: [String], within limit: Duration = Waiting.patience
    ) async throws -> CommandResult {
        let begin = ContinuousClock.now
        let process = try start(program, arguments)
        defer { forget(process) }
        do {
            let ending = try await process.end(within: limit)
            return CommandResult(
                command: Self.shortened([program] + arguments), output: Folder.text(process.output),
                complaints: Folder.text(process.complaints),
                ending: ending,
                seconds: (ContinuousClock.now - begin).inSeconds)
        } catch {
            process.killAndReap()
            throw error
        }
    }

    /// `pushmta delivery show 1`
    private static func shortened(_ words: [String]) -> String {
        words.filter { $0 != "--config" && !$0.hasSuffix("serverConf.xml") }
            .map { $0.split(separator: "/").last.map(String.init) ?? $0 }.joined(separator: " ")
    }

    /// The API's, with all scopes.
    var apiToken: String { String(Folder.text(folder.file("var/api.token")).prefix { $0 != "\n" }) }

    // MARK: Before a delivery

    package func createService() async throws { try await succeed(["service", "create", Self.service]) }

    /// The service with its one app, whose credential is as the settings say.
    package func createApp() async throws {
        try await createService()
        try await createApp(Self.app, credential: settings.credential)
    }

    /// One more app of the service.
    package func createApp(_ name: String, credential: TestbedSettings.Credential) async throws {
        try await createApp(
            name,
            ["--platform", "ios", "--connector", "iosHTTP2", "--environment", "production"]
                + options(of: credential), messageIDFormat: settings.messageIDFormat)
    }

    func createApp(_ name: String, _ options: [String], messageIDFormat: String? = nil) async throws {
        try await succeed(
            ["app", "create", name, "--service", Self.service, "--integration-key", name] + options
                + (messageIDFormat.map { ["--message-id-format", $0] } ?? []))
    }

    private func options(of credential: TestbedSettings.Credential) -> [String] {
        let certs = folder.file("certs")
        let password = ["--password-file", "\(certs)/client.password"]
        switch credential {
        case .token:
            return [
                "--p8", "\(certs)/AuthKey_\(account.keyID).p8", "--key-id", account.keyID, "--team-id",
                account.teamID,
                "--bundle-id", account.bundleID,
            ]
        case .certificate: return ["--pem", "\(certs)/client.pem", "--bundle-id", account.bundleID]
        case .pkcs12: return ["--p12", "\(certs)/client.p12", "--bundle-id", account.bundleID] + password
        case .pkcs12OfAKeychain:
            return ["--p12", "\(certs)/client-rc2.p12", "--bundle-id", account.bundleID] + password
        }
    }

    @discardableResult
    package func importSubscribers(
        _ subscribers: SyntheticSubscribers, into app: String = Testbed.app, liftingQuarantine: Bool = false
    ) async throws -> CommandResult {
        let lifting = liftingQuarantine ? ["--lift-quarantine"] : []
        let file = folder.file("subscribers.csv")
        try subscribers.writeCSV(to: file)
        return try await succeed(
            ["subscribers", "import", file, "--app", app] + lifting, within: .seconds(600))
    }

    // MARK: A delivery

    /// Submits the document and returns the delivery's number.
    @discardableResult
    package func submit(_ document: DeliveryText = DeliveryText()) async throws -> Int {
        let result = try await succeed(["delivery", "submit", try prepare(document)])
        guard let id = result.output.split(separator: "\n").first.flatMap({ Int($0) }) else {
            throw LoadError(.wrong("delivery submit printed no number but '\(result.output)'"))
        }
        return id
    }

    /// Writes the document to a file that `delivery submit` can read.
    package func prepare(_ document: DeliveryText) throws(LoadError) -> String {
        try folder.write(document.json, to: "delivery.json")
        return folder.file("delivery.json")
    }

    package func show(_ delivery: Int) async throws -> DeliveryReport {
        let result = try await succeed(["delivery", "show", "\(delivery)", "--json"])
        return try DeliveryReport(json: result.output.utf8, from: "delivery show --json")
    }

    /// Waits until the delivery has ended, one way or another.
    @discardableResult
    package func settle(_ delivery: Int, within limit: Duration = Waiting.patience) async throws
        -> DeliveryReport
    {
        try await wait(
            for: delivery, "delivery \(delivery) to end", within: limit,
            longestNap: Waiting.longestNapBetweenCommands
        ) { $0.isOver }
    }

    /// Waits for a state of a delivery, which may pass: it is looked at often.
    @discardableResult
    package func wait(
        for delivery: Int, _ what: String, within limit: Duration = Waiting.patience,
        longestNap: Duration = Waiting.longestNap, _ condition: (DeliveryReport) -> Bool
    ) async throws -> DeliveryReport {
        var last: DeliveryReport?
        return try await Waiting.until(
            what, within: limit, longestNap: longestNap, seen: { last.map { "\($0.summary)" } ?? "" }
        ) {
            if let engine, engine.ending == nil { try engine.requireRunning() }
            let report = try await show(delivery)
            guard report.addsUp else {
                throw LoadError(.wrong("the counts do not add up: \(report.summary)"))
            }
            last = report
            return condition(report) ? report : nil
        }
    }

    /// `delivery log`, a row a message.
    package func messageLog(
        _ delivery: Int, within limit: Duration = Waiting.patience
    ) async throws -> [MessageRow] {
        let process = try launch(["delivery", "log", "\(delivery)", "--format", "jsonl"])
        defer { forget(process) }
        try await process.endInOrder(within: limit)
        return try MessageRow.read(jsonLines: process.output)
    }

    /// `status --json`, which says exit status 1 where no master runs.
    package func status() async throws -> StatusReport {
        try await status(["--config", folder.file("serverConf.xml")])
    }

    /// - Parameter program: nil: this release's.
    func status(_ configuration: [String], by program: String? = nil) async throws -> StatusReport {
        let result = try await run(program ?? programs.pushmta, configuration + ["status", "--json"])
        if result.output.isEmpty { try result.require(0) }
        return try StatusReport(json: result.output.utf8, from: "status --json")
    }

    /// Asks `status` until the master that runs shows what is waited for, often: it may pass.
    @discardableResult
    package func master<Answer>(
        _ what: String, seen: () -> String = { "" }, shows answer: (StatusReport.Master) -> Answer?
    ) async throws -> Answer {
        try await Waiting.until(what, seen: seen) {
            try await status().master.flatMap(answer)
        }
    }
}
