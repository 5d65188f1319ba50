import Foundation
import Logging
import PushModel
import PushStore
import PushSystem
import PushWebhooks
import Synchronization
import TestSupport
import Testing

@Suite struct WebhookSenderTests {
    @Test func `sent messages are reported in signed batches of 500, and the cursor moves`() throws {
        try WebhookFixture.with { fixture in
            let receiver = try HTTPReceiver()
            try fixture.webhook(to: receiver)
            let log = try fixture.sent(1_200)
            try eventually("all events to be delivered") { try fixture.webhook().progress.told == 1_200 }
            let requests = receiver.requests
            let batches = try requests.map(ReceivedBatch.init)
            #expect(batches.map(\.events.count) == [500, 500, 200])
            #expect(Set(requests.map(\.id)).count == 3)
            for request in requests {
                #expect(request.method == "POST" && request.path == "/hook?from=test")
                #expect(request.headers["content-type"] == "application/json")
                #expect(request.isSigned(with: Array("crm".utf8)) && !request.isSigned(with: [1]))
                let second = try #require(request.headers["webhook-timestamp"].flatMap { Int64($0) })
                #expect(abs(second - Clocks.moment().time.secondsSince1970) < 600)
            }
            let cipher = MessageIDCipher(key: fixture.key)
            let events = batches.flatMap(\.events)
            let delivery = DeliveryID(rawValue: 1)
            #expect(events.map(\.messageId) == log.map { cipher.opaqueID(of: $0.message, in: delivery).text })
            #expect(events.map(\.userKey) == log.map(\.userKey))
            #expect(
                events.allSatisfy {
                    $0.type == "sent" && $0.app == "neotrips-ios" && $0.service == "neotrips"
                })
            let progress = try fixture.webhook().progress
            #expect(
                progress.behind == 0 && progress.taken == 3 && progress.refused == 0 && progress.dropped == 0)
            // Reported records are removed from the outbox.
            try eventually("the outbox to be empty") {
                try fixture.store.webhookProgress.trim(Self.generous).records == 0
                    && fixture.webhook().progress.oldest == nil
            }
        }
    }

    private static let generous = OutboxBounds(oldest: WallMoment(millisecondsSince1970: 0), maxBytes: .max)

    @Test func `a batch that is not accepted is sent again unchanged until it is accepted`() throws {
        let replies: [HTTPReceiver.Reply] = [
            .status(500), .status(302, headers: ["Location: http://127.0.0.1:1/"]), .breakOff(200), .close,
            .status(204),
        ]
        try WebhookFixture.with { fixture in
            let receiver = try HTTPReceiver { replies[min($0.number, replies.count) - 1] }
            try fixture.webhook(to: receiver)
            try fixture.sent(3)
            eventually("a first attempt") { !receiver.requests.isEmpty }
            // Later events belong to another batch.
            try fixture.sent(2)
            for number in 1..<replies.count {
                try eventually("failure \(number)") { try fixture.webhook().progress.failures >= number }
                fixture.clock.advance(seconds: 3_600)
            }
            try eventually("all events to be delivered") { try fixture.webhook().progress.told == 5 }
            let requests = receiver.requests
            #expect(requests.count == 6)
            #expect(Set(requests.prefix(5).map(\.id)).count == 1 && requests[5].id != requests[0].id)
            #expect(Set(requests.prefix(5).map(\.body)).count == 1)
            #expect(try ReceivedBatch(requests[5]).events.count == 2)
            let progress = try fixture.webhook().progress
            #expect(progress.failures == 0 && progress.refused == 4 && progress.taken == 2)
            #expect(fixture.log.lines.contains { $0.hasPrefix("webhook crm: HTTP 500; failure 1 in a row") })
            #expect(fixture.log.lines.contains { $0.hasPrefix("webhook crm: HTTP 302; failure 2 in a row") })
            #expect(fixture.log.lines.contains("webhook crm accepts events again"))
        }
    }

    @Test func `a webhook that hangs does not delay other webhooks`() throws {
        try WebhookFixture.with { fixture in
            let hanging = try HTTPReceiver { _ in .hang }
            let working = try HTTPReceiver()
            try fixture.webhook("a-hanging", to: hanging)
            try fixture.webhook("b-working", to: working)
            try fixture.sent(10)
            eventually("the hanging one to be asked") { hanging.requests.count == 1 }
            for round in 2...4 {
                try fixture.sent(10)
                try eventually("the other webhook to receive the events") {
                    try fixture.webhook("b-working").progress.told == Int64(round * 10)
                }
            }
            #expect(hanging.requests.count == 1)
            #expect(try fixture.webhook("a-hanging").progress.behind == 40)
        }
    }

    @Test func `status 410 disables a webhook with a reason until it is enabled again, and no event is lost`()
        throws
    {
        let isGone = Mutex(true)
        try WebhookFixture.with { fixture in
            let receiver = try HTTPReceiver { _ in .status(isGone.withLock(\.self) ? 410 : 200) }
            try fixture.webhook(to: receiver)
            try fixture.sent(3)
            try eventually("it to be disabled") { try fixture.webhook().disabled != nil }
            #expect(try fixture.webhook().disabled == "the receiver answered 410 (gone)")
            try fixture.sent(2)
            isGone.withLock { $0 = false }
            var change = WebhookWriter.Change()
            change.isEnabled = true
            _ = try fixture.store.webhookWriter(key: fixture.key).update(
                "crm", change, by: "a test", at: Clocks.moment())
            try eventually("all events to be delivered") { try fixture.webhook().progress.told == 5 }
            #expect(Set(receiver.requests.prefix(2).map(\.id)).count == 1)
        }
    }

    @Test func `the sender waits as long as Retry-After demands`() throws {
        try WebhookFixture.with { fixture in
            let receiver = try HTTPReceiver { _ in .status(429, headers: ["Retry-After: 1800"]) }
            try fixture.webhook(to: receiver)
            try fixture.sent(1)
            try eventually("it to be refused") { try fixture.webhook().progress.failures == 1 }
            let progress = try fixture.webhook().progress
            let (next, answered) = (try #require(progress.next), try #require(progress.answered))
            #expect(next.millisecondsSince1970 - answered.millisecondsSince1970 == 1_800_000)
            #expect(progress.answer == "HTTP 429")
        }
    }

    @Test(arguments: [(1_800, 1_780_000...1_801_000), (10 * 365 * 86_400, 3_600_000...3_600_000)])
    func `the sender waits until a date in Retry-After, at most for an hour`(
        seconds: Int, waited: ClosedRange<Int>
    ) throws {
        try WebhookFixture.with { fixture in
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(identifier: "GMT")
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            let date = format.string(from: Date().addingTimeInterval(Double(seconds)))
            let receiver = try HTTPReceiver { _ in .status(503, headers: ["Retry-After: \(date)"]) }
            try fixture.webhook(to: receiver)
            try fixture.sent(1)
            try eventually("it to be refused") { try fixture.webhook().progress.failures == 1 }
            let progress = try fixture.webhook().progress
            let (next, answered) = (try #require(progress.next), try #require(progress.answered))
            #expect(waited.contains(Int(next.millisecondsSince1970 - answered.millisecondsSince1970)))
        }
    }

    @Test func `a long answer is not read completely, and its status counts`() throws {
        try WebhookFixture.with { fixture in
            let receiver = try HTTPReceiver { _ in .status(200, body: String(repeating: "x", count: 200_000))
            }
            try fixture.webhook(to: receiver)
            try fixture.sent(1)
            try eventually("it to be delivered") { try fixture.webhook().progress.told == 1 }
            #expect(receiver.requests.count == 1)
        }
    }

    @Test func `the old secret still signs requests for a day, together with the new secret`() throws {
        try WebhookFixture.with { fixture in
            let receiver = try HTTPReceiver()
            try fixture.webhook(to: receiver)
            let writer = fixture.store.webhookWriter(key: fixture.key)
            _ = try writer.rotate("crm", secret: [7, 7], at: Clocks.moment())
            try fixture.sent(1)
            try eventually("it to be delivered") { try fixture.webhook().progress.told == 1 }
            let request = try #require(receiver.requests.first)
            #expect(request.isSigned(with: [7, 7]) && request.isSigned(with: Array("crm".utf8)))
            let later = WallMoment(
                millisecondsSince1970: Clocks.moment().millisecondsSince1970 + 86_400_001)
            #expect(
                try fixture.store.webhooks.secrets(of: "crm", key: fixture.key, at: later)
                    == WebhookSecrets(present: [7, 7]))
        }
    }

    @Test func `only one process of an instance sends events`() throws {
        try WebhookFixture.with { fixture in
            let receiver = try HTTPReceiver()
            try fixture.webhook(to: receiver)
            try fixture.sent(1)
            try eventually("it to be delivered") { try fixture.webhook().progress.told == 1 }
            // Another sender finds the lock taken, and takes over when it is free.
            let other = WebhookSender(
                store: try Store.open(path: fixture.store.path), key: fixture.key, bounds: { (7, 256) },
                moment: Clocks.moment, logger: Logger(label: "other") { _ in LogLines() })
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                other.run()
                ended.signal()
            }
            defer {
                other.end()
                ended.wait()
            }
            try fixture.sent(300)
            try eventually("it to be delivered") { try fixture.webhook().progress.told == 301 }
            fixture.stop()
            try fixture.sent(1)
            try eventually("the other one to send") { try fixture.webhook().progress.told == 302 }
            #expect(try receiver.requests.map { try ReceivedBatch($0).events.count }.reduce(0, +) == 302)
        }
    }

    @Test func `events that no receiver accepts are dropped when they are too old, and the drop is reported`()
        throws
    {
        try WebhookFixture.with(startsSender: false) { fixture in
            let receiver = try HTTPReceiver { _ in .status(500) }
            try fixture.webhook(to: receiver)
            try fixture.webhook("clicks", to: receiver, [.clicked])
            try fixture.sent(40)
            let later = Clocks.moment().millisecondsSince1970 + 1_000
            let step = try fixture.store.webhookProgress.trim(
                OutboxBounds(oldest: WallMoment(millisecondsSince1970: later), maxBytes: .max))
            #expect(step.dropped == ["crm": 40] && step.records == 1)
            let progress = try fixture.webhook().progress
            #expect(progress.dropped == 40 && progress.behind == 0)
            #expect(try fixture.webhook("clicks").progress.dropped == 0)
            try fixture.sent(7)
            #expect(try fixture.webhook().progress.behind == 7)
            // This is also true if the outbox exceeds its size limit.
            let more = try fixture.store.webhookProgress.trim(
                OutboxBounds(oldest: WallMoment(millisecondsSince1970: 0), maxBytes: 0))
            #expect(more.dropped == ["crm": 7])
        }
    }
}
