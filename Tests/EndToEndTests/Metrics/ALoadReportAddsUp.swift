import Foundation
import TestSupport
import Testing
import pushload

extension EndToEnd.Metrics {
    /// The fields of report.json that the tests check.
    private struct Report: Decodable {
        struct Latency: Decodable {
            var count, p50, p90, p99, p999, max: Int
            var isOrdered: Bool { p50 <= p90 && p90 <= p99 && p99 <= p999 && p999 <= max }
        }
        struct Row: Decodable {
            var begin, end: Double
            var ended, registered, waiting, storeBytes: Int
            var cpuSeconds: [String: Double]
            var memoryBytes: [String: Int]
            var latency: Latency
        }
        struct Scenario: Decodable {
            var messages, sent, failed, attemptsAgain, registered, seed: Int
            var loop: String
            var cpuSeconds: [String: Double]
            var latency, registrationLatency: Latency
            var samples: [Row]
        }
        var scenarios: [Scenario]
    }

    /// Runs the built program.
    private func run(_ scenarios: [String], in folder: String, _ options: [String] = []) async throws
        -> Report
    {
        let files = try scenarios.enumerated().map { number, text in
            try Folder.write(Array(text.utf8), to: "\(folder)/\(number).json")
            return "\(folder)/\(number).json"
        }
        let process = try RunningProcess(
            try Programs().pushload, ["report"] + files + ["--output", "\(folder)/report"] + options,
            name: "pushload report", output: "\(folder)/out", complaints: "\(folder)/err")
        defer { process.killAndReap() }
        let ending = try await process.end(within: .seconds(300))
        #expect(ending.status == 0, "\(Folder.lastLines(of: "\(folder)/err"))")
        let json = try Folder.read("\(folder)/report/report.json")
        return try JSONDecoder().decode(Report.self, from: Data(json))
    }

    @Test func `the figures of a load report add up`() async throws {
        let scenarios = [
            """
            {"name": "Some fail", "messages": 2000, "deliveries": 4, "loop": "open", "deliveriesPerSecond": 4,
             "gateway": {"refusedPercent": 7.5, "unavailablePercent": 12}, "registrations": 40}
            """,
            #"{"name": "It is restarted", "messages": 20000, "restart": true, "personal": true}"#,
            #"{"name": "Two accounts", "messages": 2000, "deliveries": 2, "accounts": 2, "callers": 2}"#,
        ]
        try await TemporaryFolder.with { folder in
            let report = try await run(scenarios, in: folder, ["--seed", "7"])
            #expect(report.scenarios.map(\.loop) == ["open", "closed", "closed"])
            for scenario in report.scenarios {
                #expect(scenario.sent + scenario.failed == scenario.messages && scenario.seed == 7)
                #expect(scenario.latency.isOrdered && scenario.latency.max > 0)
                #expect(!scenario.samples.isEmpty && scenario.samples.contains { $0.waiting > 0 })
                #expect(zip(scenario.samples, scenario.samples.dropFirst()).allSatisfy { $0.end == $1.begin })
                #expect(scenario.samples.map(\.latency.count).reduce(0, +) == scenario.latency.count)
                #expect(scenario.samples.map(\.ended).reduce(0, +) == scenario.latency.count)
                #expect(scenario.samples.allSatisfy { $0.latency.isOrdered && $0.storeBytes > 0 })
                for process in ["master", "child", "pushsink"] {
                    #expect(scenario.cpuSeconds.contains { $0.key.hasPrefix("\(process)/") && $0.value > 0 })
                    #expect(scenario.samples.contains { ($0.memoryBytes[process] ?? 0) > 1 << 20 })
                }
            }
            let faulty = report.scenarios[0]
            #expect(faulty.latency.count == 2_000 && faulty.attemptsAgain > 200)
            // 7.5 % of all requests. There is one request for each message, and one for each retry.
            #expect(faulty.failed == (2_000 + faulty.attemptsAgain) * 75 / 1_000)
            #expect(faulty.registered == 40 && faulty.registrationLatency.count == 40)
            #expect(faulty.registrationLatency.isOrdered)
            #expect(report.scenarios[2].latency.count == 2_000)
            // The log may lack the results of messages whose master was killed.
            #expect((1...20_000).contains(report.scenarios[1].latency.count))
            let text = Folder.text("\(folder)/out")
            #expect(text.contains("Some fail") && text.contains("the master was killed with "))
            #expect(Folder.text("\(folder)/report/report.html").contains("<h2>Two accounts</h2>"))
        }
    }

    @Test(arguments: ["ios", "android"])
    func `a load report can use a gateway that runs elsewhere`(platform: String) async throws {
        try await withTestbed(TestbedSettings { $0.gateway.fcm = .init() }) { testbed in
            let isFCM = platform == "android"
            let port = isFCM ? testbed.ports.fcm : testbed.ports.apns
            let tokens = isFCM ? ["--token-server", "https://localhost:\(testbed.ports.oauth)"] : []
            try await TemporaryFolder.with { folder in
                let report = try await run(
                    [#"{"name": "Elsewhere", "messages": 500, "platform": "\#(platform)"}"#], in: folder,
                    ["--gateway", "https://localhost:\(port)", "--certs", testbed.folder.file("certs")]
                        + tokens)
                #expect(report.scenarios.map(\.sent) == [500])
            }
            try await testbed.stopGateway()
            #expect(try testbed.gatewayRequests().count == 500)
        }
    }

    @Test func `a load report with a refused document ends with the same status as after wrong usage`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            try Folder.write(Array(#"{"name": "A", "messages": 0}"#.utf8), to: "\(folder)/a.json")
            try Folder.write(Array(#"{"name": "A", "messages": 5}"#.utf8), to: "\(folder)/b.json")
            for (arguments, said) in [
                (["\(folder)/a.json"], "messages is 0; it must be a whole number from 1 to 10000000"),
                (["\(folder)/missing.json"], "missing.json: No such file or directory"),
                (
                    ["\(folder)/b.json", "--gateway", "https://a", "--token-server", "https://b"],
                    "--gateway requires \"android\" with --token-server, and accounts 1"
                ),
            ] {
                let process = try RunningProcess(
                    try Programs().pushload, ["report"] + arguments + ["--output", "\(folder)/report"],
                    name: "pushload report", output: "\(folder)/out", complaints: "\(folder)/err")
                defer { process.killAndReap() }
                #expect(try await process.end(within: .seconds(60)).status == 2)
                #expect(Folder.text("\(folder)/err").contains(said))
            }
            #expect(Folder.text("\(folder)/out").isEmpty && Folder.names(in: folder).count == 4)
        }
    }
}
