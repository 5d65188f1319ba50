import TestSupport
import Testing
import pushload

extension EndToEnd.Chaos {
    /// A notification may get lost, because the writing process has other settings, is killed, or cannot
    /// reach the master.
    @Test(
        arguments: TestbedSettings.StoreEngine.allCases.filter { $0 == .sqlite || DatabaseServer.isInstalled }
    )
    func `a master that receives no notification does all the work that other processes write to its store`(
        engine: TestbedSettings.StoreEngine
    ) async throws {
        let seed: UInt64 = 20_261_125
        var random = SeededRandom(seed: seed)
        var settings = TestbedSettings()
        settings.store = engine
        settings.pollSeconds = 1
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = [
                "everything else continues: the story holds it", "answers reject tokens",
            ]
            let work = try await UnannouncedWork(testbed, subscribers: 5)
            let kinds = UnannouncedWork.Kind.allCases + [.message, .message, .pauseAndResume]
            var items = try kinds.shuffled(using: &random).map { try work.item($0) }
            try await testbed.startEngine()
            while let next = items.indices.filter({ !items[$0].steps.isEmpty }).randomElement(using: &random)
            {
                try items[next].steps.removeFirst()()
                // The master polls between some steps and not between others.
                try await Task.sleep(for: .milliseconds(random.below(400)))
            }
            _ = try await Waiting.until(
                "all items to be done", seen: { "seed \(seed): open are \(open(items))" }
            ) { open(items).isEmpty ? true : nil }
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let requests = try testbed.gatewayRequests()
            #expect(requests.count == work.expectedRequests, "each message once")
            #expect(requests.allSatisfy { $0.ending == .accepted })
        }
    }

    private func open(_ items: [UnannouncedWork.Item]) -> [String] {
        items.filter { (try? $0.isDone()) != true }.map { "\($0.kind)" }
    }
}
