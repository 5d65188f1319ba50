import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import PushWire
import Testing

@Suite struct StoreReaderTests {
    @Test func `parts are found page by page, with the account that sends each part`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 3)
            let parts = try (0..<3).flatMap { _ in try fixture.prepare(try fixture.submit(app)) }
            let runner = try StoreReaderRunner(fixture)
            let found = try runner.findParts()
            #expect(found.map(\.part) == parts)
            #expect(Set(found.map(\.account)).count == 1)
            #expect(try runner.findParts(after: parts[1].id).map(\.part) == [parts[2]])
            #expect(try runner.findParts(after: parts[2].id).isEmpty)
            runner.stop()
        }
    }

    @Test func `omitted parts of an app are found again and read as usual`() throws {
        try MasterFixture.with { fixture in
            let apps = [try fixture.app("one", subscribers: 2), try fixture.app("two", subscribers: 2)]
            let parts = try (0..<3).flatMap { _ in try fixture.prepare(try fixture.submit(apps[0], apps[1])) }
            let own = parts.filter { $0.app == apps[0].id }
            #expect(own.count == 3)
            let runner = try StoreReaderRunner(fixture)
            #expect(try runner.findParts().map(\.part) == parts)
            for part in own { runner.mailbox.send(.closed(part.id)) }
            // A search may have found the part before its closing was reported.
            #expect(try runner.read(.range(own[2].id, own[2].messages)).messages == own[2].ids)
            runner.mailbox.send(.closed(own[2].id))
            let again = try runner.findParts(of: apps[0], own[1].id...parts[5].id)
            #expect(again.parts == [own[1], own[2]])
            #expect(again.next == nil)
            #expect(try runner.read(.range(own[2].id, own[2].messages)).count == 2)
            #expect(try runner.findParts(of: apps[0], own[0].id...own[1].id).parts == [own[0], own[1]])
            runner.stop()
        }
    }

    @Test func `a search for omitted parts continues where the previous page ended`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 1)
            let delivery = try fixture.submit(app)
            let first = try #require(try fixture.prepare(delivery).first)
            _ = try fixture.copies(StoreReader.partsPerSearch, of: delivery)
            let runner = try StoreReaderRunner(fixture)
            let last = PartID(rawValue: first.id.rawValue + Int64(StoreReader.partsPerSearch))
            let page = try runner.findParts(of: app, first.id...last)
            #expect(page.parts.count == StoreReader.partsPerSearch)
            let next = try #require(page.next)
            let rest = try runner.findParts(of: app, next...last)
            #expect(rest.parts.map(\.id) == [last])
            #expect(rest.next == nil)
            runner.stop()
        }
    }

    @Test func `account and job are sent once, before the first frame that needs them`() throws {
        try MasterFixture.with { fixture in
            let part = try #require(
                try fixture.prepare(try fixture.submit(try fixture.app("one", subscribers: 4))).first)
            let runner = try StoreReaderRunner(fixture)
            runner.mailbox.send(.findParts(after: nil))
            for grant in 1...2 {
                runner.mailbox.send(
                    .read(
                        ReadOrder(
                            grant: GrantID(rawValue: UInt32(grant)), child: ChildID(rawValue: 1),
                            account: AccountID(rawValue: 1), source: .range(part.id, part.messages))))
            }
            runner.stop()
            #expect(fixture.rest().map(\.word) == ["account", "app", "parts", "job", "filled", "filled"])
        }
    }

    @Test func `reading a range returns its pending messages, with the ids that devices see`() throws {
        try MasterFixture.with { fixture in
            let delivery = try fixture.submit(try fixture.app("one", subscribers: 6))
            let part = try #require(try fixture.prepare(delivery).first)
            var batch = OutcomeBatch(delivery: delivery)
            batch.accepted = [part.ids[1], part.ids[4]]
            _ = try fixture.store.outcomes.record([batch], at: Clocks.moment())
            let runner = try StoreReaderRunner(fixture)
            _ = try runner.findParts()
            let all = try runner.read(.range(part.id, part.messages))
            #expect(all.messages == [0, 2, 3, 5].map { part.ids[$0] })
            #expect(all.count == 4)
            let some = try runner.read(.range(part.id, part.ids[1]...part.ids[3]))
            #expect(some.messages == [part.ids[2], part.ids[3]])
            #expect(some.job == all.job)
            #expect(try runner.read(.range(part.id, part.ids[4]...part.ids[4])).count == 0)
            runner.stop()
        }
    }

    @Test func `reading an unknown part returns no messages`() throws {
        try MasterFixture.with { fixture in
            let runner = try StoreReaderRunner(fixture)
            let none = MessageID(rawValue: 1)...MessageID(rawValue: 9)
            #expect(try runner.read(.range(PartID(rawValue: 77), none)).count == 0)
            runner.stop()
        }
    }

    @Test
    func `retries are read one delivery at a time, never while they are on hold, and again after release`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let deliveries = [try fixture.submit(app), try fixture.submit(app)]
            let parts = try deliveries.flatMap { try fixture.prepare($0) }
            for (delivery, part) in zip(deliveries, parts) {
                try fixture.makeRetrying(part.ids, of: delivery)
            }
            let runner = try StoreReaderRunner(fixture)
            #expect(try runner.dueApps() == [app.id])

            let some = try runner.read(.retries(app.id, limit: 4))
            #expect(some.messages.count == 4)
            let others = try runner.read(.retries(app.id, limit: 100))
            let third = try runner.read(.retries(app.id, limit: 100))
            for reading in [some, others, third] {
                let owners = Set(
                    reading.messages.map { message in parts.firstIndex { $0.messages.contains(message) } })
                #expect(owners.count == 1)
            }
            let given = some.messages + others.messages + third.messages
            #expect(Set(given) == Set(parts.flatMap(\.ids)))
            #expect(given.count == 20)
            #expect(some.job == others.job)
            #expect(third.job != some.job)
            #expect(try runner.read(.retries(app.id, limit: 100)).count == 0)

            runner.mailbox.send(.released(others.grant))
            #expect(try runner.dueApps() == [app.id])
            #expect(try runner.read(.retries(app.id, limit: 100)).messages == others.messages)
            runner.stop()
        }
    }

    @Test
    func `a delivery with a rate is read only as far as the order allows, and not before the rate is known`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 10)
            let (slow, other) = (try fixture.submit(app), try fixture.submit(app))
            try fixture.tamper("UPDATE delivery SET rate = 5 WHERE id = \(slow)")
            let parts = try [slow, other].flatMap { try fixture.prepare($0) }
            let runner = try StoreReaderRunner(fixture)
            _ = try runner.findParts()
            let whole = ReadOrder.Source.range(parts[0].id, parts[0].messages)
            runner.mailbox.send(
                .read(
                    ReadOrder(
                        grant: GrantID(rawValue: 98), child: ChildID(rawValue: 1),
                        account: AccountID(rawValue: 1), source: whole)))
            let rate = try fixture.next("job") { event -> Int? in
                if case .job(let job) = event { job.ratePerSecond } else { nil }
            }
            #expect(rate == 5)
            let told = try fixture.next("its result") { event -> GrantID? in
                switch event {
                case .withoutAllowance(let grant): grant
                case .filled(let order, _, _, _, _): order.grant
                default: nil
                }
            }
            #expect(told == GrantID(rawValue: 98))
            #expect(try runner.read(whole).count == -2)
            let some = ReadOrder.Source.range(parts[0].id, parts[0].ids[0]...parts[0].ids[2])
            #expect(try runner.read(some, allowing: [slow: 3]).count == 3)
            #expect(try runner.read(.range(parts[1].id, parts[1].messages)).count == 10)

            for (delivery, part) in zip([slow, other], parts) {
                try fixture.makeRetrying(part.ids, of: delivery)
            }
            let retries = ReadOrder.Source.retries(app.id, limit: 100)
            let first = try runner.read(retries, allowing: [slow: 4])
            #expect(first.messages == Array(parts[0].ids.prefix(4)))
            // The slow delivery has received its share, so the other delivery is served.
            #expect(try runner.read(retries, allowing: [slow: 0]).messages == parts[1].ids)
            runner.mailbox.send(
                .read(
                    ReadOrder(
                        grant: GrantID(rawValue: 99), child: ChildID(rawValue: 1),
                        account: AccountID(rawValue: 1), source: retries, allowances: [slow: 0])))
            let limited = try fixture.next("filled") { event -> [DeliveryID?]? in
                if case .filled(_, _, _, 0, let limited) = event { [limited] } else { nil }
            }
            #expect(limited == [slow], "there is more of it")
            let allowed = try runner.read(retries, allowing: [slow: 50]).messages
            #expect(allowed == Array(parts[0].ids.dropFirst(4)))
            #expect(try runner.read(retries, allowing: [slow: 50]).count == 0)
            runner.stop()
        }
    }

    @Test func `an app whose due messages are all on hold counts as having no due messages`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 3)
            let delivery = try fixture.submit(app)
            let part = try #require(try fixture.prepare(delivery).first)
            try fixture.makeRetrying(part.ids, of: delivery)
            let runner = try StoreReaderRunner(fixture)
            #expect(try runner.read(.retries(app.id, limit: 100)).count == 3)
            #expect(try runner.dueApps() == [])
            runner.stop()
        }
    }

    @Test func `retries contain the number of counted attempts`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 1)
            let delivery = try fixture.submit(app)
            let part = try #require(try fixture.prepare(delivery).first)
            for _ in 0..<3 { try fixture.makeRetrying(part.ids, of: delivery) }
            let runner = try StoreReaderRunner(fixture)
            let grant = try runner.frame(.retries(app.id, limit: 10))
            #expect(grant.entry(at: GrantFrame.firstEntry).attempts == 3)
            runner.stop()
        }
    }

    @Test func `unreadable messages are reported and returned, and do not block other messages`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 2)
            let (sound, broken) = (try fixture.submit(app), try fixture.submit(app))
            let parts = try [sound, broken].flatMap { try fixture.prepare($0) }
            let runner = try StoreReaderRunner(fixture)
            _ = try runner.findParts()
            try fixture.tamper("DELETE FROM delivery_content WHERE delivery_id = \(broken)")
            #expect(try runner.read(.range(parts[1].id, parts[1].messages)).count == -1)
            #expect(try runner.read(.range(parts[0].id, parts[0].messages)).count == 2)
            runner.stop()
        }
    }

    @Test func `an app with an unreadable credential does not hide the parts of other apps`() throws {
        try MasterFixture.with { fixture in
            let sick = try fixture.app(
                "sick", subscribers: 1, connector: .iosHTTP2, identity: "token:T:K",
                credential: OpaqueCredential(bytes: [1, 2, 3]))
            let sound = try fixture.app("sound", subscribers: 1)
            _ = try fixture.prepare(try fixture.submit(sick))
            let part = try #require(try fixture.prepare(try fixture.submit(sound)).first)
            try fixture.tamper("UPDATE credential SET sealed = x'00112233' WHERE app_id = \(sick.id)")
            let runner = try StoreReaderRunner(fixture)
            #expect(try runner.findParts().map(\.part) == [part])
            runner.stop()
        }
    }
}
