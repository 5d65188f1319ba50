import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct MessageReaderTests {
    private let noon = TemporaryStore.noon

    @Test func `pending messages are read in order, with the data of their subscriptions`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let records = [
                SubscriberRecord(
                    token: TemporaryStore.token(1), userKey: "anna", parametersJSON: #"{"city":"Paris"}"#),
                SubscriberRecord(token: "fcm:Token_1", userKey: "", parametersJSON: nil),
                SubscriberRecord(token: TemporaryStore.token(2), userKey: "béatrice", parametersJSON: nil),
            ]
            _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: noon)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            var read: [MessageID: SubscriberRecord] = [:]
            var order: [MessageID] = []
            let count = try fixture.store.messageReader().pending(in: part, range: part.messages) {
                message, token, userKey, parameters in
                order.append(message)
                read[message] = SubscriberRecord(
                    token: text(token), userKey: text(userKey),
                    parametersJSON: parameters.isEmpty ? nil : text(parameters))
            }
            #expect(count == 3 && order == part.ids)
            #expect(Set(read.values.map(\.token)) == Set(records.map(\.token)))
            for record in records { #expect(read.values.contains(record)) }
        }
    }

    @Test func `only pending messages in the requested range are read`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            let reader = try fixture.store.messageReader()
            func pending(_ range: ClosedRange<Int>) throws -> [MessageID] {
                var found: [MessageID] = []
                try reader.pending(in: part, range: part.ids[range.lowerBound]...part.ids[range.upperBound]) {
                    message, _, _, _ in
                    found.append(message)
                }
                return found
            }
            #expect(try pending(3...7) == Array(part.ids[3...7]))
            // A commit from the writer is visible immediately.
            try fixture.accept([part.ids[4], part.ids[6]], of: id)
            #expect(try pending(3...7) == [part.ids[3], part.ids[5], part.ids[7]])
            let beyond =
                part.messages.lowerBound...MessageID(rawValue: part.messages.upperBound.rawValue + 100)
            #expect(try reader.pending(in: part, range: beyond) { _, _, _, _ in } == 18)
        }
    }

    @Test
    func `each piece of a part reflects changes to messages and subscriptions since the previous piece`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            // The numbers have gaps: some numbers between two subscriptions belong to no subscription.
            try fixture.subscribe(1...60, to: app)
            try fixture.alter("DELETE FROM subscription WHERE id % 3 = 0")
            let part = try #require(try fixture.prepare(try fixture.submit(apps: [app])).first)
            #expect(part.ids.count == 40)
            let reader = try fixture.store.messageReader()
            func read(_ range: ClosedRange<Int>) throws -> [String] {
                var found: [String] = []
                try reader.pending(in: part, range: part.ids[range.lowerBound]...part.ids[range.upperBound]) {
                    message, token, userKey, _ in
                    found.append(
                        "\(message.rawValue - part.ids[0].rawValue) \(token.isEmpty ? "none" : text(userKey))"
                    )
                }
                return found
            }
            let whole = try read(0...39)
            #expect(whole.count == 40 && Set(whole).count == 40)
            try fixture.accept([part.ids[10], part.ids[13]], of: part.delivery)
            try fixture.alter(
                "DELETE FROM subscription WHERE user_key = '\(whole[12].split(separator: " ")[1])'")
            #expect(try read(10...14) == [whole[11], "12 none", whole[14]])
            #expect(try read(20...39) == Array(whole[20...39]))
            try fixture.alter("DELETE FROM subscription WHERE id % 2 = 0")
            #expect(try read(20...39).count { $0.hasSuffix("none") } == 10)
        }
    }

    @Test func `messages that were submitted singly are read in order, whatever their recipients`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...12, to: app)
            // The messages are not adjacent, are in reverse order, and one of them occurs twice.
            let users = [12, 3, 9, 9, 1, 7, 2, 11, 4, 10]
            _ = try fixture.accept(try users.map { try fixture.message(to: .userKey("user-\($0)"), of: app) })
            let part = try #require(try fixture.openParts().first)
            let reader = try fixture.store.messageReader()
            func read(_ range: ClosedRange<Int>) throws -> [String] {
                var found: [String] = []
                try reader.pending(in: part, range: part.ids[range.lowerBound]...part.ids[range.upperBound]) {
                    message, token, userKey, _ in
                    found.append(token.isEmpty ? "none" : text(userKey))
                }
                return found
            }
            let expected = users.map { "user-\($0)" }
            #expect(try read(0...9) == expected)
            #expect(try read(2...9) == Array(expected[2...]))
            try fixture.accept([part.ids[3], part.ids[6]], of: part.delivery)
            #expect(try read(2...9) == [2, 4, 5, 7, 8, 9].map { expected[$0] })
            // The last and the first subscriber are deleted. No subscriber is looked up twice.
            try fixture.alter("DELETE FROM subscription WHERE user_key IN ('user-11', 'user-1')")
            #expect(try read(2...9) == ["user-9", "none", "user-7", "none", "user-4", "user-10"])
        }
    }

    @Test(arguments: ["UPDATE part_progress SET waiting = 7", "UPDATE part_progress SET delivery_id = 99"])
    func `a part that is damaged between two of its pieces is reported as damage to its delivery`(
        damage: String
    )
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let part = try #require(try fixture.prepare(try fixture.submit(apps: [app])).first)
            let reader = try fixture.store.messageReader()
            #expect(try reader.pending(in: part, range: part.ids[0]...part.ids[9]) { _, _, _, _ in } == 10)
            try fixture.alter(damage)
            var read = 0
            do throws(StoreError) {
                read = try reader.pending(in: part, range: part.ids[10]...part.ids[19]) { _, _, _, _ in }
                // The owner is also stored in the part's other row, which may be correct.
                #expect(damage.contains("delivery_id"))
            } catch {
                #expect(error.delivery == part.delivery && error.remedy == .setAside, "\(error)")
            }
            #expect(read == (damage.contains("delivery_id") ? 10 : 0))
            #expect(try fixture.store.repair.recount(part.delivery, at: noon).isRepaired)
        }
    }

    @Test func `the rows of parts show whether a retry is due, without reading any note`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            for _ in 1...2 {
                let (id, messages) = try fixture.deliver(to: app)
                var batch = OutcomeBatch(delivery: id)
                batch.others = messages.values.map {
                    MessageRecord(
                        message: $0,
                        change: .retrying(due: noon.time, .soft, .unreachable, providerReason: "x"),
                        countsAttempt: true)
                }
                _ = try fixture.store.outcomes.record([batch], at: noon)
            }
            let reader = try fixture.store.messageReader()
            // The notes contradict the part, so the result shows which of the two is read.
            try fixture.alter("UPDATE part_note SET due_at = due_at + 3600")
            #expect(try reader.retryingDue(app: app.id, dueBy: noon.time, limit: 1) == 1)
            #expect(try reader.retryingDue(app: app.id, dueBy: noon.time, limit: 2) == 2)
            try fixture.alter("UPDATE part_note SET due_at = due_at - 3600")
            #expect(try reader.retryingDue(app: app.id, dueBy: noon.time, limit: 3) == 3)
            #expect(try reader.retryingDue(app: app.id, dueBy: noon.time) == 20)
            #expect(try reader.retryingDue(app: app.id, dueBy: noon.later(seconds: -1).time, limit: 1) == 0)
        }
    }

    @Test func `a message whose subscription was removed is read without a token`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            try fixture.alter("DELETE FROM subscription WHERE user_key = 'user-2'")
            var orphans = 0
            #expect(
                try fixture.store.messageReader().pending(in: part, range: part.messages) {
                    _, token, userKey, _ in
                    if token.isEmpty && userKey.isEmpty { orphans += 1 }
                } == 3)
            #expect(orphans == 1)
        }
    }

    @Test func `if some subscriptions in a run were removed, each remaining message still has its own token`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let part = try #require(try fixture.prepare(try fixture.submit(apps: [app])).first)
            let reader = try fixture.store.messageReader()
            var users: [String] = []
            func tokens(_ range: ClosedRange<Int>) throws -> [String] {
                var found: [String] = []
                try reader.pending(in: part, range: part.ids[range.lowerBound]...part.ids[range.upperBound]) {
                    _, token, userKey, _ in
                    found.append(text(token))
                    users.append(text(userKey))
                }
                return found
            }
            var expected = try tokens(0...19)
            let keys = users
            #expect(Set(expected).count == 20 && !expected.contains(""))
            for (count, gone) in [(1, [7]), (3, [0, 19]), (20, Array(0..<20))] as [(Int, [Int])] {
                for index in gone {
                    try fixture.alter("DELETE FROM subscription WHERE user_key = '\(keys[index])'")
                    expected[index] = ""
                }
                // In the second pass, the members of the part are known.
                for _ in 0..<2 { #expect(try tokens(0...19) == expected, "\(count) were deleted") }
                #expect(try tokens(5...9) == Array(expected[5...9]))
            }
        }
    }

    @Test func `retries are read page by page, once each, with the fields that the scheduler needs`() throws {
        try TemporaryStore.with { fixture in
            let (app, other) = (try fixture.app("a"), try fixture.app("b"))
            try fixture.subscribe(1...300, to: app)
            try fixture.subscribe(1...5, to: other)
            let ids = [try fixture.submit(apps: [other, app]), try fixture.submit(apps: [app])]
            let parts = try ids.flatMap { try fixture.prepare($0) }
            for part in parts {
                var batch = OutcomeBatch(delivery: part.delivery)
                batch.others = part.ids.map { message in
                    // Few different due times, so that pages end within one of them.
                    MessageRecord(
                        message: message,
                        change: .retrying(
                            due: noon.later(seconds: message.rawValue % 3 * 60).time, .soft, .refused,
                            providerReason: "x"),
                        countsAttempt: true)
                }
                _ = try fixture.store.outcomes.record([batch], at: noon)
            }
            let reader = try fixture.store.messageReader()
            let dueBy = noon.later(seconds: 60).time
            var found: [RetryFacts] = []
            while true {
                var page: [RetryFacts] = []
                try reader.retries(
                    app: app.id, dueBy: dueBy, after: found.last?.place, limit: 37
                ) { facts, token, _, _ in
                    #expect(token.count == 64)
                    page.append(facts)
                }
                if page.isEmpty { break }
                found += page
            }
            // Parts with the longest overdue messages come first. Here, both parts have been due since the
            // same second.
            let expected = parts.filter { $0.app == app.id }.flatMap { part in
                part.ids.filter { $0.rawValue % 3 < 2 }.map { message in
                    Expected(
                        message: message, delivery: part.delivery, ordinal: part.ordinal(of: message),
                        due: noon.later(seconds: message.rawValue % 3 * 60).time)
                }
            }
            #expect(
                found.map {
                    Expected(message: $0.message, delivery: $0.delivery, ordinal: $0.ordinal, due: $0.due)
                }
                    == expected)
            #expect(found.allSatisfy { $0.attempts == 1 })
            #expect(try reader.retryingDue(app: app.id, dueBy: dueBy) == expected.count)
            #expect(try reader.retryingDue(app: app.id, dueBy: dueBy, limit: 10) == 10)
            #expect(try reader.retryingDue(app: other.id, dueBy: noon.later(seconds: -1).time) == 0)
        }
    }

    private struct Expected: Equatable {
        var message: MessageID
        var delivery: DeliveryID
        var ordinal: Int64
        var due: WallTime
    }

    private func text(_ bytes: Span<UInt8>) -> String {
        String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
}
