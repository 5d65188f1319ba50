/// The operator of a testbed: the commands that a person would type.
extension Testbed {
    /// The output of a command and the resources that it used.
    package struct CommandResult: Sendable {
        var command: String
        package var output: String
        package var complaints: String
        package var ending: RunningProcess.ExitInfo
        package var seconds: Double

        /// - Throws: ``LoadError`` if the command ended with an exit status that is not in `statuses`.
        // The function throws an untyped error, because the optimiser of Swift 6.3.1 crashes if it inlines a
        // function with a typed error into an async function.
        func require(_ statuses: Int32...) throws {
            guard !statuses.contains(ending.status) else { return }
            let said = complaints.split(separator: "\n").joined(separator: " | ")
            throw LoadError("\(command) ended with \(ending): \(said)")
        }
    }

    /// The arguments with which every command begins.
    var configuration: [String] { ["--config", folder.file("serverConf.xml")] }

    /// Runs one `pushmta` command, whatever its result.
    package func pushmta(_ arguments: [String]) async throws -> CommandResult {
        try await run(programs.pushmta, configuration + arguments)
    }

    /// Starts a command in the background. The command does not outlive the testbed.
    package func launch(_ arguments: [String]) throws(LoadError) -> RunningProcess {
        try start(programs.pushmta, configuration + arguments)
    }

    /// Runs a command that must succeed.
    @discardableResult
    package func succeed(
        _ arguments: [String], within limit: Duration = Waiting.patience
    ) async throws -> CommandResult {
        try await succeed(programs.pushmta, configuration + arguments, within: limit)
    }

    /// Returns the JSON output of a command that must succeed.
    func json<Answer: Decodable>(_ arguments: String...) async throws -> Answer {
        let said = try await succeed(arguments + ["--json"])
        return try Answer(json: said.output.utf8, from: said.command)
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
        defer {
            process.killAndReap()
            forget(process)
        }
        let ending = try await process.end(within: limit)
        // The command as an error shows it, such as `pushmta delivery show 1`.
        let words = ([program] + arguments).filter { $0 != "--config" && !$0.hasSuffix("serverConf.xml") }
        return CommandResult(
            command: words.map(\.fileName).joined(separator: " "), output: Folder.text(process.output),
            complaints: Folder.text(process.complaints), ending: ending,
            seconds: (ContinuousClock.now - begin).inSeconds)
    }

    /// The API token, with all scopes.
    var apiToken: String { String(Folder.text(folder.file("var/api.token")).prefix { $0 != "\n" }) }

    // MARK: A delivery

    /// Submits the document and returns the delivery's number.
    @discardableResult
    package func submit(_ document: DeliveryText = DeliveryText()) async throws -> Int {
        let result = try await succeed(["delivery", "submit", try prepare(document)])
        guard let id = Int(result.output.firstLine) else {
            throw LoadError("delivery submit did not print a number: '\(result.output)'")
        }
        return id
    }

    /// Writes the document to a file that `delivery submit` can read.
    package func prepare(_ document: DeliveryText) throws(LoadError) -> String {
        try folder.write(document.json, to: "delivery.json")
        return folder.file("delivery.json")
    }

    package func show(_ delivery: Int) async throws -> DeliveryReport {
        try await json("delivery", "show", "\(delivery)")
    }

    /// Returns the report of a delivery, whose counts must add up.
    func sound(_ delivery: Int) async throws -> DeliveryReport {
        let report = try await show(delivery)
        guard report.addsUp else { throw LoadError("the counts do not add up: \(report.summary)") }
        return report
    }

    /// Waits until the delivery has ended, in whatever state.
    @discardableResult
    package func settle(
        _ delivery: Int, within limit: Duration = Waiting.patience,
        maxPollInterval: Duration = Waiting.maxCommandInterval
    ) async throws -> DeliveryReport {
        try await wait(
            for: delivery, "delivery \(delivery) to end", within: limit, maxPollInterval: maxPollInterval,
            \.isOver)
    }

    /// Waits until each delivery has ended, and reports how it ended.
    func settle(_ deliveries: [Int], within limit: Duration, say: (String) -> Void) async throws {
        for delivery in deliveries {
            say("delivery \(delivery) \(try await settle(delivery, within: limit).summary)")
        }
    }

    /// Waits for a state of a delivery. The state may be temporary, so the state is queried often.
    @discardableResult
    package func wait(
        for delivery: Int, _ what: String, within limit: Duration = Waiting.patience,
        maxPollInterval: Duration = Waiting.maxPollInterval, _ condition: (DeliveryReport) -> Bool
    ) async throws -> DeliveryReport {
        var last: DeliveryReport?
        return try await Waiting.until(
            what, within: limit, maxPollInterval: maxPollInterval, seen: { last?.summary ?? "" }
        ) {
            if let engine, engine.ending == nil { try engine.requireRunning() }
            let report = try await sound(delivery)
            last = report
            return condition(report) ? report : nil
        }
    }

    /// Returns the rows of `delivery log`, one per message.
    package func messageLog(
        _ delivery: Int, within limit: Duration = Waiting.patience
    ) async throws -> [MessageRow] {
        let process = try launch(["delivery", "log", "\(delivery)", "--format", "jsonl"])
        defer { forget(process) }
        try await process.endInOrder(within: limit)
        return try Folder.read(process.output).split(separator: UInt8(ascii: "\n")).map {
            try MessageRow(json: $0, from: "a row of the delivery's log")
        }
    }

    /// Returns the result of `status --json`, which ends with exit status 1 if no master is running.
    package func status() async throws -> StatusReport {
        try await status(configuration)
    }

    /// - Parameter program: The program to run; `nil` for the program of this release.
    func status(_ configuration: [String], by program: String? = nil) async throws -> StatusReport {
        let result = try await run(program ?? programs.pushmta, configuration + ["status", "--json"])
        if result.output.isEmpty { try result.require(0) }
        return try StatusReport(json: result.output.utf8, from: "status --json")
    }

    /// Queries `status` until the running master shows the expected state. The state may be temporary, so
    /// `status` is queried often.
    @discardableResult
    package func master<Answer>(
        _ what: String, seen: () -> String = { "" }, shows answer: (StatusReport.Master) -> Answer?
    ) async throws -> Answer {
        try await Waiting.until(what, seen: seen) { try await status().master.flatMap(answer) }
    }
}
