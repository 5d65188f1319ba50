import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct OpenDeliveriesTests {
    private static let midnight = TemporaryStore.noon.later(seconds: 43_200)

    private func settle(_ fixture: TemporaryStore, at now: WallMoment) throws {
        for part in try fixture.openParts() {
            let messages = (part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue).map {
                MessageID(rawValue: $0)
            }
            try fixture.accept(messages, of: part.delivery, at: now)
        }
    }

    @Test func `a day's delivery ends with the day, once none of its messages is waiting`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.accept([try fixture.message(to: .userKey("user-1"), of: app)])[0].delivery
            try settle(fixture, at: TemporaryStore.noon)
            #expect(try fixture.state(id) == .inProgress)
            #expect(try fixture.nextToPrepare(at: TemporaryStore.noon) == nil)
            #expect(try fixture.store.preparation.prepareChunk(of: id, at: TemporaryStore.noon).isComplete)
            #expect(try fixture.store.repair.stranded(after: nil).last == nil)
            #expect(try fixture.store.work.nextMoment(after: TemporaryStore.noon) == Self.midnight.time)
            // The first message of the next day opens another delivery, before the first one is closed.
            let next = try fixture.accept(
                [try fixture.message(to: .userKey("user-2"), of: app)], at: Self.midnight)[0].delivery
            #expect(next != id)
            #expect(try !fixture.store.messages.hasToClose(at: TemporaryStore.noon))
            #expect(try fixture.store.messages.hasToClose(at: Self.midnight))
            #expect(try fixture.store.messages.closeEnded(at: Self.midnight) == [id])
            #expect(try fixture.state(id) == .finished && fixture.state(next) == .inProgress)
            #expect(try fixture.store.messages.closeEnded(at: Self.midnight.later(seconds: 86_400)) == [])
            try settle(fixture, at: Self.midnight)
            #expect(try fixture.state(next) == .finished)
        }
    }

    @Test func `each message has its own validity, and the day's delivery outlives all of its messages`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let accepted = try fixture.accept([
                try fixture.message(to: .userKey("user-1"), of: app, validity: 60),
                try fixture.message(to: .userKey("user-2"), of: app, validity: 7 * 86_400),
                try fixture.message(to: .userKey("user-3"), of: app, validity: 300 * 86_400),
            ])
            let id = accepted[0].delivery
            let later = TemporaryStore.noon.later(seconds: 61)
            #expect(try fixture.store.work.hasExpired(at: later))
            while try fixture.store.outcomes.expire(at: later).hasMore {}
            #expect(try fixture.counts(id).cancelled == 1 && fixture.counts(id).pending == 2)
            _ = try fixture.store.messages.closeEnded(at: Self.midnight)
            let muchLater = TemporaryStore.noon.later(seconds: 100 * 86_400)
            while try fixture.store.outcomes.expire(at: muchLater).hasMore {}
            #expect(try fixture.counts(id).cancelled == 2 && fixture.state(id) == .inProgress)
            let end = TemporaryStore.noon.later(seconds: 301 * 86_400)
            while try fixture.store.outcomes.expire(at: end).hasMore {}
            #expect(try fixture.counts(id).cancelled == 3 && fixture.state(id) == .finished)
        }
    }

    @Test func `a paused daily delivery takes no new messages, can continue later, and ends with its day`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let message = try fixture.message(to: .userKey("user-1"), of: app)
            let id = try fixture.accept([message])[0].delivery
            #expect(try fixture.store.pause.pause(id) == .changed)
            let other = try fixture.accept([message])[0].delivery
            #expect(other != id)
            #expect(try fixture.openParts().map(\.delivery) == [other])
            #expect(try fixture.store.messages.closeEnded(at: Self.midnight) == [])
            #expect(try fixture.state(id) == .paused)
            #expect(try fixture.store.pause.resume(id) == .changed)
            #expect(try fixture.state(id) == .inProgress)
            #expect(try fixture.nextToPrepare(at: Self.midnight) == nil)
            try settle(fixture, at: Self.midnight)
            #expect(try fixture.store.messages.closeEnded(at: Self.midnight).contains(id))
            #expect(try fixture.state(id) == .finished)
        }
    }

    @Test func `a daily delivery on hold takes no new messages, and the next message opens another delivery`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let message = try fixture.message(to: .userKey("user-1"), of: app)
            let id = try fixture.accept([message])[0].delivery
            try fixture.store.repair.hold(id, because: "a test", at: TemporaryStore.noon)
            let other = try fixture.accept([message])[0].delivery
            #expect(other != id)
            #expect(try fixture.accept([message])[0].delivery == other)
            // A recount releases the delivery.
            let result = try fixture.store.repair.recount(id, at: TemporaryStore.noon)
            #expect(result.isRepaired && result.before == result.after)
            #expect(try fixture.accept([message])[0].delivery == id)
        }
    }

    @Test func `missing content of a message is reported as missing`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let id = try fixture.accept([try fixture.message(to: .userKey("user-1"), of: app)])[0].delivery
            try fixture.alter("DELETE FROM message_content")
            let part = try #require(try fixture.openParts().first)
            #expect(throws: StoreError.self) {
                try fixture.store.deliveries.sendingTerms(of: id, part.content, to: app.id)
            }
            let problem = try fixture.store.repair.recount(id, at: TemporaryStore.noon).problem
            #expect(problem?.contains("content \(part.content)") == true)
            #expect(try fixture.openParts() == [])
        }
    }

    @Test func `failed single messages are sent again with their own content`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let accepted = try fixture.accept([
                try fixture.message(to: .userKey("user-1"), of: app, validity: 60),
                try fixture.message(to: .userKey("user-2"), of: app, validity: 120),
            ])
            let id = accepted[0].delivery
            let parts = try fixture.openParts()
            var batch = OutcomeBatch(delivery: id)
            batch.others = accepted.map {
                MessageRecord(
                    message: $0.devices[0].message,
                    change: .failed(.soft, .unreachable, providerReason: "Down"), countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: TemporaryStore.noon)
            _ = try fixture.store.messages.closeEnded(at: Self.midnight)
            #expect(try fixture.state(id) == .finished)
            let end = Self.midnight.later(seconds: 3_600).time
            let retry = RetryOfFailed(delivery: id, permanentReasons: [], expiresAt: end)
            var cursor = FailedMessages.Cursor()
            var retried = 0
            while let step = try fixture.store.failedMessages.retry(retry, &cursor, at: Self.midnight) {
                retried += step.retried
            }
            #expect(retried == 2)
            #expect(try fixture.state(id) == .inProgress)
            for part in parts {
                #expect(try fixture.store.deliveries.end(of: part.content, in: id) == end)
            }
        }
    }

    @Test func `an app can be deleted once none of its messages is waiting, even before the day ends`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let id = try fixture.accept([try fixture.message(to: .userKey("user-1"), of: app)])[0].delivery
            expect(.inUse(app: app.name, delivery: id)) {
                try fixture.writer.deleteApp(app.id, at: TemporaryStore.noon)
            }
            try settle(fixture, at: TemporaryStore.noon)
            try fixture.writer.deleteApp(app.id, at: TemporaryStore.noon)
            #expect(
                fixture.store.accept(
                    [try fixture.message(to: .userKey("user-1"), of: app)], at: TemporaryStore.noon)
                    == [.failure(.appChanged)])
            #expect(try fixture.store.messages.closeEnded(at: Self.midnight) == [id])
        }
    }

    @Test func `removing messages also removes their content`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...30, to: app)
            let id = try fixture.accept(
                (1...30).map { try fixture.message(to: .userKey("user-\($0)"), of: app, alert: "\($0)") })[0]
                .delivery
            try settle(fixture, at: TemporaryStore.noon)
            _ = try fixture.store.messages.closeEnded(at: Self.midnight)
            let rules = RetentionRules(messageDays: 1, quarantineSeconds: 0)
            let later = Self.midnight.later(seconds: 86_400)
            while try fixture.store.retentionWriter.step(.messages, rules, at: later).hasMore {}
            #expect(try fixture.store.deliveries.summary(of: id)?.removed != nil)
            for table in ["message_content", "message_revision", "part"] {
                #expect(try fixture.query("SELECT count(*) FROM \(table)") == ["0"])
            }
            #expect(try fixture.counts(id).sent == 30)
        }
    }
}
