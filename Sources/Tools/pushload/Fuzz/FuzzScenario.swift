package import ArgumentParser

/// Sends requests that no correct client sends, while the service also serves correct clients.
///
/// **Promises.** The seed and a request's number determine the request. The order in which requests are sent
/// may differ between runs. **Neighbours.** ``FuzzRun`` sends the requests, ``FuzzCorpus`` and
/// ``ByteMutation`` create them, and ``FuzzReport`` evaluates the run.
package struct FuzzScenario: Scenario {
    package static let configuration = CommandConfiguration(
        commandName: "fuzz", abstract: "Send mutated requests and check that the service is not affected.",
        discussion: """
            Mutates the contents and the HTTP syntax of registrations, reports and API calls, according to a \
            seed. Valid requests between mutated ones must be answered as usual. Prints every assertion with \
            its numbers, and saves each request that had a wrong result to a file. With --api, \
            schemathesis (PyPI) instead tests everything that the service's OpenAPI document describes. \
            Exit status 0: all assertions hold.

            Example: pushload fuzz --requests 100000 --seed 7
            """)

    @Option(help: "The random seed of the run. Runs with the same seed send the same requests.")
    package var seed = Seed()
    @Option(help: .count("The number of requests to send.")) package var requests = 1_000_000
    /// The number of connections for well-framed requests. For other requests, the run uses additional
    /// connections: a third of this number, plus a few.
    @Option(help: .count("The number of connections that are kept open.")) var connections = 32
    @Option(help: .store) var store = TestbedSettings.usualStore
    @Option(
        help: ArgumentHelp(
            "Test the API with schemathesis, in a Python virtual environment that is created in this folder.",
            valueName: "folder"))
    var api: String?

    /// Whether the connections of some malformed requests are left open until the service's own time-outs end
    /// them, which takes half a minute.
    package var waitsForTimeouts = true

    private static let messages = 300

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> {
        // The web module accepts 1 000 connections. At this limit, each new connection closes a connection
        // that is waiting for its client.
        ["requests": 1_000...1_000_000_000, "connections": 1...500]
    }

    package var settings: TestbedSettings {
        TestbedSettings(store: store) {
            $0.web = true
            $0.keepsWebPort = true
            // Messages that the API accepts count as sent, because the gateways are not under test.
            $0.verifyMode = true
            $0.gateway.fcm = .init()
        }
    }

    /// - Returns: `nil` if schemathesis ran and found nothing.
    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> FuzzReport? {
        if let api {
            try await Schemathesis(folder: api, seed: seed.number).run(in: testbed, say: say)
            return nil
        }
        let run = FuzzRun(self, try await prepare(testbed), in: testbed)
        try run.run(say: say)
        if !run.report.hasEnded {
            try await run.compare()
            try await testbed.stopEngine()
        }
        run.report.complaints = testbed.engineComplaints
        // The report already contains the errors in the log, so the testbed must not fail because of them.
        testbed.expectedComplaints.append("level=")
        return run.report
    }

    package func verdict(on report: FuzzReport?) -> Verdict {
        guard let report else { return Verdict() }
        let rate = Double(report.requests) / max(report.seconds, 0.001)
        return Verdict(figures: ["\(rate.fixed(0)) requests a second"], report.findings)
    }

    // MARK: Preparation

    private func prepare(_ testbed: Testbed) async throws -> FuzzCorpus {
        try await testbed.createService()
        for names in [FuzzCorpus.honestApps, FuzzCorpus.fuzzedApps] {
            try await testbed.createApp(names[0], credential: .token)
            try await testbed.createAndroidApp(names[1], messageIDFormat: "uuid")
            for (name, isAndroid) in zip(names, [false, true]) {
                try await testbed.succeed(
                    ["app", "update", name]
                        + ["city:text", "points:number", "born:date", "vip:boolean"].flatMap {
                            ["--parameter", $0]
                        })
                try await testbed.importSubscribers(
                    SyntheticSubscribers(Self.messages, seed: importSeed(names), isAndroid: isAndroid),
                    into: name)
            }
        }
        for name in [FuzzCorpus.changedApp, FuzzCorpus.tornApps[0]] {
            try await testbed.createApp(name, credential: .token)
        }
        try await testbed.createAndroidApp(FuzzCorpus.tornApps[1])
        try await testbed.startEngine()
        let honest = try await messages(of: FuzzCorpus.honestApps, testbed)
        let fuzzed = try await messages(of: FuzzCorpus.fuzzedApps, testbed)
        return FuzzCorpus(
            host: "127.0.0.1:\(testbed.ports.web)", seed: seed.number, token: testbed.apiToken,
            fuzzed: fuzzed, honest: honest)
    }

    /// Returns the seed of imported subscribers. In the apps that receive mutated requests, the imported
    /// subscribers have tokens that the mutated forms also contain. In the other apps, no form contains the
    /// token of an imported subscriber.
    private func importSeed(_ apps: [String]) -> UInt64 {
        apps == FuzzCorpus.fuzzedApps ? seed.number &+ 1 : seed.number &+ 2
    }

    func imported(into app: String) -> [String] {
        let names = FuzzCorpus.honestApps.contains(app) ? FuzzCorpus.honestApps : FuzzCorpus.fuzzedApps
        let subscribers = SyntheticSubscribers(
            Self.messages, seed: importSeed(names), isAndroid: app == names[1])
        return (0..<Self.messages).map(subscribers.token)
    }

    private func messages(of apps: [String], _ testbed: Testbed) async throws -> [FuzzCorpus.Message] {
        let delivery = try await testbed.submit(DeliveryText(apps: apps))
        try await testbed.settle(delivery)
        return try await testbed.messageLog(delivery).map {
            FuzzCorpus.Message(id: $0.messageId, delivery: delivery, isAndroid: $0.app == apps[1])
        }
    }
}

/// Runs schemathesis, a third-party program that reads a service's OpenAPI document and calls every operation
/// in it.
struct Schemathesis {
    /// The folder of the Python virtual environment, which is created if it is missing.
    let folder: String
    let seed: UInt64

    /// The version is fixed, because other versions send different requests.
    private static let package = "schemathesis==4.32.5"
    private static let longest: Duration = .seconds(1_800)

    /// - Throws: An error if schemathesis cannot be installed or found a fault. The output of schemathesis is
    ///   printed before the error is thrown.
    func run(in testbed: Testbed, say: (String) -> Void) async throws {
        try await PythonEnvironment(folder: folder).install([Self.package], for: "schemathesis", in: testbed)
        try await testbed.createService()
        try await testbed.createApp(Testbed.app, credential: .token)
        try await testbed.importSubscribers(SyntheticSubscribers(100, seed: seed))
        try await testbed.startEngine()
        try await testbed.settle(try await testbed.submit())
        try testbed.folder.write(Self.configuration, to: "schemathesis.toml")
        let process = try testbed.start(
            "\(folder)/bin/schemathesis",
            [
                "--config-file", testbed.folder.file("schemathesis.toml"), "run",
                "http://127.0.0.1:\(testbed.ports.web)/api/v1/openapi.json", "--no-color", "--seed",
                "\(seed)", "--header", "Authorization: Bearer \(testbed.apiToken)",
            ] + Self.options)
        let ending = try await process.end(within: Self.longest)
        say(Folder.text(process.output))
        if let engine = testbed.engine { try engine.requireRunning() }
        guard ending.status == 0 else {
            throw LoadError("seed \(seed): schemathesis ended with \(ending); see its output above")
        }
    }

    /// Options that allow for rules that no description can express: a request must have exactly one of two
    /// members, a text must be an existing name, or a text must be a number. Because of these rules, the
    /// service may correctly refuse a request that follows the description.
    ///
    /// The client's own token is not revoked, because all later requests would then be answered with 401.
    private static let options = [
        "--checks", "all", "--exclude-checks", "positive_data_acceptance", "--exclude-path", "/tokens/{name}",
    ]

    /// The statuses that count as rejections of a request. The default set does not contain 413, the answer
    /// to a body that is too large.
    private static let configuration = """
        [checks]
        negative_data_rejection.expected-statuses = [
            "400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx",
        ]

        # An app that was just created has no icon.
        [[operations]]
        include-operation-id = "appIcon"
        checks.ensure_resource_availability.enabled = false

        # If a message in the list is invalid, only its own item in the answer reports a refusal.
        [[operations]]
        include-operation-id = "messageSend"
        checks.negative_data_rejection.expected-statuses = [
            "202", "400", "401", "403", "404", "409", "413", "422", "5xx",
        ]

        """
}
