internal import FoundationEssentials

/// How long until an engine sends again after `kill -9` of its master, with much still to be sent.
///
/// The gateway is slow, so that hardly anything of the delivery is gone when the new master starts.
package struct RecoveryScenario: Sendable {
    package var messages: Int

    package init(messages: Int) { self.messages = messages }

    package static var settings: TestbedSettings {
        var settings = TestbedSettings()
        settings.gateway.streams = 50
        settings.gateway.delayMilliseconds = Self.delay
        return settings
    }

    private static let delay = 20

    package struct Report: Sendable {
        /// Messages without an end when the master was killed.
        package var pending = 0
        /// From the start of `run` to the first request at the gateway.
        package var untilFirstRequest: Duration = .zero
        /// Until as many as its window allows had come.
        package var untilFullWindow: Duration = .zero
    }

    package func run(in testbed: Testbed, say: (String) -> Void = { _ in }) async throws -> Report {
        try await testbed.createApp()
        try await testbed.importSubscribers(.init(messages))
        say("imported \(messages)")
        try await testbed.startEngine()
        let delivery = try await testbed.submit()
        let before = try await testbed.wait(for: delivery, "all of it to be prepared", within: .seconds(300))
        {
            $0.counts.targeted >= messages && $0.counts.sent > 0
        }
        var report = Report()
        report.pending = before.counts.pending
        let orphan = try await testbed.killMaster()
        say(
            "killed the master with \(report.pending) messages pending; its child followed in "
                + "\(orphan.inSeconds.fixed(3)) s")

        // What it had recorded by then: on a busy machine it had gone on for a while after the look before.
        let recorded = try await testbed.show(delivery).counts.sent
        let start = Date().timeIntervalSince1970 * 1_000
        try await testbed.startEngine()
        try await testbed.wait(for: delivery, "the new master to have sent") {
            $0.counts.sent > recorded + 2 * testbed.settings.gateway.streams
        }
        try await testbed.stopEngine()
        try await testbed.stopGateway()
        let requests = try testbed.gatewayRequests()
        // What the killed child had sent may be answered, or given up, after it is gone.
        let old = Set(requests.lazy.filter { Double($0.time) < start }.map(\.connection))
        let times = requests.filter { !old.contains($0.connection) }.map { Double($0.time) }.sorted()
        guard let first = times.first, times.count >= testbed.settings.gateway.streams else {
            throw LoadError(.wrong("only \(times.count) requests came after the new start"))
        }
        // The log tells when a request was answered: it came the gateway's delay before.
        func since(_ time: Double) -> Duration { .milliseconds(max(0, time - start - Double(Self.delay))) }
        report.untilFirstRequest = since(first)
        report.untilFullWindow = since(times[testbed.settings.gateway.streams - 1])
        return report
    }
}
