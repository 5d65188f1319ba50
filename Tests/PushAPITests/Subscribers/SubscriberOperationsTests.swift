import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

struct SubscriberOperationsTests {
    private static func imported(
        _ text: String, into instance: TestInstance, inPiecesOf size: Int = 7,
        lifting: Bool = false, watchedBy watch: Watch<ImportedSubscribers> = Watch()
    ) async throws -> (ImportedSubscribers, rejected: [Int]) {
        var rest = Array(text.utf8)[...]
        var rejected: [Int] = []
        let counts = try await ImportSubscribers(app: "ios", liftsQuarantine: lifting)
            .perform(
                in: instance.operations, .csv, fileName: "list.csv", watchedBy: watch,
                read: { limit in
                    let piece = Array(rest.prefix(min(limit, size)))
                    rest = rest.dropFirst(piece.count)
                    return piece
                },
                reject: { rejected += $0.map(\.line) })
        return (counts, rejected)
    }

    @Test func `imported rows can be exported again, and bad rows are reported`() async throws {
        let instance = try TestInstance.withApp()
        let good =
            "token,userKey,city\n\(TestInstance.token(1)),u1,Paris\n\(TestInstance.token(2)),u2,\n"
        let (counts, rejected) = try await Self.imported(good + "nonsense,u3,\n", into: instance)
        #expect(rejected == [4])
        #expect(counts.rows == 3 && counts.inserted == 2 && counts.rejected == 1 && counts.taken == 2)
        var exported: [UInt8] = []
        try await ExportSubscribers(app: "ios").perform(in: instance.operations, type: "text/csv") {
            exported += $0
        }
        #expect(String(decoding: exported, as: UTF8.self) == good)
        let again = try await Self.imported(good, into: instance).0
        #expect(again.unchanged == 2 && again.inserted == 0)
    }

    @Test(arguments: [("city\nParis\n", "list.csv: line 1"), ("", "list.csv: ")])
    func `a file that lacks a required column is refused, and the error names the column`(
        text: String, why: String
    ) async throws {
        let instance = try TestInstance.withApp()
        let error = await #expect(throws: OperationError.self) {
            _ = try await Self.imported(text, into: instance)
        }
        #expect(error?.kind == .refused)
        #expect(error?.description.hasPrefix(why) == true)
    }

    @Test func `an app's declarations apply to an imported list as they apply to devices`() async throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", parameters: [ParameterDeclaration(name: "points", kind: .number)]))
        let error = await #expect(throws: OperationError.self) {
            _ = try await Self.imported(
                "registrationToken,userKey,colour\n\(TestInstance.token(1)),u1,red\n", into: instance)
        }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains("colour; the app declares points:number") == true)
        #expect(try instance.operations.carryOut(CountSubscribers(app: "ios")).first?.subscribers == 0)
        let (counts, rejected) = try await Self.imported(
            "registrationToken,userKey,points\n\(TestInstance.token(1)),u1,7\n\(TestInstance.token(2)),u2,x\n",
            into: instance)
        #expect(counts.inserted == 1 && rejected == [3])
        #expect(
            try instance.operations.everySubscriber(.userKey("u1")).map(\.parameters) == [
                ["points": "7"]
            ])
    }

    @Test func `an import that is cancelled while writing finishes the chunk and reports it`() async throws {
        let instance = try TestInstance.withApp()
        let rows = (1...9_000).map { "\(TestInstance.token($0)),u\($0)\n" }.joined()
        var inStore: [Int] = []
        let (counts, _) = try await Self.imported(
            "registrationToken,userKey\n\(rows)", into: instance, inPiecesOf: 1 << 20,
            watchedBy: Watch(
                report: { inStore.append($0.taken) }, isCancelled: { inStore.contains { $0 > 0 } }))
        #expect(counts.inserted == 9_000 && inStore.last == 9_000)
        #expect(inStore == inStore.sorted())
        #expect(try instance.operations.carryOut(CountSubscribers(app: "ios")).first?.subscribers == 9_000)
    }

    @Test func `an import that is cancelled while it is reading writes nothing`() async throws {
        let instance = try TestInstance.withApp()
        var reads = 0
        let error = await #expect(throws: OperationError.self) {
            _ = try await ImportSubscribers(app: "ios").perform(
                in: instance.operations, .csv, fileName: "list.csv",
                watchedBy: Watch(isCancelled: { reads == 2 }),
                read: { _ in
                    reads += 1
                    guard reads == 1 else { throw OperationError(.cancelled, "interrupted") }
                    return Array("token,userKey\n\(TestInstance.token(1)),u1\n".utf8)
                },
                reject: { _ in })
        }
        #expect(error?.kind == .cancelled)
        #expect(try instance.operations.carryOut(CountSubscribers(app: "ios")).first?.subscribers == 0)
    }

    @Test func `an import that is cancelled before its chunk is complete writes nothing`() async throws {
        let instance = try TestInstance.withApp()
        var reads = 0
        let error = await #expect(throws: OperationError.self) {
            _ = try await Self.imported(
                "registrationToken,userKey\n\(TestInstance.token(1)),u1\n", into: instance, inPiecesOf: 4,
                watchedBy: Watch(report: { _ in reads += 1 }, isCancelled: { reads == 3 }))
        }
        #expect(error?.kind == .cancelled && reads == 3)
        #expect(try instance.operations.carryOut(CountSubscribers(app: "ios")).first?.subscribers == 0)
    }

    @Test func `subscribers that deliveries exclude are counted separately`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(5)
        try instance.refuse(try instance.operations.carryOut(try TestInstance.submission()).id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        try instance.subscribe(1)
        let counts = try #require(try instance.operations.carryOut(CountSubscribers(app: "ios")).first)
        #expect(counts.subscribers == 5 && counts.valid + counts.quarantined == 5 && counts.disabled == 0)
    }

    @Test
    func `an import lifts quarantines only if requested, and counts the rows in quarantine`() async throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(4)
        try instance.refuse(try instance.operations.carryOut(try TestInstance.submission()).id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        // Three unchanged subscribers, one with another user key, and one new.
        let rows = (1...3).map { "\(TestInstance.token($0)),user\($0)\n" }.joined()
        let text =
            "registrationToken,userKey\n\(rows)\(TestInstance.token(4)),other\n\(TestInstance.token(5)),new\n"
        let (counts, _) = try await Self.imported(text, into: instance, inPiecesOf: 1_000)
        #expect(counts.unchanged == 3 && counts.updated == 1 && counts.inserted == 1)
        #expect(counts.quarantined == 4)
        #expect(try instance.operations.carryOut(ListQuarantine(state: .quarantined)).items.count == 4)
        let changed = try instance.operations.everySubscriber(.userKey("other"))
        #expect(changed.map(\.state) == ["quarantined"])

        let (lifted, _) = try await Self.imported(text, into: instance, inPiecesOf: 1_000, lifting: true)
        #expect(lifted.unchanged == 5 && lifted.quarantined == 0)
        #expect(try instance.operations.carryOut(ListQuarantine()).items.isEmpty)
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

    // MARK: One subscriber

    /// Returns the app's subscribers as stored.
    private static func stored(_ instance: TestInstance) throws -> [SubscriberView] {
        try instance.operations.carryOut(ShowSubscribers(allOf: "ios")).items
    }

    @Test func `a single subscriber is added in the same way as a row of an import`() async throws {
        let rows: [(token: String, userKey: String, city: String)] = [
            (TestInstance.token(10), "u1", "Rome"), (TestInstance.token(10), "u2", ""),
            (TestInstance.token(10).uppercased(), "u2", "O\"Brien, \n x"),
            (TestInstance.token(11), "", "Bari"),
            (TestInstance.token(11), "", "Bari"),
        ]
        let (one, other) = (try TestInstance.withApp(), try TestInstance.withApp())
        for row in rows {
            let city = row.city.replacing("\"", with: "\"\"")
            let file = "registrationToken,userKey,city\n\(row.token),\(row.userKey),\"\(city)\"\n"
            let counts = try await Self.imported(file, into: one).0
            let added = try other.operations.carryOut(
                AddSubscriber(
                    app: "ios", token: row.token, userKey: row.userKey,
                    parameters: SubscriberParameters(["city": row.city])))
            let result: AddedSubscriber.Result =
                counts.inserted == 1 ? .created : counts.updated == 1 ? .updated : .unchanged
            #expect(added.result == result && !added.excluded)
            #expect(try Self.stored(one) == Self.stored(other))
        }
        #expect(try Self.stored(other).map(\.userKey) == ["u2", ""])
    }

    @Test func `a quarantined subscriber stays in quarantine unless the quarantine is lifted`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        _ = try instance.operations.carryOut(
            AddToQuarantine(app: "ios", token: TestInstance.token(1), reason: "why"))
        func add(lifting: Bool) throws -> AddedSubscriber {
            try instance.operations.carryOut(
                AddSubscriber(
                    app: "ios", token: TestInstance.token(1), userKey: "user1", liftsQuarantine: lifting))
        }
        #expect(try add(lifting: false).excluded)
        #expect(try Self.stored(instance)[0].state == "quarantined")
        #expect(try !add(lifting: true).excluded)
        #expect(try Self.stored(instance)[0].state == "valid")
    }

    @Test func `every fault of a subscriber is listed, and the errors contain no value`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", parameters: [ParameterDeclaration(name: "points", kind: .number)]))
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(
                AddSubscriber(
                    app: "ios", token: "secret", userKey: String(repeating: "k", count: 513),
                    parameters: SubscriberParameters(["points": "many", "colour": "red", "userKey": "x"])))
        }
        #expect(error?.kind == .refused)
        #expect(
            error?.lines == [
                "token: must be an even number of hex digits, at most 200",
                "userKey: has 513 bytes; the maximum is 512",
                "parameters.colour: unknown; the app declares points:number",
                "parameters.points: must be a number, like -12.5",
                "parameters.userKey: not allowed as the name of a parameter",
            ])
        #expect(try Self.stored(instance).isEmpty)
    }

    @Test func `a zero byte is refused, because neither database stores it`() throws {
        let instance = try TestInstance.withApp()
        for (userKey, parameters) in [("a\0", [:]), ("a", ["b": "\0"]), ("a", ["b\0": "c"])] {
            let error = failure { () throws(OperationError) in
                _ = try instance.operations.carryOut(
                    AddSubscriber(
                        app: "ios", token: TestInstance.token(1), userKey: userKey,
                        parameters: SubscriberParameters(parameters)))
            }
            #expect(error?.kind == .refused)
        }
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
