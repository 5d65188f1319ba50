import PushModel
import PushStore
import PushSystem
import Testing

/// Tests deliveries that are not sent to all subscribers at once, on both engines.
@Suite(.eachEngine) struct CalendarTests {
    private static let noon = TemporaryStore.noon
    private static let hasZones = SystemZones.zone(named: "Asia/Tokyo") != nil

    private static func calendar(_ adjust: (inout DeliveryCalendar) -> Void) -> DeliveryCalendar {
        var calendar = DeliveryCalendar()
        adjust(&calendar)
        return calendar
    }

    private static func waves(_ waves: DeliveryCalendar.Wave...) -> DeliveryCalendar {
        calendar { $0.waves = waves }
    }

    private func held(_ fixture: TemporaryStore, _ id: DeliveryID) throws -> [Int64: Int] {
        let found = try fixture.store.held.waiting(of: id)
        return Dictionary(
            uniqueKeysWithValues: found.map { ($0.due.seconds(since: Self.noon.time), $0.messages) })
    }

    private func open(_ fixture: TemporaryStore) throws -> [Part] {
        try fixture.store.work.openParts().parts
    }

    private func accept(_ parts: [Part], of id: DeliveryID, _ fixture: TemporaryStore) throws {
        for part in parts {
            for start in stride(from: 0, to: part.ids.count, by: 1_000) {
                try fixture.accept(Array(part.ids[start..<min(start + 1_000, part.ids.count)]), of: id)
            }
        }
    }

    @Test func `waves follow one another, and every recipient is in exactly one wave`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let calendar = Self.waves(
                .init(share: 100_000), .init(after: 1_800, share: 300_000), .init(after: 7_200))
            let id = try fixture.submit(apps: [app]) { $0.schedule.calendar = calendar }
            let first = try fixture.prepare(id)
            #expect(try fixture.store.deliveries.delivery(id)?.order.schedule.calendar == calendar)
            #expect(try fixture.counts(id).pending == 6_000 && fixture.state(id) == .inProgress)
            #expect(try open(fixture) == first)
            let later = try held(fixture, id)
            #expect(Set(later.keys) == [1_800, 9_000])
            let firstCount = first.map(\.ids.count).reduce(0, +)
            #expect((450...750).contains(firstCount), "\(firstCount)")
            #expect(later.values.reduce(firstCount, +) == 6_000)
            #expect(
                try fixture.store.work.nextMoment(after: Self.noon) == Self.noon.later(seconds: 1_800).time)

            // Messages in a later wave neither prevent the delivery from continuing nor let it end.
            try accept(first, of: id, fixture)
            #expect(try open(fixture) == [] && fixture.state(id) == .inProgress)
            #expect(try !fixture.store.held.areDue(at: Self.noon.later(seconds: 1_799)))
            #expect(try fixture.store.held.release(at: Self.noon.later(seconds: 1_799)) == 0)
            let second = Self.noon.later(seconds: 1_800)
            #expect(try fixture.store.held.areDue(at: second))
            #expect(try fixture.store.held.release(at: second) == 2)
            let parts = try open(fixture)
            #expect(parts.map(\.ids.count).reduce(0, +) == later[1_800])
            try accept(parts, of: id, fixture)
            #expect(try fixture.state(id) == .inProgress)
            let third = Self.noon.later(seconds: 9_000)
            _ = try fixture.store.held.release(at: third)
            try accept(try open(fixture), of: id, fixture)
            #expect(try fixture.state(id) == .finished && fixture.counts(id).sent == 6_000)
            let log = try fixture.log(id)
            #expect(Set(log.map(\.token)).count == 6_000 && log.map(\.ordinal) == Array(1...6_000))
        }
    }

    @Test func `waves by size follow the order of the target, across chunks and apps`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            try fixture.subscribe(1...5_500, to: one)
            try fixture.subscribe(1...10, to: two)
            let calendar = Self.waves(.init(size: 5_000), .init(after: 60, size: 505), .init(after: 60))
            let id = try fixture.submit(apps: [one, two]) { $0.schedule.calendar = calendar }
            let first = try fixture.prepare(id)
            #expect(first.map(\.ids.count).reduce(0, +) == 5_000)
            #expect(try held(fixture, id) == [60: 505, 120: 5])
        }
    }

    @Test func `later waves expire and stop with their delivery, and remain after a pause`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...30, to: app)
            let calendar = Self.waves(.init(size: 10), .init(after: 60))
            let ids = try (0..<3).map { _ in
                try fixture.submit(apps: [app]) {
                    $0.schedule.calendar = calendar
                    $0.schedule.validitySeconds = 3_600
                }
            }
            for id in ids { try fixture.prepare(id) }
            let now = Self.noon.later(seconds: 90)
            _ = try fixture.store.stop.stop(ids[0], at: now)
            #expect(try fixture.store.stop.cancelNext(of: ids[0], at: now).isOver)
            #expect(try fixture.state(ids[0]) == .stopped && fixture.counts(ids[0]).cancelled == 30)
            #expect(try held(fixture, ids[0]) == [:])

            _ = try fixture.store.pause.pause(ids[1])
            #expect(try fixture.store.held.release(at: now) == 2)
            #expect(try open(fixture).allSatisfy { $0.delivery == ids[2] })
            _ = try fixture.store.pause.resume(ids[1])
            #expect(try open(fixture).count { $0.delivery == ids[1] } == 2)

            let later = try fixture.submit(apps: [app]) {
                $0.schedule.calendar = calendar
                $0.schedule.validitySeconds = 3_600
            }
            try fixture.prepare(later)
            for _ in 0..<20 { _ = try fixture.store.outcomes.expire(at: now.later(seconds: 3_600)) }
            #expect(try fixture.counts(later).cancelled == 30 && fixture.state(later) == .finished)
        }
    }

    @Test func `waves on hold do not block other messages, and a recount leaves these waves on hold`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let calendar = Self.waves(.init(size: 4), .init(after: 60))
            let id = try fixture.submit(apps: [app]) { $0.schedule.calendar = calendar }
            try fixture.prepare(id)
            let queue = try #require(try fixture.store.queues.queues().first)
            #expect(queue.pending == 4 && queue.paused == 6)
            try fixture.alter("UPDATE part_progress SET waiting = 99")
            _ = try fixture.store.repair.recount(id, at: Self.noon)
            #expect(try held(fixture, id) == [60: 6] && open(fixture).count == 1)
        }
    }

    @Test(.enabled(if: hasZones)) func `a time of day applies in the time zone of each device`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let zones = ["Asia/Tokyo", "America/New_York", "Nowhere/Atall", nil, "Europe/Paris"]
            let records = (0..<50).map { number in
                let zone = zones[number % zones.count]
                return SubscriberRecord(
                    token: TemporaryStore.token(number + 1), userKey: "user-\(number)",
                    parametersJSON: zone.map { #"{"city":"x","timeZone":"\#($0)"}"# })
            }
            _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: Self.noon)
            let calendar = Self.calendar {
                ($0.localTime, $0.timeZone) = (10 * 3_600, "Europe/Paris")
            }
            let id = try fixture.submit(apps: [app]) { $0.schedule.calendar = calendar }
            #expect(try fixture.prepare(id) == [])
            // At 12:00 UTC it is past ten in Paris and Tokyo, and seven in New York.
            #expect(try held(fixture, id) == [3 * 3_600: 10, 13 * 3_600: 10, 21 * 3_600: 30])
        }
    }

    @Test(.enabled(if: hasZones))
    func `a device in quiet hours receives the message in the morning, and all others immediately`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            for (zone, numbers) in [("Asia/Tokyo", 1...20), ("Australia/Perth", 21...25)] {
                let records = numbers.map {
                    SubscriberRecord(
                        token: TemporaryStore.token($0), userKey: "user-\($0)",
                        parametersJSON: #"{"timeZone":"\#(zone)"}"#)
                }
                _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: Self.noon)
            }
            let calendar = Self.calendar {
                ($0.quietHours, $0.timeZone) = (QuietHours(from: 75_600, to: 28_800), "UTC")
            }
            let id = try fixture.submit(.userKeys((1...25).map { "user-\($0)" }), apps: [app]) {
                $0.schedule.calendar = calendar
            }
            let now = try fixture.prepare(id)
            #expect(now.map(\.ids.count) == [5])
            // 21:00 in Tokyo.
            #expect(try held(fixture, id) == [11 * 3_600: 20])
        }
    }

    @Test(.enabled(if: hasZones))
    func `a chunk that becomes hundreds of parts leaves little room for other chunks`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let zones = (-11...12).map { $0 > 0 ? "Etc/GMT-\($0)" : $0 < 0 ? "Etc/GMT+\(-$0)" : "Etc/GMT" }
            let records = (1...800).map { number in
                SubscriberRecord(
                    token: TemporaryStore.token(number), userKey: "user-\(number)",
                    parametersJSON: #"{"timeZone":"\#(zones[number % zones.count])"}"#)
            }
            _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: Self.noon)
            let calendar = Self.calendar {
                $0.waves = (0..<20).map { .init(after: $0 == 0 ? 0 : 86_400, share: $0 == 19 ? nil : 50_000) }
                ($0.localTime, $0.timeZone) = (10 * 3_600, "UTC")
            }
            let ids = try (0..<8).map { _ in
                try fixture.submit(apps: [app]) { $0.schedule.calendar = calendar }
            }
            var turns = PreparationTurns()
            var parts = 0
            for _ in 0..<100 {
                let steps = try fixture.store.preparation.prepareNext(&turns, at: Self.noon)
                if steps.isEmpty { break }
                // One transaction changes at most two rows per part, and a few rows per delivery.
                #expect(steps.reduce(0) { $0 + $1.step.parts * 2 + 5 } <= 5_000)
                parts += steps.reduce(0) { $0 + $1.step.parts }
            }
            #expect(parts > 8 * 300)
            for id in ids { #expect(try fixture.counts(id).pending == 800) }
            let log = try fixture.log(ids[0])
            #expect(log.map(\.ordinal) == Array(1...800) && Set(log.map(\.token)).count == 800)
        }
    }

    @Test(.enabled(if: hasZones))
    func `a retry during the recipient's quiet hours waits until they end`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let zones = ["Asia/Tokyo", "Australia/Perth", nil, "Nowhere/Atall"]
            let records = (0..<8).map { number in
                SubscriberRecord(
                    token: TemporaryStore.token(number + 1), userKey: "user-\(number)",
                    parametersJSON: zones[number % 4].map { #"{"timeZone":"\#($0)"}"# })
            }
            _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: Self.noon)
            let calendar = Self.calendar {
                // At noon UTC it is 21:00 in Tokyo and 20:00 in Perth.
                ($0.quietHours, $0.timeZone) = (QuietHours(from: 22 * 3_600, to: 8 * 3_600), "UTC")
            }
            let (id, other) = (
                try fixture.submit(apps: [app]) { $0.schedule.calendar = calendar },
                try fixture.submit(apps: [app])
            )
            for delivery in [id, other] {
                let messages = try fixture.prepare(delivery).flatMap(\.ids)
                #expect(messages.count == 8)
                var batch = OutcomeBatch(delivery: delivery)
                batch.others = messages.enumerated().map { index, message in
                    MessageRecord(
                        message: message,
                        change: .retrying(
                            due: Self.noon.later(seconds: index < 4 ? 60 : 5_400).time, .soft, .refused,
                            providerReason: "TooManyRequests"),
                        countsAttempt: true)
                }
                _ = try fixture.store.outcomes.record([batch], at: Self.noon)
            }
            // The positions of the recipients among the last four.
            let inTokyo = try fixture.log(id).map { ["user-0", "user-4"].contains($0.userKey) }
            #expect(inTokyo.count == 8 && inTokyo.dropFirst(4).contains(true))
            let expected = inTokyo.enumerated().map { $0 < 4 ? 60 : $1 ? 39_600 : 5_400 as Int64 }
            let found = try dues(of: app, id, in: fixture)
            #expect(found == expected)
            #expect(
                try dues(of: app, other, in: fixture) == [60, 60, 60, 60, 5_400, 5_400, 5_400, 5_400])
        }
    }

    @Test func `validity can end during quiet hours`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let id = try fixture.submit(apps: [app]) {
                $0.schedule.calendar = Self.calendar {
                    ($0.quietHours, $0.timeZone) = (QuietHours(from: 46_800, to: 28_800), "UTC")
                }
                $0.schedule.validitySeconds = 7_200
            }
            let messages = try fixture.prepare(id).flatMap(\.ids)
            var batch = OutcomeBatch(delivery: id)
            batch.others = messages.map {
                MessageRecord(
                    message: $0,
                    change: .retrying(
                        due: Self.noon.later(seconds: 4_000).time, .soft, .refused, providerReason: "busy"),
                    countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: Self.noon)
            #expect(
                try fixture.store.work.nextMoment(after: Self.noon)?.seconds(since: Self.noon.time) == 7_200)
            while try fixture.store.outcomes.expire(at: Self.noon.later(seconds: 7_200)).hasMore {}
            let log = try fixture.log(id)
            #expect(log.allSatisfy { $0.state == .failed && $0.providerReason == "busy" })
            #expect(try fixture.state(id) == .finished)
        }
    }

    /// Returns the time at which each message of a delivery is retried, in seconds after noon, in the order
    /// of the messages.
    private func dues(of app: App, _ delivery: DeliveryID, in fixture: TemporaryStore) throws -> [Int64] {
        var dues: [MessageID: Int64] = [:]
        _ = try fixture.store.messageReader().retries(
            app: app.id, dueBy: Self.noon.later(seconds: 1_000_000).time, after: nil, limit: 5_000,
            body: { facts, _, _, _ in dues[facts.message] = facts.due.seconds(since: Self.noon.time) })
        return try fixture.log(delivery).compactMap { dues[$0.message] }
    }

    @Test func `a delivery with an unreadable calendar is set aside`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.submit(apps: [app])
            for column in ["{", #"{"waves":[{"after":-5}]}"#, #"{"waves":[],"localTime":90000}"#] {
                try fixture.alter("UPDATE delivery SET calendar = '\(column)'")
                #expect(throws: StoreError.self) {
                    try fixture.store.preparation.prepareChunk(of: id, at: Self.noon)
                }
            }
        }
    }
}
