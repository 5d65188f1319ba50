import Glibc
import Testing
import pushload

extension EndToEnd.Stores {
    @Test func `another process that has the store's write lock delays the outcomes, and no outcome is lost`()
        async throws
    {
        try await Self.sendWhileUnwritable(count: 10_000, saying: "stayed locked by another process") {
            testbed in
            let lock = try StoreWriteLock(testbed.folder.file("var/pushmta.db"))
            return { lock.release() }
        }
    }

    @Test func `a full disk is reported, the engine waits and then continues, and no outcome is lost`()
        async throws
    {
        try await Self.sendWhileUnwritable(count: 10_000, saying: "pushmta.db") { testbed in
            let master = try #require(testbed.engine?.processID)
            let before = try ResourceLimit.set(RLIMIT_FSIZE, 4_096 * 3, for: master)
            return { _ = try? ResourceLimit.set(RLIMIT_FSIZE, before, for: master) }
        }
    }

    @Test func `a full disk during preparation delays the delivery and loses nothing`() async throws {
        let count = 3_000
        try await withTestbedInAFile { testbed in
            testbed.expectedComplaints = ["trying again every second"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            let master = try #require(testbed.engine?.processID)
            let before = try ResourceLimit.set(RLIMIT_FSIZE, 4_096 * 3, for: master)
            // The operator's own command has space, as if it wrote to another disk.
            let delivery = try await testbed.submit()
            do {
                try await Waiting.until("the master to say so") {
                    testbed.logLines("trying again every second").isEmpty ? nil : ()
                }
                _ = try ResourceLimit.set(RLIMIT_FSIZE, before, for: master)
            } catch {
                _ = try? ResourceLimit.set(RLIMIT_FSIZE, before, for: master)
                throw error
            }
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }

    /// Runs a delivery. In its middle, the store becomes unwritable until the master has reported this.
    private static func sendWhileUnwritable(
        count: Int, saying words: String, _ begin: (Testbed) async throws -> () -> Void
    ) async throws {
        try await withTestbedInAFile(KillScenario.settings(stopsAfter: [2_000])) { testbed in
            testbed.expectedComplaints = ["trying again every second", "the engine is stalled"]
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            let end = try await testbed.amidDelivery { try await begin(testbed) }
            do {
                try await Waiting.until("the master to say so") {
                    testbed.logLines("trying again every second").isEmpty ? nil : ()
                }
                end()
            } catch {
                end()
                throw error
            }
            #expect(testbed.logLines("trying again every second").allSatisfy { $0.contains(words) })
            try await testbed.settle(delivery)
            try await Waiting.until("the master to report that it continues") {
                testbed.logLines("the store is writable again").isEmpty ? nil : ()
            }
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
