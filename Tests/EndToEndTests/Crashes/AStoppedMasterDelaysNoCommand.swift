import Glibc
import TestSupport
import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func `a delivery that is submitted while its master is suspended is sent once when the master continues`()
        async throws
    {
        let count = 500
        try await withTestbed { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            let engine = try #require(testbed.engine)
            try await stop(engine.processID, betweenWritesTo: testbed.folder.file("var/pushmta.db"))
            let delivery = try await testbed.submit()
            engine.signal(SIGCONT)
            try await testbed.settle(delivery)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
