import Dispatch
import TestSupport
import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `after kill -9 between the answer and the cursor's commit, the batch is sent again unchanged`()
        async throws
    {
        let count = 700
        try await withTestbed { testbed in
            let first = AsyncStream<HTTPReceiver.Request>.makeStream()
            let mayAnswer = DispatchSemaphore(value: 0)
            let receiver = try HTTPReceiver { request in
                guard request.number == 1 else { return .status(200) }
                first.continuation.yield(request)
                mayAnswer.wait()
                return .status(200)
            }
            try await testbed.createApp()
            try await testbed.importSubscribers(.init(count))
            try await testbed.succeed(["webhook", "create", "crm", "--url", receiver.url, "--event", "sent"])
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            var arrived = first.stream.makeAsyncIterator()
            let batch = try #require(await arrived.next())
            try await testbed.settle(delivery)
            // The receiver has the batch, but the master never learns that the receiver accepted it.
            _ = try await testbed.killMaster()
            mayAnswer.signal()
            try await testbed.startEngine()
            try await eventually("all events to be delivered") {
                try await testbed.webhook("crm").told == count
            }
            try await testbed.stopEngine()
            let requests = receiver.requests
            let again = try #require(requests.dropFirst().first)
            #expect(again.headers["webhook-id"] == batch.headers["webhook-id"])
            #expect(again.body == batch.body)
            let keys = try requests.dropFirst().flatMap { try WebhookBatch($0).events.map(\.userKey) }
            #expect(Set(keys).count == count && keys.count == count)
            #expect(Set(requests.dropFirst().map { $0.headers["webhook-id"] }).count == requests.count - 1)
        }
    }
}
