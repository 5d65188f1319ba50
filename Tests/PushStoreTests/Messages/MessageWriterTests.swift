import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct MessageWriterTests {
    private let day: Int64 = 86_400

    @Test func `messages with the same content for one app share a part of the delivery for that day`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let accepted = try fixture.accept(
                (1...5).map { try fixture.message(to: .userKey("user-\($0)"), of: app) })
            let part = try #require(try fixture.openParts().first)
            #expect(try fixture.openParts().count == 1)
            #expect(part.firstOrdinal == 1 && part.content.rawValue == part.id.rawValue)
            #expect(accepted.map(\.devices.count) == [1, 1, 1, 1, 1])
            #expect(
                accepted.map(\.devices[0].message.rawValue) == Array(part.id.rawValue..<part.id.rawValue + 5))
            // The recipients of the messages, in the order in which the messages came.
            let log = try fixture.log(part.delivery)
            #expect(log.map(\.userKey) == (1...5).map { "user-\($0)" })
            let summary = try #require(try fixture.store.deliveries.summary(of: part.delivery))
            #expect(summary.label == "messages of neotrips 2026-11-21" && summary.state == .inProgress)
            #expect(summary.counts.pending == 5 && summary.openUntil != nil)
            #expect(try fixture.store.deliveries.whole(part.delivery).order.apps == [app.id])
            // If the same content is sent again, the message refers to the stored content.
            let again = try fixture.accept([try fixture.message(to: .userKey("user-1"), of: app)])
            #expect(again[0].delivery == part.delivery)
            #expect(try fixture.openParts().map(\.content) == [part.content, part.content])
            #expect(try fixture.openParts().map(\.firstOrdinal) == [1, 6])
        }
    }

    @Test func `other content, a longer validity and another app each create a separate part`() throws {
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("one"), try fixture.app("two")]
            for app in apps { try fixture.subscribe(1...3, to: app) }
            let accepted = try fixture.accept([
                try fixture.message(to: .userKey("user-1"), of: apps[0], alert: "A"),
                try fixture.message(to: .userKey("user-2"), of: apps[0], alert: "B"),
                try fixture.message(to: .userKey("user-3"), of: apps[0], alert: "A"),
                try fixture.message(to: .userKey("user-1"), of: apps[1], alert: "A"),
                try fixture.message(to: .userKey("user-1"), of: apps[0], alert: "A", validity: 60),
                try fixture.message(to: .userKey("user-1"), of: apps[0], alert: "A", priority: .high),
            ])
            let parts = try fixture.openParts()
            #expect(parts.count == 5 && Set(parts.map(\.content)).count == 5)
            #expect(parts.map(\.size) == [2, 1, 1, 1, 1])
            // Each priority has its own delivery.
            #expect(Set(accepted.map(\.delivery)).count == 2)
            let terms = try parts.map {
                try fixture.store.deliveries.sendingTerms(of: $0.delivery, $0.content, to: $0.app)
            }
            #expect(
                terms.map { String(decoding: $0.contentJSON, as: UTF8.self) }
                    == ["A", "B", "A", "A", "A"].map { #"{"title":"\#($0)"}"# })
            #expect(terms.map(\.priority) == [.normal, .normal, .normal, .normal, .high])
            #expect(terms[3].expiresAt.seconds(since: TemporaryStore.noon.time) == 60)
            #expect(try fixture.store.deliveries.whole(parts[0].delivery).order.apps == apps.map(\.id))
        }
    }

    @Test func `a now-or-never message is a separate part, which is sent within a minute`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            _ = try fixture.accept([
                try fixture.message(to: .userKey("user-1"), of: app, alert: "A", validity: 60),
                try fixture.message(to: .userKey("user-2"), of: app, alert: "A", validity: 0),
                try fixture.message(to: .userKey("user-3"), of: app, alert: "A", validity: 0),
            ])
            func terms() throws -> [SendingInfo] {
                try fixture.openParts().map {
                    try fixture.store.deliveries.sendingTerms(of: $0.delivery, $0.content, to: $0.app)
                }
            }
            #expect(try fixture.openParts().map(\.size) == [1, 2])
            #expect(try terms().map(\.isNowOrNever) == [false, true])
            #expect(try terms().map { $0.expiresAt.seconds(since: TemporaryStore.noon.time) } == [60, 60])
            // If the same message is sent again, it has the same content, and another process finds the
            // content in the store.
            _ = try fixture.accept([
                try fixture.message(to: .userKey("user-1"), of: app, alert: "A", validity: 0)
            ])
            #expect(Set(try fixture.openParts().map(\.content)).count == 2)
            #expect(try terms().map(\.isNowOrNever) == [false, true, true])
        }
    }

    @Test func `a now-or-never delivery is shown as such`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            for seconds in [0, 60] as [Int64] {
                let id = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = seconds }
                let terms = try fixture.store.deliveries.sendingTerms(of: id, to: app.id)
                #expect(terms.isNowOrNever == (seconds == 0))
                let wanted = seconds == 0 ? DeliverySchedule.nowOrNeverSeconds : seconds
                #expect(terms.expiresAt.seconds(since: TemporaryStore.noon.time) == wanted)
                #expect(try fixture.store.deliveries.whole(id).order.schedule.validitySeconds == seconds)
            }
        }
    }

    @Test func `a message goes to all of a user's devices, and devices that are left out are reported`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            _ = try fixture.store.subscriberImporter.upsert(
                (1...3).map {
                    SubscriberRecord(token: TemporaryStore.token($0), userKey: "anna", parametersJSON: nil)
                }, into: app.id, at: TemporaryStore.noon)
            try fixture.alter("UPDATE subscription SET disabled = 1 WHERE id % 3 = 2")
            let accepted = try fixture.accept([try fixture.message(to: .userKey("anna"), of: app)])[0]
            #expect(accepted.devices.count == 3)
            #expect(accepted.devices.count { $0.exclusion != nil } == 1)
            let counts = try fixture.counts(accepted.delivery)
            #expect(counts.pending == 2 && counts.excluded == 1)
            for device in accepted.devices {
                let status = try #require(
                    try fixture.store.messageStatus.status(of: device.message, in: accepted.delivery))
                #expect(status.entry.state == (device.exclusion == nil ? .pending : .excluded))
            }
        }
    }

    @Test func `a message without recipients is refused, and the other messages are accepted`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let results = fixture.store.accept(
                [
                    try fixture.message(to: .token("nobody's"), of: app),
                    try fixture.message(to: .token(TemporaryStore.token(1)), of: app),
                    try fixture.message(to: .userKey("nobody"), of: app),
                ], at: TemporaryStore.noon)
            #expect(results[0] == .failure(.nobody) && results[2] == .failure(.nobody))
            #expect(try results[1].get().devices.count == 1)
            #expect(try fixture.openParts().count == 1)
        }
    }

    @Test func `requests with the same key are executed once`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let first = try fixture.message(to: .userKey("user-1"), of: app, key: "k", body: "one")
            let other = try fixture.message(to: .userKey("user-2"), of: app, key: "k", body: "two")
            let accepted = try fixture.accept([first, first])
            #expect(
                accepted.map(\.isRepeated) == [false, true] && accepted[0].devices == accepted[1].devices)
            #expect(
                fixture.store.accept([other, first], at: TemporaryStore.noon.later(seconds: 60)).map {
                    try? $0.get().devices
                } == [nil, accepted[0].devices])
            #expect(fixture.store.accept([other], at: TemporaryStore.noon) == [.failure(.keyReused)])
            #expect(try fixture.counts(accepted[0].delivery).pending == 1)
            // After a day, the same request creates another message.
            let later = try fixture.accept([other], at: TemporaryStore.noon.later(seconds: day + 1))
            #expect(!later[0].isRepeated)
        }
    }

    @Test func `a message that an earlier version stored under a key is recognised`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            var message = try fixture.message(to: .userKey("user-1"), of: app, key: "k", body: "written")
            let first = try fixture.accept([message])
            func again(_ earlier: String) -> MessageResult {
                message.idempotency = IdempotencyKey(
                    scope: "test", key: "k", body: Array("canonical".utf8), earlierForm: Array(earlier.utf8))
                return fixture.store.accept([message], at: TemporaryStore.noon)[0]
            }
            let repeated = try again("written").get()
            #expect(repeated.isRepeated && repeated.devices == first[0].devices)
            #expect(again("written otherwise") == .failure(.keyReused))
        }
    }

    @Test func `old keys are removed, and a person's keys are removed with the person`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            _ = try fixture.accept(
                (1...3).map { try fixture.message(to: .userKey("user-\($0)"), of: app, key: "k\($0)") })
            let anna = try fixture.store.subscriberFinder.find(userKey: "user-2", in: app.id)
            _ = try fixture.store.subscriberRemover.remove(anna.map(\.subscription), at: TemporaryStore.noon)
            #expect(try fixture.query("SELECT count(*) FROM idempotency") == ["2"])
            let rules = RetentionRules(messageDays: 0, quarantineSeconds: 0)
            let (soon, late) = (
                TemporaryStore.noon.later(seconds: day - 1), TemporaryStore.noon.later(seconds: day)
            )
            #expect(try fixture.store.retention.look(rules, at: soon).kinds == [])
            #expect(try fixture.store.retention.look(rules, at: late).kinds == [.requests])
            _ = try fixture.store.retentionWriter.step(.requests, rules, at: late)
            #expect(try fixture.query("SELECT count(*) FROM idempotency") == ["0"])
        }
    }

    @Test func `a message without recipients is checked again if its app was recreated under the same name`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let message = try fixture.message(to: .userKey("user-1"), of: app)
            #expect(fixture.store.accept([message], at: TemporaryStore.noon) == [.failure(.nobody)])
            try fixture.writer.deleteApp(app.id, at: TemporaryStore.noon)
            try fixture.subscribe(1...1, to: try fixture.app())
            #expect(fixture.store.accept([message], at: TemporaryStore.noon) == [.failure(.appChanged)])
        }
    }

    @Test func `a message is sent through the app revision against which its content was checked`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let message = try fixture.message(to: .userKey("user-1"), of: app)
            _ = try fixture.accept([message])
            var settings = app.settings
            settings.bundleID = "com.example.other"
            let changed = try fixture.writer.updateApp(app.id, to: settings, credential: nil)
            #expect(fixture.store.accept([message], at: TemporaryStore.noon) == [.failure(.appChanged)])
            _ = try fixture.accept([try fixture.message(to: .userKey("user-1"), of: changed)])
            func topics() throws -> [String] {
                try fixture.openParts().map {
                    try fixture.store.deliveries.sendingTerms(of: $0.delivery, $0.content, to: $0.app)
                        .revision
                        .bundleID
                }
            }
            #expect(try topics() == [app.settings.bundleID, "com.example.other"])
            // A corrected topic is applied to waiting messages if the operator requests it.
            #expect(try fixture.writer.bindLiveDeliveries(of: app.id) == 1)
            #expect(try topics() == ["com.example.other", "com.example.other"])
        }
    }
}
