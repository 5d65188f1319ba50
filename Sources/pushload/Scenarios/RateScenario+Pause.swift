/// Commands to a large delivery, and a small one of high priority beside it.
extension RateScenario {
    func pause(in testbed: Testbed, _ say: (String) -> Void) async throws -> [Step] {
        try await testbed.createApp()
        let imported = try await testbed.importSubscribers(SyntheticSubscribers(paused))
        say("\(paused) subscribers imported in \(imported.seconds.fixed(1)) s")
        try await testbed.startEngine()
        let delivery = try await testbed.submit()
        var steps: [Step] = []
        func step(_ verb: String, _ when: String, _ more: [String] = []) async throws {
            let said = try await testbed.succeed(["delivery", verb, "\(delivery)"] + more)
            let report = try await testbed.show(delivery)
            steps.append(Step(what: "\(verb), \(when)", seconds: said.seconds, summary: report.summary))
        }
        try await testbed.wait(for: delivery, "it to be on its way") { $0.counts.sent > 0 }
        try await step("pause", "after the first was sent")
        try await step("resume", "after the first was sent")
        try await testbed.wait(
            for: delivery, "it to be prepared", within: .seconds(120 + paused / 20_000),
            longestNap: .seconds(1)
        ) { $0.state == "inProgress" }
        try await step("pause", "when all is prepared")
        let counts = try await testbed.show(delivery).counts
        try await step("resume", "when all is prepared")
        try await testbed.wait(for: delivery, "it to go on") { $0.counts.sent > counts.sent + 1_000 }
        steps.append(try await overtake(in: testbed))
        try await step("stop", "amid sending", ["--yes"])
        let end = try await testbed.settle(delivery, within: .seconds(120 + paused / 20_000))
        say("it ended as \(end.summary)")
        guard end.state == "stopped" else { throw LoadError(.wrong("it ended as \(end.summary)")) }
        try await testbed.finish()
        return steps
    }

    private static let urgent = 100

    /// From the start of its command to the answer to its last message, as the store has it.
    private func overtake(in testbed: Testbed) async throws -> Step {
        var text = DeliveryText()
        text.priority = "veryHigh"
        let people = SyntheticSubscribers(paused)
        let keys = (0..<min(Self.urgent, paused)).map { "\"\(people.userKey($0))\"" }
        text.target = #"{"userKeys": [\#(keys.joined(separator: ", "))]}"#
        let begin = ContinuousClock.now
        let delivery = try await testbed.submit(text)
        let report = try await testbed.wait(
            for: delivery, "it to overtake", longestNap: .milliseconds(5)
        ) { $0.counts.sent == keys.count }
        let seconds = (ContinuousClock.now - begin).inSeconds
        let what = "a delivery of high priority to \(keys.count) devices, submitted and sent amid the other"
        return Step(what: what, seconds: seconds, summary: report.summary)
    }
}
