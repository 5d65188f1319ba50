internal import ArgumentParser

/// One delivery, with the steps that an operator takes at the first use.
struct DemoScenario: Scenario {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Send one delivery to synthetic subscribers and count it at both ends.",
        discussion: "Example: pushload demo --messages 1000")

    @Option(help: .count("The number of subscribers.")) var messages = 10_000

    var limits: KeyValuePairs<String, ClosedRange<Int>> { ["messages": 1...10_000_000] }
    var settings: TestbedSettings { TestbedSettings() }

    func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Verdict {
        say("gateway    pushsink listens on 127.0.0.1 port \(testbed.ports.apns)")
        try await testbed.createApp()
        say("app        \(Testbed.app) of service \(Testbed.service), token key \(testbed.account.keyID)")
        try await testbed.startEngine()
        say("engine     pushmta run is ready")
        let imported = try await testbed.importSubscribers(SyntheticSubscribers(messages))
        say("import     \(imported.output.firstLine)")
        let delivery = try await testbed.submit()
        say("submit     delivery \(delivery) is on disk")
        let report = try await testbed.settle(delivery)
        try await testbed.stopEngine()
        let audit = try await testbed.audit(of: delivery)
        say("gateway    \(audit.reached) devices reached, \(audit.doubled) twice, \(audit.rejected) refused")
        let seconds = max(report.seconds ?? 0, 0.001)
        let rate = (Double(messages) / seconds).fixed(0)
        let agrees = audit == .everyoneOnce(messages)
        return Verdict(
            figures: ["sent \(audit.sent) of \(messages) in \(seconds.fixed(2)) s (\(rate)/s)"],
            [Finding("the two ends agree", agrees, agrees ? "\(messages)" : "\(audit)")])
    }
}
