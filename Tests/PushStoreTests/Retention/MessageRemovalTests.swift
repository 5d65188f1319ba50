import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct MessageRemovalTests {
    private let noon = TemporaryStore.noon
    private static let tables = [
        "part", "part_progress", "part_note", "part_variables", "delivery_target", "delivery_app",
        "held_verdict",
    ]

    @Test func `messages are removed some time after their delivery ended, and the delivery's record stays`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let keys = (1...6_000).map { "user-\($0)" }
            var target = Target.userKeys(keys)
            target.variables = RecipientVariables([ExactText("user-7"): [("code", "7")]])
            let id = try fixture.store.deliverySubmitter.submit(
                fixture.order(target, apps: [app]), at: noon)
            let parts = try fixture.prepare(id)
            let messages = parts.flatMap(\.ids)
            // Messages with notes, and one message in each final state.
            try fixture.sendWithIDs(messages.prefix(3_000), of: id)
            try fixture.record(messages.suffix(10).map { TemporaryStore.bad($0) }, of: id)
            try fixture.acceptAll(Array(messages.dropFirst(3_000).dropLast(10)), of: id)
            let before = try #require(try fixture.store.deliveries.summary(of: id))
            #expect(before.state == .finished && before.counts.sent == 5_990 && before.removed == nil)
            let reasons = try fixture.store.deliveries.reasons(of: id)
            for table in Self.tables { #expect(try fixture.rows(table) > 0, "\(table)") }

            let end = TemporaryStore.noon(afterDays: 30)
            let early = WallMoment(millisecondsSince1970: end.millisecondsSince1970 - 1)
            let look = try fixture.store.retention.look(TemporaryStore.retention, at: early)
            #expect(look.kinds == [] && look.nextEnd == end)
            #expect(
                try fixture.store.retention.look(TemporaryStore.retention, at: end).kinds.first == .messages)
            let steps = try fixture.retain(at: end)
            let sums = steps.reduce(into: RetentionSums()) { $0 += $1 }
            #expect(sums.deliveries == 1 && sums.messages == 6_000 && sums.verdicts == 0 && steps.count > 3)
            // A verdict of exactly that age has not yet exceeded the maximum.
            _ = try fixture.retain(at: end.later(seconds: 1))
            for table in Self.tables { #expect(try fixture.rows(table) == 0, "\(table)") }
            #expect(try fixture.store.retention.look(TemporaryStore.retention, at: end).nextEnd == nil)

            var after = try #require(try fixture.store.deliveries.summary(of: id))
            #expect(after.removed == end)
            after.removed = nil
            #expect(after == before)
            #expect(try fixture.store.deliveries.reasons(of: id) == reasons)
            #expect(try fixture.store.deliveries.list().map(\.id) == [id])
            #expect(
                try fixture.store.deliveries.delivery(id)?.order.contentJSON
                    == Array(#"{"title":"Hello"}"#.utf8))
            // Numbering continues.
            let next = try fixture.submit(.userKeys(["user-1"]), apps: [app])
            #expect(try fixture.prepare(next)[0].ids[0] > messages[5_999])
        }
    }

    @Test func `a delivery that has not ended keeps its messages, whatever the age of the messages`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let open = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 300 * 86_400 }
            try fixture.prepare(open)
            let again = try fixture.finished(apps: [app])
            var bad = OutcomeBatch(delivery: again)
            bad.others = []
            let later = TemporaryStore.noon(afterDays: 100)
            // Damaged rows that claim an end, or that a removal has begun.
            try fixture.alter(
                "UPDATE delivery SET finished_ms = 1, is_removing = 1, removed_ms = 1 WHERE id = \(open)")
            #expect(try fixture.retainAll(at: later) == sums(deliveries: 1, messages: 10))
            #expect(try fixture.log(open).count == 10 && fixture.log(again) == [])
            try fixture.alter(
                "UPDATE delivery SET finished_ms = NULL, is_removing = 0, removed_ms = NULL WHERE id = \(open)"
            )
        }
    }

    @Test func `a delivery with its own retention keeps its messages for that time, or forever`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let (short, usual) = (
                try fixture.finished(apps: [app], keeping: 2), try fixture.finished(apps: [app])
            )
            let (long, forever) = (
                try fixture.finished(apps: [app], keeping: 365), try fixture.finished(apps: [app], keeping: 0)
            )
            func kept(afterDays days: Int64, _ rules: RetentionRules = TemporaryStore.retention) throws
                -> [DeliveryID]
            {
                try fixture.retain(rules, at: TemporaryStore.noon(afterDays: days))
                return try fixture.store.deliveries.list().filter { $0.removed == nil }.map(\.id).sorted()
            }
            let look = try fixture.store.retention.look(TemporaryStore.retention, at: noon)
            #expect(look.nextEnd == TemporaryStore.noon(afterDays: 2))
            #expect(try kept(afterDays: 1) == [short, usual, long, forever])
            #expect(try kept(afterDays: 2) == [usual, long, forever])
            #expect(
                try fixture.store.retention.look(TemporaryStore.retention, at: noon).nextEnd
                    == TemporaryStore.noon(afterDays: 30))
            // With the setting 0, all other messages remain.
            var rules = TemporaryStore.retention
            rules.messageDays = 0
            #expect(try kept(afterDays: 364, rules) == [usual, long, forever])
            #expect(try kept(afterDays: 30) == [long, forever])
            #expect(try kept(afterDays: 365, rules) == [forever])
            #expect(try fixture.store.deliveries.summary(of: long)?.retentionDays == 365)
            #expect(try fixture.store.deliveries.delivery(long)?.order.schedule.retentionDays == 365)
        }
    }

    @Test func `an interrupted removal is continued, even if the retention is longer by then`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20_000, to: app)
            let id = try fixture.finished(apps: [app])
            let parts = try fixture.rows("part")
            try fixture.alter(
                "INSERT INTO part_note SELECT id, 0, 2, NULL, NULL FROM part; INSERT INTO part_note SELECT id, 7, 2, NULL, 'x' FROM part"
            )
            let now = TemporaryStore.noon(afterDays: 1)
            var rules = TemporaryStore.retention
            rules.messageDays = 1
            // The state left by a process that ended after the first step.
            try fixture.alter("UPDATE delivery SET removed_ms = 5, is_removing = 1 WHERE id = \(id)")
            try fixture.alter("DELETE FROM part_progress WHERE part_id = (SELECT min(id) FROM part)")
            #expect(try fixture.retainAll(TemporaryStore.retention, at: now).messages == 20_000 && parts > 4)
            for table in Self.tables { #expect(try fixture.rows(table) == 0, "\(table)") }
            #expect(
                try fixture.store.deliveries.summary(of: id)?.removed == WallMoment(millisecondsSince1970: 5))
        }
    }

    @Test func `a request for removed messages reports their removal, and no removed message is sent again`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record(
                messages.values.map { TemporaryStore.bad($0, reason: "DeviceTokenNotForTopic") }, of: id)
            // The removal has just begun, so all parts are still there.
            try fixture.alter("UPDATE delivery SET removed_ms = 1, is_removing = 1 WHERE id = \(id)")
            expect(.messagesRemoved(id, on: "1970-01-01")) {
                _ = try fixture.store.repair.recount(id, at: noon)
            }
            var cursor = FailedMessages.Cursor()
            let retry = RetryOfFailed(
                delivery: id, permanentReasons: [], expiresAt: noon.later(seconds: 600).time)
            #expect(try fixture.store.failedMessages.retry(retry, &cursor, at: noon) == nil)
            #expect(try fixture.state(id) == .finished && fixture.counts(id).failed == 10)
            // A late answer does no harm, either now or later.
            _ = try fixture.retain(at: TemporaryStore.noon(afterDays: 40))
            let late = try #require(messages.values.first)
            try fixture.accept([late], of: id, at: noon)
            #expect(try fixture.counts(id).failed == 10)
            expect(.messagesRemoved(id, on: "1970-01-01")) {
                _ = try fixture.store.repair.recount(id, at: noon)
            }
            #expect(try fixture.store.tokens.rename(subscriberOf: late, to: "aa", at: noon) == false)
        }
    }

    @Test func `an app's revisions are removed with the last delivery that needs them`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            _ = try fixture.finished(apps: [app])
            var settings = app.settings
            settings.bundleID = "com.example.new"
            _ = try fixture.writer.updateApp(app.id, to: settings, credential: nil)
            #expect(try fixture.rows("app_revision") == 2)
            try fixture.retain(at: TemporaryStore.noon(afterDays: 31))
            #expect(try fixture.rows("app_revision") == 1)
            #expect(try fixture.store.catalogue.app(app.id)?.settings.bundleID == "com.example.new")
        }
    }

    @Test func `a part that another delivery claims is not removed`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let (old, open) = (try fixture.finished(apps: [app]), try fixture.submit(apps: [app]))
            let part = try #require(try fixture.prepare(open).first)
            try fixture.alter("UPDATE part SET delivery_id = \(old) WHERE id = \(part.id)")
            let sums = try fixture.retainAll(at: TemporaryStore.noon(afterDays: 31))
            #expect(sums.messages == 3 && sums.deliveries == 1)
            try fixture.alter("UPDATE part SET delivery_id = \(open) WHERE id = \(part.id)")
            try fixture.accept(part.ids, of: open)
            #expect(try fixture.counts(open).sent == 3)
        }
    }

    private func sums(deliveries: Int, messages: Int) -> RetentionSums {
        var sums = RetentionSums()
        (sums.deliveries, sums.messages) = (deliveries, messages)
        return sums
    }
}
