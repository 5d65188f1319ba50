import Foundation
import TestSupport
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test
    func `a message whose cancellation was confirmed reaches no gateway, even if a process is killed`()
        async throws
    {
        var settings = TestbedSettings()
        // Some messages in the child wait for other messages.
        (settings.gateway.streams, settings.gateway.delayMilliseconds) = (2, 200)
        try await withTestbed(settings) { testbed in
            let (subscribers, numbers) = (SyntheticSubscribers(30), Array(1...12))
            try await testbed.createApp()
            try await testbed.importSubscribers(subscribers)
            try await testbed.startEngine()
            // The messages with odd numbers are cancelled.
            var (cancelled, kept): (Set<String>, Set<String>) = ([], [])
            let start = Date(timeIntervalSinceNow: 10)
            let time = ISO8601DateFormatter().string(from: start)
            let scheduled = try await send(numbers.map(subscribers.token), at: time, testbed)
            for (number, id) in zip(numbers, scheduled) {
                let token = subscribers.token(number)
                guard number % 2 == 1 else {
                    kept.insert(token)
                    continue
                }
                let isEarly = start.timeIntervalSinceNow > 5
                let ending = try await testbed.pushmta(["message", "cancel", id]).ending
                #expect(ending.status == 0 || !isEarly)
                if ending.status == 0 { cancelled.insert(token) }
            }
            for number in numbers.map({ $0 + 12 }) {
                let token = subscribers.token(number)
                let id = try #require(try await send([token], at: nil, testbed).first)
                guard number % 2 == 1 else {
                    kept.insert(token)
                    continue
                }
                let done = try await testbed.pushmta(["message", "cancel", id])
                #expect(done.ending.status == 0 || done.ending.status == 3)
                if done.ending.status == 0 { cancelled.insert(token) }
            }
            // However slow the machine is, this message is cancelled before it starts.
            let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
            let last = try await send([subscribers.token(25)], at: tomorrow, testbed)[0]
            try await testbed.succeed(["message", "cancel", last])
            cancelled.insert(subscribers.token(25))
            _ = try await testbed.killMaster()
            try await testbed.startEngine()
            try await eventually("nothing waits") {
                let counts = try await testbed.show(1).counts
                return counts.pending == 0 && counts.retrying == 0
            }
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let reached = Set(try testbed.gatewayRequests().map(\.token))
            #expect(reached.isDisjoint(with: cancelled) && reached.isSuperset(of: kept))
        }
    }

    /// - Returns: The ids, in order.
    private func send(_ tokens: [String], at time: String?, _ testbed: Testbed) async throws -> [String] {
        var ids: [String] = []
        for token in tokens {
            let options = time.map { ["--send-at", $0] } ?? []
            let sent = try await testbed.succeed(
                ["send", "--app", Testbed.app, "--token", token, "--title", "x"] + options)
            ids.append(String(sent.output.dropLast()))
        }
        return ids
    }
}
