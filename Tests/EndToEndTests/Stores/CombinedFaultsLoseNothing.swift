import Glibc
import Testing
import pushload

extension EndToEnd.Stores {
    /// Runs a delivery while another process has locked the store and the children have messages.
    private static func whileLocked(
        _ story: (Testbed, _ delivery: Int, StoreWriteLock) async throws -> Void
    ) async throws {
        try await withTestbedInAFile(KillScenario.settings(delayMilliseconds: 400, stopsAfter: [2_000])) {
            testbed in
            testbed.expectedComplaints = ["trying again every second"]
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(Self.pairCount))
            let delivery = try await testbed.submit()
            let lock = try await testbed.amidDelivery {
                let children = try #require(try await testbed.status().master?.children)
                #expect(children.count == 2)
                return try StoreWriteLock(testbed.folder.file("var/pushmta.db"))
            }
            do { try await story(testbed, delivery, lock) } catch {
                lock.release()
                throw error
            }
        }
    }
    private static let pairCount = 10_000

    @Test
    func `the reports from a child that dies while the store is locked are read completely`() async throws {
        try await Self.whileLocked { testbed, delivery, lock in
            let victim = try #require(
                ProcessTable.holding(testbed.folder.path).first { $0.name.contains("mtachild") })
            testbed.kill(child: victim.processID)
            try await Waiting.until("the master to have noticed") {
                testbed.logLines("(process \(victim.processID)) ended").isEmpty ? nil : ()
            }
            lock.release()
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.withoutRepeats == .everyoneOnce(Self.pairCount))
            #expect(audit.doubled <= testbed.settings.capacity)
        }
    }

    @Test func `an orderly end waits until another process releases the store, and records every answer`()
        async throws
    {
        try await Self.whileLocked { testbed, delivery, lock in
            let engine = try #require(testbed.engine)
            engine.signal(SIGTERM)
            try await Waiting.until("the children to have ended") {
                testbed.logLines("ended: ").count { $0.contains("exit status 0") } == 2 ? () : nil
            }
            #expect(engine.isRunning)
            lock.release()
            try await testbed.stopEngine()
            let first = try await testbed.show(delivery)
            #expect(first.counts.pending == Self.pairCount - first.counts.sent && first.counts.sent > 0)
            try await testbed.startEngine()
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(Self.pairCount))
        }
    }

    @Test func `an orderly end meets its deadline even if the store accepts nothing until then`() async throws
    {
        var settings = KillScenario.settings(delayMilliseconds: 400, stopsAfter: [2_000])
        settings.requestTimeoutSeconds = 1
        try await withTestbedInAFile(settings) { testbed in
            testbed.expectedComplaints = ["trying again every second", "unrecorded outcomes"]
            // The deadline is derived from the longest timeout of all gateways.
            try testbed.addSettings(#"<fcm requestTimeoutSec="1"/><iosBinary confirmAfterSec="1"/>"#)
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(Self.pairCount))
            let delivery = try await testbed.submit()
            let lock = try await testbed.amidDelivery {
                try StoreWriteLock(testbed.folder.file("var/pushmta.db"))
            }
            let begin = ContinuousClock.now
            let engine = try #require(testbed.engine)
            engine.signal(SIGTERM)
            let ending = try await engine.end()
            let time = ContinuousClock.now - begin
            lock.release()
            #expect(ending.status == 0)
            #expect(testbed.logLines(", 6 s to finish").count == 1)
            // Without an overall deadline this would take 95 s. Half a second is for waiting threads, and the
            // rest is for a busy machine.
            #expect(time < .seconds(40))
            try await testbed.expectResumed(delivery, reaching: Self.pairCount)
        }
    }

    @Test func `a stop takes effect while the store accepts nothing, and the log names the caller`()
        async throws
    {
        try await withTestbedInAFile(KillScenario.settings(delayMilliseconds: 0, stopsAfter: [])) { testbed in
            testbed.expectedComplaints = [
                "a line for the audit trail", "unrecorded outcomes", "trying again",
            ]
            try await testbed.createApp()
            try await testbed.startEngine()
            let lock = try StoreWriteLock(testbed.folder.file("var/pushmta.db"))
            let engine = try #require(testbed.engine)
            try await testbed.succeed(["stop"])
            #expect(try await engine.end().status == 0)
            lock.release()
            let lines = testbed.logLines("the store does not accept a line for the audit trail: user")
            #expect(lines.count == 1 && lines.first?.contains("engine.stop") == true)
        }
    }

    @Test func `kill -9 of the master while the store is locked loses nothing`() async throws {
        try await Self.whileLocked { testbed, delivery, lock in
            let engine = try #require(testbed.engine)
            engine.killAndReap()
            lock.release()
            try await testbed.expectResumed(delivery, reaching: Self.pairCount)
        }
    }
}
