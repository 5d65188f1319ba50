import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct MessageCancellationTests {
    private let noon = TemporaryStore.noon

    private func cancel(
        _ message: AcceptedMessage, in fixture: TemporaryStore
    ) throws -> MessageCancellation.Step {
        try fixture.store.messageCancellation.cancel(
            message.devices[0].message, in: message.delivery, at: noon)
    }

    @Test func `a cancelled waiting message is no longer found, and other messages stay`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let sent = try fixture.accept(
                (1...3).map { try fixture.message(to: .userKey("user-\($0)"), of: app) })
            #expect(try cancel(sent[1], in: fixture) == .cancelled(host: nil))
            #expect(try cancel(sent[1], in: fixture) == .unchanged(.cancelled))
            let part = try #require(try fixture.openParts().first)
            let reader = try fixture.store.messageReader()
            var found: [MessageID] = []
            _ = try reader.pending(in: part, range: part.messages) { message, _, _, _ in found.append(message)
            }
            #expect(found == [sent[0], sent[2]].map(\.devices[0].message))
            let id = sent[0].delivery
            #expect(try fixture.counts(id).cancelled == 1 && fixture.counts(id).pending == 2)
            let status = try fixture.store.messageStatus.status(of: sent[1].devices[0].message, in: id)
            #expect(status?.entry.state == .cancelled && status?.entry.providerReason == "cancelled")
            try fixture.accept([sent[0].devices[0].message], of: id)
            #expect(try cancel(sent[0], in: fixture) == .unchanged(.sent))
            // The gateway accepted the message nevertheless.
            try fixture.accept([sent[1].devices[0].message], of: id)
            #expect(try cancel(sent[1], in: fixture) == .unchanged(.sent))
            let after = try fixture.store.messageStatus.status(of: sent[1].devices[0].message, in: id)
            #expect(after?.entry.state == .sent && after?.entry.providerReason == nil)
            let counts = try fixture.counts(id)
            #expect(counts.cancelled == 0 && counts.sent == 2 && counts.pending == 1)
            #expect(try fixture.store.deliveries.reasons(of: id).counts.allSatisfy { $0.count == 0 })
        }
    }

    @Test func `ids that match no message are reported as unknown`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let sent = try fixture.accept([try fixture.message(to: .userKey("user-1"), of: app)])
            let number = sent[0].devices[0].message
            for (message, delivery) in [
                (number.rawValue, Int64(99)), (number.rawValue + 1, sent[0].delivery.rawValue),
                (-1, sent[0].delivery.rawValue), (number.rawValue, -5), (Int64.max, Int64.max),
            ] {
                let step = try fixture.store.messageCancellation.cancel(
                    MessageID(rawValue: message), in: DeliveryID(rawValue: delivery), at: noon)
                #expect(step == .unknown)
            }
        }
    }

    @Test func `a message with its own send time waits until then and can be cancelled`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let start = noon.time.advanced(bySeconds: 600)
            var messages = try (1...3).map {
                try fixture.message(to: .userKey("user-\($0)"), of: app, validity: 60)
            }
            messages[1].start = start
            messages[2].start = start
            let sent = try fixture.accept(messages)
            let numbers = sent.map(\.devices[0].message)
            // A message that is sent at once is a separate part.
            #expect(try fixture.openParts().map(\.messages) == [numbers[0]...numbers[0]])
            let status = try #require(
                try fixture.store.messageStatus.status(of: numbers[1], in: sent[1].delivery))
            #expect(status.start == start && status.deadline == start.advanced(bySeconds: 60))
            #expect(status.entry.state == .pending)
            #expect(try fixture.store.work.nextMoment(after: noon) == noon.time.advanced(bySeconds: 60))
            #expect(try !fixture.store.held.areDue(at: noon.later(seconds: 599)))

            #expect(try cancel(sent[2], in: fixture) == .cancelled(host: nil))
            let later = noon.later(seconds: 600)
            #expect(try fixture.store.held.areDue(at: later))
            // This is also true after a restart.
            let reopened = try fixture.reopened()
            #expect(try reopened.held.release(at: later) == 1)
            let parts = try fixture.openParts()
            #expect(parts.map(\.messages.lowerBound) == [numbers[0], numbers[1]])
            var found: [MessageID] = []
            _ = try fixture.store.messageReader().pending(in: parts[1], range: parts[1].messages) {
                message, _, _, _ in found.append(message)
            }
            #expect(found == [numbers[1]])
            #expect(
                try fixture.store.messageStatus.status(of: numbers[1], in: sent[1].delivery)?.start == nil)
            // A start time in the past makes no difference.
            messages[0].start = noon.time
            #expect(try fixture.accept([messages[0]])[0].delivery == sent[0].delivery)
            #expect(try fixture.openParts().count == 3)
        }
    }
}
