import PushModel
import PushStore
import Testing

/// Tests the events of messages that end without being sent.
@Suite(.eachEngine) struct EndedEventsTests {
    private let noon = TemporaryStore.noon

    private func quarantine(_ users: ClosedRange<Int>, in fixture: TemporaryStore) throws {
        for user in users {
            try fixture.alter("UPDATE subscription SET disabled = 2 WHERE user_key = 'user-\(user)'")
        }
    }

    @Test func `a single message to an excluded device is an event when it is accepted`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let crm = try fixture.webhook()
            try quarantine(2...2, in: fixture)
            var messages = try (1...3).map { try fixture.message(to: .userKey("user-\($0)"), of: app) }
            messages.append(try fixture.message(to: .userKey("user-2"), of: app, priority: .high))
            let accepted = try fixture.accept(messages)
            let told = try fixture.events(for: crm).events
            #expect(told.map(\.kind) == [.excluded, .excluded])
            #expect(told.allSatisfy { $0.userKey == "user-2" && $0.providerReason == "in quarantine" })
            #expect(
                Set(told.compactMap(\.message?.id))
                    == [accepted[1].devices[0].message, accepted[3].devices[0].message])
            #expect(Set(told.compactMap(\.delivery)) == [accepted[1].delivery, accepted[3].delivery])
        }
    }

    @Test func `a delivery reports the devices that it excludes`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let crm = try fixture.webhook([.excluded])
            try quarantine(4...6, in: fixture)
            let (id, _) = try fixture.deliver(to: app)
            let told = try fixture.events(for: crm).events
            #expect(Set(told.map(\.userKey)) == ["user-4", "user-5", "user-6"] && told.count == 3)
            #expect(told.allSatisfy { $0.delivery == id && $0.failureReason == .inQuarantine })
            let log = try fixture.log(id).filter { $0.state == .excluded }
            #expect(Set(log.map(\.message)) == Set(told.compactMap(\.message?.id)))
        }
    }

    @Test func `a message that is excluded when it is rendered is an event with its reason`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let crm = try fixture.webhook([.excluded])
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record(
                [
                    MessageRecord(
                        message: try #require(messages[1]), change: .excluded(.undefined, why: "too large"),
                        countsAttempt: false)
                ], of: id)
            let told = try fixture.events(for: crm).events
            #expect(told.map(\.userKey) == ["user-1"] && told.first?.providerReason == "too large")
        }
    }

    @Test func `expired and cancelled messages are different events, and each is reported once`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let crm = try fixture.webhook()
            let sent = try fixture.accept(
                (1...3).map { try fixture.message(to: .userKey("user-\($0)"), of: app, validity: 600) })
            let (id, first) = (sent[0].delivery, sent[0].devices[0].message)
            for _ in 0..<2 { _ = try fixture.store.messageCancellation.cancel(first, in: id, at: noon) }
            #expect(try fixture.events(for: crm).events.map(\.kind) == [.cancelled])
            let second = sent[1].devices[0].message
            try fixture.accept([second], of: id)
            for step in 0..<3 {
                _ = try fixture.store.messageCancellation.cancel(second, in: id, at: noon)
                while try fixture.store.outcomes.expire(at: noon.later(seconds: 3_600)).hasMore {}
                #expect(try fixture.events(for: crm).events.count == 3, "\(step)")
            }
            let told = try fixture.events(for: crm).events
            #expect(told.map(\.kind) == [.cancelled, .sent, .expired])
            #expect(told.map(\.userKey) == ["user-1", "user-2", "user-3"])
            #expect(told.map(\.providerReason) == ["cancelled", nil, "expired"])
            // A gateway that accepted the message nevertheless has the last word.
            try fixture.accept([first], of: id)
            #expect(try fixture.events(for: crm).events.last?.kind == .sent)
        }
    }

    @Test func `the messages of a stopped delivery are cancelled`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let crm = try fixture.webhook([.cancelled, .expired])
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.accept([try #require(messages[1])], of: id)
            _ = try fixture.store.stop.stop(id, at: noon)
            while try !fixture.store.stop.cancelNext(of: id, at: noon).isOver {}
            let told = try fixture.events(for: crm).events
            #expect(told.map(\.kind) == Array(repeating: .cancelled, count: 4))
            #expect(told.allSatisfy { $0.providerReason == "stopped" })
        }
    }
}
