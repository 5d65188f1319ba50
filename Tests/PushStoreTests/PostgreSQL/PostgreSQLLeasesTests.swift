import PushModel
import PushStore
import TestSupport
import Testing

/// Tests parts that belong to one host: they are claimed, returned, and released when their host is gone.
@Suite(.onPostgreSQL) struct PostgreSQLLeasesTests {
    private static let noon = TemporaryStore.noon
    private static let later = noon.time.advanced(bySeconds: 100)

    /// Provides two sending hosts and three parts of one app, each from another delivery.
    private func withParts(
        _ story: (SharedDatabase, SharedDatabase.Host, SharedDatabase.Host, TemporaryStore, [Part]) throws ->
            Void
    ) throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.sender("a"), try shared.sender("b"))
            let fixture = try shared.fixture(of: a)
            let app = try fixture.app()
            try fixture.subscribe(1...4, to: app)
            let parts = try (0..<3).flatMap { _ in try fixture.prepare(try fixture.submit(apps: [app])) }
            #expect(parts.count == 3)
            try story(shared, a, b, fixture, parts)
        }
    }

    private func makeRetrying(_ part: Part, due: WallTime, _ fixture: TemporaryStore) throws {
        var batch = OutcomeBatch(delivery: part.delivery)
        batch.others = part.ids.map { message in
            MessageRecord(
                message: message,
                change: .retrying(due: due, .undefined, .unreachable, providerReason: "test"),
                countsAttempt: true)
        }
        _ = try fixture.store.outcomes.record([batch], at: Self.noon)
    }

    @Test func `the first host claims one part, and the other host claims the remaining parts`() throws {
        try withParts { shared, a, b, _, parts in
            let ids = parts.map(\.id)
            let first = try a.leases.take(Array(ids[0...1]))
            #expect(first == Set(ids[0...1]))
            #expect(try b.leases.take(ids) == [ids[2]])
            #expect(try a.leases.take(ids) == Set(ids[0...1]), "those that it has are its own still")
            #expect(try shared.owners() == ["\(ids[0]):a", "\(ids[1]):a", "\(ids[2]):b"])
            #expect(try a.store.hosts.all().map(\.parts) == [2, 1])
            #expect(try a.leases.take([]) == [])
            #expect(try a.leases.take([PartID(rawValue: 987_654)]) == [], "there is no such part")
        }
    }

    @Test func `a host records no outcome for a part that another host has claimed, and reports this`() throws
    {
        try withParts { shared, a, b, _, parts in
            _ = try a.leases.take([parts[0].id])
            _ = try b.leases.take([parts[1].id])
            func record(_ part: Part, by host: SharedDatabase.Host) throws -> [EngineFault] {
                var batch = OutcomeBatch(delivery: part.delivery)
                batch.accepted = part.ids
                return try host.store.outcomes.record([batch], at: Self.noon).faults
            }
            let fault = try #require(try record(parts[0], by: b).first)
            #expect(fault.boundary == .leaseAndWrite)
            #expect(fault.evidence.contains("4 outcomes") && fault.evidence.contains("\(a.leases.ownTerm)"))
            func waiting() throws -> [String] {
                try shared.run("SELECT waiting FROM part_progress ORDER BY part_id")
            }
            #expect(try waiting() == ["4", "4", "4"])
            // A host records outcomes for its own parts and for parts without an owner, because a part may be
            // returned before the last of its outcomes are recorded.
            #expect(try record(parts[0], by: a).isEmpty && record(parts[1], by: b).isEmpty)
            #expect(try record(parts[2], by: b).isEmpty && waiting() == ["0", "0", "0"])
        }
    }

    @Test func `parts that another host has claimed are not found, but unclaimed parts are`() throws {
        try withParts { shared, a, b, fixture, parts in
            let ids = parts.map(\.id)
            _ = try a.leases.take([ids[1]])
            #expect(try a.store.work.openParts().parts.map(\.id) == ids)
            #expect(try b.store.work.openParts().parts.map(\.id) == [ids[0], ids[2]])
            let range = ids[0]...ids[2]
            let app = parts[0].app
            #expect(try a.store.work.openParts(of: app, range).parts.map(\.id) == ids)
            #expect(try b.store.work.openParts(of: app, range).parts.map(\.id) == [ids[0], ids[2]])
            // A process that is not a host sees all parts.
            #expect(try fixture.reopened().work.openParts().parts.map(\.id) == ids)
        }
    }

    @Test func `at a clock step, a host moves its own retries, and unclaimed ones if no other host sends`()
        throws
    {
        try withParts { shared, a, b, fixture, parts in
            let due = Self.noon.time.advanced(bySeconds: 3_900)
            for part in parts { try makeRetrying(part, due: due, fixture) }
            _ = try a.leases.take([parts[0].id])
            _ = try b.leases.take([parts[1].id])
            func dues() throws -> [Int64] {
                try shared.run("SELECT next_due FROM part_progress ORDER BY part_id").map {
                    (Int64($0) ?? 0) - Self.noon.time.secondsSince1970
                }
            }
            // Sets the clock back by one hour, and then by half an hour. Everything that was recorded at noon
            // was recorded with a clock that was ahead.
            func setBack(_ seconds: Int64, since: Int64) throws {
                let moment = Self.noon.later(seconds: since).time
                var shift = RetryShift(
                    stepSeconds: seconds, recordedSince: moment, now: moment.advanced(bySeconds: 1))
                while try fixture.store.outcomes.move(&shift) {}
            }
            #expect(try dues() == [3_900, 3_900, 3_900])
            try setBack(3_600, since: -3_600)
            #expect(try dues() == [300, 3_900, 3_900])
            try b.register.leave()
            try setBack(1_800, since: -3_600 - 1_800)
            // A message that would wait longer than ordered waits for the ordered time, 3 900 s, from now on.
            #expect(try dues() == [-1_500, -1_499, -1_499])
        }
    }

    @Test func `a part with nothing to send for a while is released, and a part with messages is kept`()
        throws
    {
        try withParts { shared, a, _, fixture, parts in
            let ids = parts.map(\.id)
            _ = try a.leases.take(ids)
            try fixture.accept(parts[0].ids, of: parts[0].delivery)
            try makeRetrying(parts[1], due: Self.later, fixture)
            try a.leases.giveBack(unlessDueBy: Self.later)
            #expect(try shared.owners() == ["\(ids[1]):a", "\(ids[2]):a"])
            try a.leases.giveBack(unlessDueBy: Self.later.advanced(bySeconds: -1))
            #expect(try shared.owners() == ["\(ids[2]):a"])
            #expect(try a.leases.take(ids) == Set(ids[1...2]), "one has ended")
        }
    }

    @Test func `the first host claims a part that is due, and no host claims it early`() throws {
        try withParts { shared, a, b, fixture, parts in
            let (ids, app) = (parts.map(\.id), parts[0].app)
            try makeRetrying(parts[0], due: Self.later, fixture)
            try makeRetrying(parts[1], due: Self.later, fixture)
            _ = try a.leases.take([ids[0]])
            try b.leases.takeDue(by: Self.later.advanced(bySeconds: -1), except: [], oneOf: [])
            #expect(try shared.owners() == ["\(ids[0]):a"])
            try b.leases.takeDue(by: Self.later, except: [], oneOf: [])
            try a.leases.takeDue(by: Self.later, except: [], oneOf: [])
            #expect(try shared.owners() == ["\(ids[0]):a", "\(ids[1]):b"])
            for (host, part) in [(a, 0), (b, 1)] {
                let reader = try host.store.messageReader()
                #expect(try reader.appsWithRetries(dueBy: Self.later) == [app])
                #expect(try reader.retryingDue(app: app, dueBy: Self.later) == parts[part].ids.count)
            }
            try b.register.leave()
            let reader = try b.store.messageReader()
            #expect(try reader.appsWithRetries(dueBy: Self.later) == [])
            #expect(try reader.retryingDue(app: app, dueBy: Self.later) == 0)
        }
    }

    @Test
    func `one due part is claimed for an app whose gateway is probed, and none for other apps in trouble`()
        throws
    {
        try withParts { shared, a, b, fixture, parts in
            let (ids, app) = (parts.map(\.id), parts[0].app)
            for part in parts { try makeRetrying(part, due: Self.later, fixture) }
            try a.leases.takeDue(by: Self.later, except: [app], oneOf: [])
            #expect(try shared.owners() == [])
            try a.leases.takeDue(by: Self.later, except: [], oneOf: [app])
            #expect(try shared.owners() == ["\(ids[0]):a"])
            try b.leases.takeDue(by: Self.later, except: [], oneOf: [])
            #expect(try shared.owners() == ["\(ids[0]):a", "\(ids[1]):b", "\(ids[2]):b"])
        }
    }

    @Test func `after a host's goodbye, any host can claim its parts`() throws {
        try withParts { shared, a, b, _, parts in
            let ids = parts.map(\.id)
            _ = try b.leases.take(ids)
            try b.register.leave()
            #expect(try shared.owners() == [])
            #expect(try b.leases.take(ids) == [])
            #expect(try a.leases.take(ids) == Set(ids))
        }
    }

    @Test func `a host that is treated as lost loses its parts and receives none`() throws {
        try withParts { shared, a, b, fixture, parts in
            let ids = parts.map(\.id)
            let claim = try #require(try a.register.takeOver(from: nil, afterMilliseconds: 20_000))
            _ = try a.leases.take([ids[0]])
            _ = try b.leases.take([ids[1]])
            let seen = try #require(
                try a.register.renew(
                    generation: 1, forMilliseconds: 20_000, saying: HostReport(sends: true, shares: 2)
                ).others.first?.seen)
            #expect(try a.register.end([seen], afterMilliseconds: 0) == [seen])
            #expect(try shared.owners() == ["\(ids[0]):a"])
            eventually("it to be given none") { (try? b.leases.take(ids)) == [] }
            try makeRetrying(parts[2], due: Self.noon.time, fixture)
            try b.leases.takeDue(by: Self.later, except: [], oneOf: [])
            #expect(try shared.owners() == ["\(ids[0]):a"])
            #expect(try a.leases.take(ids) == Set(ids))
            // After entering again, the host counts as another host, so its earlier parts are not its own.
            b.losesPlace()
            #expect(try b.register.enter(name: "b", release: "1", replacing: nil) == .entered)
            try b.speak()
            #expect(try b.leases.take(ids) == [])
            withExtendedLifetime(claim) {}
        }
    }

    @Test func `a host that does not yet send, or has not entered, receives no parts`() throws {
        try withParts { shared, a, b, _, parts in
            let ids = parts.map(\.id)
            let standing = try shared.host("c")
            #expect(try standing.leases.take(ids) == [])
            try standing.leases.takeDue(by: Self.later, except: [], oneOf: [])
            let stranger = try #require(try shared.open("d").hostRegister()).leases()
            #expect(try stranger.take(ids) == [])
            try stranger.takeDue(by: Self.later, except: [], oneOf: [])
            #expect(try shared.owners() == [])
            try standing.speak()
            #expect(try standing.leases.take(ids) == Set(ids))
        }
    }

    @Test func `the leader releases parts whose host number belongs to no host`() throws {
        try withParts { shared, a, b, _, parts in
            let ids = parts.map(\.id)
            _ = try b.leases.take([ids[0]])
            try shared.run("INSERT INTO part_lease VALUES (\(ids[1]), 987654)")
            #expect(try a.store.work.openParts().parts.map(\.id) == [ids[2]])
            try a.register.freeParts()
            #expect(try shared.owners() == ["\(ids[0]):b"])
            #expect(try a.store.work.openParts().parts.map(\.id) == Array(ids[1...2]))
        }
    }

    @Test func `a delivery that another host has ended is recognised as ended`() throws {
        try withParts { _, _, b, fixture, parts in
            let deliveries = parts.map(\.delivery)
            let unknown = DeliveryID(rawValue: 987_654)
            #expect(try b.leases.ended(among: deliveries) == [])
            try fixture.accept(parts[1].ids, of: deliveries[1])
            #expect(Set(try b.leases.ended(among: deliveries + [unknown])) == [deliveries[1], unknown])
            #expect(try b.leases.ended(among: []) == [])
        }
    }

    @Test func `each host ends its own parts of a stopped delivery, and also the unclaimed parts`() throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.sender("a"), try shared.sender("b"))
            let fixture = try shared.fixture(of: a)
            let apps = try ["one", "two", "three"].map { try fixture.app($0) }
            for app in apps { try fixture.subscribe(1...4, to: app) }
            let parts = try fixture.prepare(try fixture.submit(apps: apps))
            #expect(parts.count == 3)
            let delivery = parts[0].delivery
            _ = try a.leases.take([parts[0].id])
            _ = try b.leases.take([parts[1].id])
            #expect(try a.store.stop.stop(delivery, at: Self.noon) == .stopped(isOver: false))
            let first = try a.store.stop.cancelNext(of: delivery, at: Self.noon)
            #expect(first.ended == 8 && !first.isOver, "its own, and the one that no host has")
            let again = try a.store.stop.cancelNext(of: delivery, at: Self.noon)
            #expect(again.ended == 0 && !again.isOver)
            let last = try b.store.stop.cancelNext(of: delivery, at: Self.noon)
            #expect(last.ended == 4 && last.isOver)
        }
    }
}
