/// Requests of all kinds that nobody should send, so many of them, while the service does its work for those
/// who ask as they should.
///
/// **Promises.** Every request is the same for the same seed and number; their order on the wire is not.
/// **Neighbours.** ``FuzzRun`` sends, ``FuzzCorpus`` and ``ByteMutation`` say what, ``FuzzReport`` judges.
package struct FuzzScenario: Sendable {
    package var seed: UInt64
    package var requests: Int
    /// Of requests that are framed well; a third as many beside them, and a few, of others.
    package var connections: Int
    /// Whether some broken requests are left to the service's own time-outs, which takes half a minute.
    package var waitsForTimeouts = true

    private static let messages = 300

    package init(seed: UInt64, requests: Int, connections: Int = 32) {
        self.seed = seed
        self.requests = requests
        self.connections = connections
    }

    package var settings: TestbedSettings {
        var settings = TestbedSettings()
        settings.web = true
        settings.keepsWebPort = true
        // Messages that the API takes are as good as sent: gateways are not what is looked at.
        settings.verifyMode = true
        settings.gateway.fcm = TestbedSettings.Gateway.FCM()
        return settings
    }

    package func run(in testbed: Testbed, say: (String) -> Void = { _ in }) async throws -> FuzzReport {
        let corpus = try await prepare(testbed)
        let run = FuzzRun(self, corpus, in: testbed)
        try run.run(say: say)
        if !run.report.hasEnded {
            try await FuzzComparison(run: run, testbed: testbed, scenario: self).compare()
            try await testbed.stopEngine()
        }
        run.report.complaints = testbed.engineComplaints
        // What was found is told by the report.
        testbed.expectedComplaints.append("level=")
        return run.report
    }

    // MARK: Before it

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
        let token = Folder.text(testbed.folder.file("var/api.token")).prefix { $0 != "\n" }
        return FuzzCorpus(
            host: "127.0.0.1:\(testbed.ports.web)", seed: seed, token: String(token), fuzzed: fuzzed,
            honest: honest)
    }

    /// The mutated apps' first subscribers are among those that forms are made with; the others' are not.
    private func importSeed(_ apps: [String]) -> UInt64 {
        apps == FuzzCorpus.fuzzedApps ? seed &+ 1 : seed &+ 2
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
