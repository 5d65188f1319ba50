import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct DeliveryRepairTests {
    private let noon = TemporaryStore.noon

    @Test func `tally and columns become what the messages say, and the delivery goes on`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...6_000, to: app)
            let before = try house.submit(apps: [app])
            try house.prepare(before)
            let id = try house.submit(apps: [app])
            let parts = try house.prepare(id)
            try house.prepare(try house.submit(apps: [app]))
            try house.accept(Array(parts[0].ids.prefix(100)), of: id)
            try house.alter(
                """
                UPDATE tally SET count = 3 WHERE delivery_id = \(id.rawValue);
                UPDATE delivery SET last_ordinal = 10 WHERE id = \(id.rawValue);
                UPDATE part_progress SET waiting = 9, next_due = 8, is_open = 0, has_pending = 0
                    WHERE part_id = \(parts[1].id.rawValue)
                """)
            try house.store.repair.hold(id, because: "test", at: noon)
            #expect(try house.store.repair.held().map(\.delivery) == [id])
            let result = try house.store.repair.recount(id, at: noon)
            #expect(result.isRepaired && result.mendedParts == 1)
            #expect(result.before.sent == 3 && result.before.pending == 7 && result.after.sent == 100 && result.after.pending == 5_900)
            #expect(try house.store.repair.held() == [])
            #expect(try house.store.work.openParts().parts.filter { $0.delivery == id } == parts)
            #expect(try house.counts(id) == result.after)
        }
    }

    @Test(arguments: [
        "count = 9223372036854775807", "count = -9223372036854775808", "count = -1", "state = 99", "cause = 256",
        "minute = -1",
    ])
    func `a figure that cannot be is left out, harms no other delivery, and is mended`(damage: String) throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...10, to: app)
            let ids = try (1...3).map { _ in try house.submit(apps: [app]) }
            for id in ids { try house.accept(Array(try house.prepare(id)[0].ids.prefix(4)), of: id) }
            let sick = ids[1]
            try house.alter(
                """
                INSERT INTO tally (delivery_id, app_id, state, cause, minute, count)
                    VALUES (\(sick), \(app.id), 4, 0, 1, 9223372036854775807);
                UPDATE tally SET \(damage) WHERE delivery_id = \(sick) AND minute > 1
                """)
            let list = try house.store.deliveries.list()
            #expect(list.map(\.isMiscounted) == [false, true, false])
            #expect(list[0].counts == list[2].counts && list[0].counts.sent == 4 && list[0].counts.pending == 6)
            #expect(list[1].counts.targeted == 10)
            _ = try house.store.deliveries.reasons(of: sick)
            try house.accept(Array(try house.log(ids[2]).map(\.message).suffix(6)), of: ids[2])
            #expect(try house.state(ids[2]) == .finished)
            let result = try house.store.repair.recount(sick, at: noon)
            #expect(result.isRepaired && result.after.sent == 4 && result.after.pending == 6)
            #expect(try house.store.deliveries.summary(of: sick)?.isMiscounted == false)
        }
    }

    @Test func `what messages do not tell stays held, and its validity ends it`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...10, to: app)
            let id = try house.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            try house.prepare(id)
            try house.alter("UPDATE delivery SET apps = '[1'")
            try house.store.repair.hold(id, because: "test", at: noon)
            let result = try house.store.repair.recount(id, at: noon)
            #expect(result.problem?.contains("cannot read") == true)
            #expect(try house.store.repair.held().map(\.delivery) == [id])
            #expect(try house.store.work.openParts().parts.isEmpty)
            while try house.store.outcomes.expire(at: noon.later(seconds: 61)).hasMore {}
            #expect(try house.state(id).isFinal && house.counts(id).cancelled == 10)
            #expect(try house.store.repair.held() == [])
        }
    }

    @Test func `of a delivery that is held nothing is prepared or found, retries neither`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...10, to: app)
            let (id, messages) = try house.deliver(to: app)
            var batch = OutcomeBatch(delivery: id)
            batch.others = messages.values.map {
                MessageRecord(
                    message: $0, change: .retrying(due: noon.time, .soft, .unreachable, providerReason: "x"),
                    countsAttempt: true)
            }
            _ = try house.store.outcomes.record([batch], at: noon)
            let reader = try house.store.messageReader()
            #expect(try reader.retryingDue(app: app.id, dueBy: noon.time) == messages.count)
            let next = try house.submit(apps: [app])
            for delivery in [id, next] { try house.store.repair.hold(delivery, because: "test", at: noon) }
            #expect(try reader.retryingDue(app: app.id, dueBy: noon.time) == 0)
            #expect(try reader.retries(app: app.id, dueBy: noon.time, limit: 10) { _, _, _, _ in } == 0)
            #expect(try house.nextToPrepare(at: noon) == nil)
            #expect(try house.store.work.openParts().parts.isEmpty)
        }
    }

    @Test func `an end of validity that cannot be written is not tried for ever`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...10, to: app)
            let id = try house.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            try house.prepare(id)
            let late = noon.later(seconds: 61)
            #expect(try house.store.work.hasExpired(at: late))
            try house.store.repair.hold(id, because: "test", expires: false, at: noon)
            #expect(try !house.store.work.hasExpired(at: late))
            #expect(throws: StoreError.self) {
                _ = try house.store.repair.recount(DeliveryID(rawValue: 99), at: noon)
            }
            #expect(try house.store.repair.recount(id, at: noon).isRepaired)
            #expect(try house.store.work.hasExpired(at: late))
        }
    }
}
