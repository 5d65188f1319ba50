import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

struct SubscriberOperationsTests {
    @Test func `subscribers that deliveries exclude are counted separately`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(5)
        try instance.refuse(try instance.operations.carryOut(try TestInstance.submission()).id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        try instance.subscribe(1)
        let counts = try #require(try instance.operations.carryOut(CountSubscribers(app: "ios")).first)
        #expect(counts.subscribers == 5 && counts.valid + counts.quarantined == 5 && counts.disabled == 0)
    }

    @Test func `a person with thousands of devices is shown page by page, from app to app`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("other"))
        for (name, count) in [("ios", 2_300), ("other", 1_200)] {
            let app = try #require(try instance.store.catalogue.app(named: name))
            for first in stride(from: 1, through: count, by: 1_000) {
                let records = (first...min(first + 999, count)).map {
                    SubscriberRecord(token: TestInstance.token($0), userKey: "shared", parametersJSON: nil)
                }
                _ = try instance.store.subscriberImporter.upsert(records, into: app.id, at: TestInstance.noon)
            }
        }
        var pages: [Page<SubscriberView>] = []
        var next: Int64?
        repeat {
            let page = try instance.operations.carryOut(ShowSubscribers(.userKey("shared"), after: next))
            pages.append(page)
            next = page.position
        } while next != nil
        #expect(pages.map(\.items.count) == [1_000, 1_000, 1_000, 500])
        let all = pages.flatMap(\.items)
        #expect(all.count { $0.app == "ios" } == 2_300 && all.count { $0.app == "other" } == 1_200)
        #expect(Set(all.map { $0.app + $0.token }).count == 3_500)
        #expect(try instance.operations.everySubscriber(.userKey("shared")) == all)
        let one = try instance.operations.carryOut(ShowSubscribers(.token(TestInstance.token(7)), app: "ios"))
        #expect(one.items.count == 1 && one.next == nil)
        let app = try #require(try instance.store.catalogue.app(named: "ios"))
        let found = try instance.store.subscriberFinder.find(token: TestInstance.token(7), in: app.id)
        let subscriber = try #require(found.first)
        let after = try instance.operations.carryOut(
            ShowSubscribers(
                .token(TestInstance.token(7)), app: "ios", after: subscriber.subscription.rawValue))
        #expect(after.items.isEmpty && after.next == nil)
    }

    @Test func `one person's devices are shown and removed, in one app or in all`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("other"))
        try instance.subscribe(3, parameters: #"{"city":"Paris"}"#)
        try instance.subscribe(3, to: "other")
        let operations = instance.operations
        let shown = try operations.everySubscriber(.userKey("user2"))
        #expect(shown.map(\.app) == ["ios", "other"])
        #expect(shown.map(\.parameters) == [["city": "Paris"], [:]])
        #expect(shown.allSatisfy { $0.state == "valid" && $0.token == TestInstance.token(2) })
        #expect(try operations.carryOut(RemoveSubscribers(.userKey("user2"), app: "ios")).removed == 1)
        #expect(try operations.everySubscriber(.userKey("user2")).map(\.app) == ["other"])
        let upper = TestInstance.token(2).uppercased()
        #expect(try operations.carryOut(RemoveSubscribers(.token(upper))).removed == 1)
        #expect(try operations.carryOut(RemoveSubscribers(.userKey("user2"))).removed == 0)
        #expect(try operations.carryOut(CountSubscribers()).map(\.subscribers) == [2, 2])
    }

    @Test func `a person is erased from all apps, logs and targets, and each device is erased once`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("other"))
        try instance.subscribe(3)
        try instance.subscribe(3, to: "other")
        let operations = instance.operations
        let id = try operations.carryOut(try TestInstance.submission()).id
        _ = try operations.carryOut(RemoveSubscribers(.userKey("user2"), app: "other"))
        let erased = try operations.carryOut(
            EraseSubscribers(.userKey("user2")), watchedBy: Watch())
        #expect(erased.removed == 1 && erased.remembered == 1 && erased.listed == 0)
        var rows: [MessageLogRow] = []
        try ReadDeliveryLog(id: id).perform(in: operations) { rows += $0 }
        #expect(!rows.contains { $0.userKey == "user2" || $0.token == TestInstance.token(2) })
        for who in [SubscriberName.userKey("user2"), .token(TestInstance.token(2))] {
            #expect(try !operations.carryOut(EraseSubscribers(who), watchedBy: Watch()).hasFoundAny)
        }
        let empty = failure { () throws(OperationError) in
            _ = try operations.carryOut(EraseSubscribers(.userKey("")), watchedBy: Watch())
        }
        #expect(empty?.kind == .usage)
        let upper = SubscriberName.token(TestInstance.token(1).uppercased())
        #expect(try operations.carryOut(EraseSubscribers(upper), watchedBy: Watch()).removed == 2)
        #expect(try operations.carryOut(CountSubscribers()).map(\.subscribers) == [1, 1])
    }

    @Test func `erasing a person takes few steps, however many deliveries the app has had`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let operations = instance.operations
        let count = 40
        for _ in 0..<count { _ = try operations.carryOut(try TestInstance.submission()) }
        var steps = 0
        let erased = try operations.carryOut(
            EraseSubscribers(.userKey("user1")), watchedBy: Watch(report: { _ in steps += 1 }))
        #expect(erased.removed == 1)
        #expect(steps < count / 4)
    }

    @Test func `a key that more than a thousand devices have is removed from all of them`() async throws {
        let instance = try TestInstance.withApp()
        let rows = (1...2_500).map { "\(TestInstance.token($0)),\($0 <= 1_250 ? "till" : "desk")\n" }
        var rest = Array("registrationToken,userKey\n\(rows.joined())".utf8)[...]
        _ = try await ImportSubscribers(app: "ios").perform(
            in: instance.operations, .csv, fileName: "list.csv",
            read: { limit in
                defer { rest = rest.dropFirst(limit) }
                return Array(rest.prefix(limit))
            }, reject: { _ in })
        let operations = instance.operations
        #expect(try operations.carryOut(RemoveSubscribers(.userKey("till"))).removed == 1_250)
        let erased = try operations.carryOut(EraseSubscribers(.userKey("desk")), watchedBy: Watch())
        #expect(erased.removed == 1_250)
        #expect(try operations.carryOut(CountSubscribers()).map(\.subscribers) == [0])
    }

    @Test func `a subscriber of an app that is being deleted is erased too`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let operations = instance.operations
        let app = try #require(try operations.store.catalogue.app(named: "ios"))
        var erased: [Int] = []
        try operations.store.catalogueWriter(key: try operations.store.instanceKey()).deleteApp(
            app.id, at: TestInstance.noon
        ) {
            let done = try? operations.carryOut(EraseSubscribers(.userKey("user1")), watchedBy: Watch())
            if let done, done.hasFoundAny { erased.append(done.removed) }
        }
        #expect(erased == [1])
        #expect(try operations.store.personTraces.remembered("user1") == [])
        #expect(try operations.store.personTraces.remembered("user2").count == 1)
    }

    @Test func `if a person is removed in mid-delivery, none of their messages keeps waiting`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.refuse(id)
        _ = try instance.operations.carryOut(RemoveSubscribers(.userKey("user1")))
        #expect(try instance.operations.carryOut(ShowStorms()).first?.held == 1)
        var rows: [MessageLogRow] = []
        try ReadDeliveryLog(id: id).perform(in: instance.operations) { rows += $0 }
        #expect(rows.map(\.userKey) == ["user1", "user2"])
        #expect(rows.map(\.token) == [nil, TestInstance.token(2)])
    }

    @Test func `an app's subscribers are listed by state`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        _ = try instance.operations.carryOut(
            AddToQuarantine(app: "ios", token: TestInstance.token(2), reason: "why"))
        func keys(_ state: SubscriberState?) throws -> [String] {
            try instance.operations.carryOut(ShowSubscribers(allOf: "ios", state: state)).items.map(\.userKey)
        }
        #expect(try keys(nil) == ["user1", "user2", "user3"])
        #expect(try keys(.valid) == ["user1", "user3"])
        #expect(try keys(.quarantined) == ["user2"])
        #expect(try keys(.disabled) == [] && keys(.counting) == [])
        func pages(_ query: [String: String]) throws -> [[String]] {
            var (pages, query): ([[String]], [String: String]) = ([], query)
            repeat {
                let page = try ShowSubscribers.request(names: [:], query: query, body: [])
                    .carryOut(by: instance.operations)
                pages.append(page.items.map(\.userKey))
                query["cursor"] = page.next
            } while query["cursor"] != nil
            return pages
        }
        #expect(try pages(["app": "ios", "limit": "2"]) == [["user1", "user2"], ["user3"]])
        #expect(try pages(["app": "ios", "state": "quarantined", "limit": "1"]) == [["user2"], []])
        #expect(try pages(["userKey": "user2", "limit": "1"]) == [["user2"], []])
        #expect(throws: OperationError.self) {
            try instance.operations.carryOut(ShowSubscribers(allOf: "none"))
        }
    }
}
