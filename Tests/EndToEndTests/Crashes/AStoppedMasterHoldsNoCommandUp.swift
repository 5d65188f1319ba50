import Glibc
import TestSupport
import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `what is submitted beside a master that is stopped is sent once when it goes on`() async throws
    {
        let count = 500
        try await withHouse { house in
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(count))
            try await house.startEngine()
            let engine = try #require(house.engine)
            try await stop(engine.processID, betweenWritesTo: house.folder.file("var/pushmta.db"))
            let delivery = try await house.submit()
            engine.signal(SIGCONT)
            try await house.settle(delivery)
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
        }
    }
}
