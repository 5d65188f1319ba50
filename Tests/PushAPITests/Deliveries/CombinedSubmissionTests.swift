import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import Testing

/// Tests submissions whose target combines choosers, and lists that are matched by a parameter.
struct CombinedSubmissionTests {
    private static func changes(_ target: String) throws -> [String: Any] {
        ["target": try JSONSerialization.jsonObject(with: Data(target.utf8)), "allowEmpty": NSNull()]
    }

    /// Creates an instance in which the users 1 to 6 have a city, and a delivery that users 1 and 2 opened.
    private static func instance() throws -> (TestInstance, first: DeliveryID) {
        let instance = try TestInstance.withApp()
        let app = try #require(try instance.store.catalogue.app(named: "ios"))
        let records = (1...6).map {
            SubscriberRecord(
                token: TestInstance.token($0), userKey: "user\($0)",
                parametersJSON: #"{"city":"\#($0 <= 4 ? "Paris" : "Rome")","customerId":"C-\#($0)"}"#)
        }
        try instance.add(records)
        let first = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.accept(first)
        let hits = try instance.store.deliveries.log(of: first)
            .filter { ["user1", "user2"].contains($0.userKey) }
            .map {
                HitRecord(
                    delivery: first, message: $0.message, number: $0.ordinal, app: app.id, kind: .clicked,
                    at: TestInstance.noon)
            }
        _ = try instance.store.hits.record(hits)
        return (instance, first)
    }

    private static func reached(_ id: DeliveryID, in instance: TestInstance) throws -> Set<String> {
        try instance.accept(id)
        return Set(try instance.store.deliveries.log(of: id).map(\.userKey))
    }

    @Test func `everyone in a city who did not open an earlier delivery is one document`() throws {
        let (instance, first) = try Self.instance()
        let changes = try Self.changes(
            #"{"and": [{"where": {"city": "Paris"}}, {"not": {"openersOf": \#(first)}}]}"#)
        let submission = try TestInstance.submission(changes)
        let found = try instance.operations.carryOut(
            DryRunDelivery(document: submission.document, documentName: "sale.json"))
        #expect(found.targeted == 2 && found.excluded == 0 && found.list == nil)
        let submitted = try instance.operations.carryOut(submission)
        #expect(submitted.warnings.isEmpty)
        let shown = try instance.operations.carryOut(ShowDelivery(id: submitted.id)).order?.target
        #expect(
            shown == "(city = Paris) and not (subscribers that opened a message of delivery \(first))")
        #expect(try Self.reached(submitted.id, in: instance) == ["user3", "user4"])
        // The document of the delivery has the same effect.
        let document = try instance.operations.carryOut(ShowDeliveryDocument(id: submitted.id)).document
        var bytes: [UInt8] = []
        document.append(to: &bytes)
        let again = try instance.operations.carryOut(
            SubmitDelivery(document: bytes, documentName: "again.json"))
        #expect(try Self.reached(again.id, in: instance) == ["user3", "user4"])
    }

    @Test func `a user's other devices are excluded with their reason from a combined target`() throws {
        let (instance, first) = try Self.instance()
        let target =
            #"{"where": {"city": "Paris"}, "exclude": {"openersOf": \#(first)}, "oncePerUser": true}"#
        let newer = SubscriberRecord(
            token: TestInstance.token(33), userKey: "user3", parametersJSON: #"{"city":"Paris"}"#)
        try instance.add([newer])
        let document = try TestInstance.submission(try Self.changes(target)).document
        let found = try instance.operations.carryOut(
            DryRunDelivery(document: document, documentName: "sale.json"))
        #expect(found.targeted == 2 && found.excluded == 1)
        #expect(found.exclusions.map(\.reason) == ["once per user"])
        let id = try instance.operations.carryOut(
            SubmitDelivery(document: document, documentName: "sale.json")
        ).id
        #expect(
            try instance.operations.carryOut(ShowDelivery(id: id)).order?.target
                == "city = Paris, without subscribers that opened a message of delivery \(first), once per user"
        )
    }

    @Test func `a combination with a missing delivery, without a match or with a strange name is refused`()
        throws
    {
        let (instance, first) = try Self.instance()
        for (target, fault) in [
            (
                #"{"or": [{"all": true}, {"not": {"openersOf": 77}}]}"#,
                "sale.json: target.or[1].not.openersOf: there is no delivery 77"
            ),
            (
                #"{"and": [{"openersOf": \#(first)}, {"not": {"recipientsOf": \#(first)}}]}"#,
                "sale.json: target: the target contains no subscriber"
            ),
            (#"{"and": []}"#, "sale.json: target.and: must have at least 1 entry, not 0"),
        ] {
            let error = #expect(throws: OperationError.self) {
                try instance.operations.carryOut(try TestInstance.submission(try Self.changes(target)))
            }
            #expect(error?.kind == .refused && error?.description.hasPrefix(fault) == true, "\(error as Any)")
        }
        var app = TestInstance.stubApp("declaring")
        app.parameters = [.init(name: "city", kind: .text)]
        _ = try instance.operations.carryOut(app)
        var changes = try Self.changes(#"{"all": true, "exclude": {"not": {"where": {"ctiy": "Rome"}}}}"#)
        changes["apps"] = ["declaring"]
        let error = #expect(throws: OperationError.self) {
            try instance.operations.carryOut(try TestInstance.submission(changes))
        }
        #expect(error?.description.contains(#"parameter "ctiy" (did you mean "city"?)"#) == true)
    }

    @Test func `a preview warns about a device that a combined target leaves out`() throws {
        let (instance, first) = try Self.instance()
        func warnings(_ target: String, _ user: String) throws -> Int {
            let document = try TestInstance.submission(try Self.changes(target)).document
            let preview = PreviewDelivery(
                document: document, documentName: "sale.json", who: .userKey(user))
            return try instance.operations.carryOut(preview).warnings.count
        }
        let paris = #"{"and": [{"where": {"city": "Paris"}}, {"not": {"openersOf": \#(first)}}]}"#
        #expect(try warnings(paris, "user1") == 0)
        #expect(try warnings(paris, "user5") == 1)
        #expect(try warnings(#"{"all": true, "exclude": {"where": {"city": "Rome"}}}"#, "user5") == 1)
    }

    // MARK: - Lists

    private static func file(
        _ text: String, key: String?, _ changes: [String: Any] = [:], once idempotencyKey: String? = nil
    ) throws -> (SubmitFromFile, (Int) -> [UInt8]) {
        let document = try TestInstance.submission(
            ["target": NSNull(), "allowEmpty": NSNull()].merging(changes, uniquingKeysWith: { $1 }))
        let order = SubmitFromFile(
            document: document.document, documentName: "sale.json", form: .table, fileName: "list.csv",
            key: key, caller: "test", idempotencyKey: idempotencyKey)
        var rest = Array(text.utf8)[...]
        return (
            order,
            { limit in
                defer { rest = rest.dropFirst(limit) }
                return Array(rest.prefix(limit))
            }
        )
    }

    @Test func `a list is matched by a parameter, and the figures are shown before and afterwards`() throws {
        let (instance, _) = try Self.instance()
        let more = [
            SubscriberRecord(
                token: TestInstance.token(21), userKey: "user1", parametersJSON: #"{"customerId":"C-1"}"#),
            SubscriberRecord(
                token: TestInstance.token(22), userKey: "other", parametersJSON: #"{"customerId":"C-2"}"#),
            SubscriberRecord(
                token: TestInstance.token(23), userKey: "", parametersJSON: #"{"customerId":"C-2"}"#),
        ]
        try instance.add(more)
        let text = "customerId,code\nC-1,A1\nC-2,A2\nC-1,A9\nC-99,A3\n"
        let content: [String: Any] = ["content": ["body": "{{code}}"]]
        let (order, read) = try Self.file(text, key: "customerId", content)
        let found = try order.dryRun(in: instance.operations, read: read)
        let list = try #require(found.list)
        #expect(list.key == "customerId" && list.rows == 4 && list.listed == 3)
        #expect(list.matched == 2 && list.unmatched == 1 && list.matchRate == 0.6667)
        #expect(list.devices == 5 && list.people == 4 && list.ambiguous == 1)
        #expect(found.targeted == 5 && found.listedRecipients == 3 && found.unknownRecipients == 1)
        #expect(found.missingValues.isEmpty && found.warnings.count == 2)
        #expect(
            found.warnings.contains(
                "list.csv: subscribers with different user keys have the same customerId: 1 value; all of "
                    + "these subscribers are in the target"))

        let (again, readAgain) = try Self.file(text, key: "customerId", content)
        let id = try again.perform(in: instance.operations, read: readAgain).id
        try instance.accept(id)
        #expect(try instance.store.deliveries.log(of: id).count == 5)
        let shown = try #require(try instance.operations.carryOut(ShowDelivery(id: id)).order)
        #expect(shown.list == list && shown.target == "3 values of customerId, each with code")
        let document = try instance.operations.carryOut(ShowDeliveryDocument(id: id))
        #expect(document.recipients?.key == "customerId" && document.recipients?.count == 3)
        #expect(document.recipients?.described == "3 values of customerId")
        let refused = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(
                CopyDelivery(id: id, changes: Array("{}".utf8), documentName: "changes"))
        }
        #expect(refused?.description.contains("the list of delivery \(id) (3 values of customerId)") == true)
    }

    @Test func `a list of user keys or tokens shows its match rate after the preparation`() throws {
        let (instance, first) = try Self.instance()
        let exclude: [String: Any] = ["target": ["exclude": ["openersOf": Int(first.rawValue)]]]
        let (order, read) = try Self.file("userKey\nuser1\nuser3\nnobody\nuser3\n", key: nil, exclude)
        let id = try order.perform(in: instance.operations, read: read).id
        let before = try instance.operations.carryOut(ShowDelivery(id: id)).order?.list
        #expect(before?.rows == 4 && before?.listed == 3 && before?.matched == nil)
        #expect(try Self.reached(id, in: instance) == ["user3"])
        let after = try instance.operations.carryOut(ShowDelivery(id: id)).order?.list
        #expect(after?.key == "userKey" && after?.matched == 2 && after?.unmatched == 1)
        #expect(after?.devices == 2 && after?.people == 2 && after?.ambiguous == nil)
    }

    @Test func `a device with a thousand others of the same person is found once`() throws {
        let instance = try TestInstance.withApp()
        let records = (1...1_000).map {
            SubscriberRecord(
                token: TestInstance.token($0), userKey: "anna", parametersJSON: #"{"customerId":"7"}"#)
        }
        try instance.add(records)
        let (order, read) = try Self.file("customerId\n7\n", key: "customerId")
        let list = try #require(try order.dryRun(in: instance.operations, read: read).list)
        #expect(list.devices == 1_000 && list.people == 1 && list.matched == 1 && list.ambiguous == 0)
    }

    @Test func `the same list with the same key is one delivery, although a device registers meanwhile`()
        throws
    {
        let (instance, _) = try Self.instance()
        let (order, read) = try Self.file("customerId\nC-1\nC-9\n", key: "customerId", once: "k")
        let first = try order.perform(in: instance.operations, read: read)
        let late = SubscriberRecord(
            token: TestInstance.token(90), userKey: "user9", parametersJSON: #"{"customerId":"C-9"}"#)
        try instance.add([late])
        let (again, readAgain) = try Self.file("customerId\nC-9\nC-1\n", key: "customerId", once: "k")
        let second = try again.perform(in: instance.operations, read: readAgain)
        #expect(second.id == first.id && second.isRepeated)
    }

    @Test func `a list is refused if its parameter or its values do not fit`() throws {
        let instance = try TestInstance.withApp()
        var app = TestInstance.stubApp("declaring")
        app.parameters = [.init(name: "customerId", kind: .number), .init(name: "city", kind: .text)]
        _ = try instance.operations.carryOut(app)
        try instance.subscribe(2, to: "declaring", parameters: #"{"customerId":"007"}"#)
        let apps: [String: Any] = ["apps": ["declaring"]]
        for (text, key, more, fault) in [
            (
                "customerID\n7\n", "customerID", [:],
                #"key: no app of the delivery declares a parameter "customerID" (did you mean "customerId"?)"#
            ),
            ("customerId\nC-7\n", "customerId", [:], "list.csv: line 2: customerId: must be a number"),
            (
                "customerId\n8\n", "customerId", [:],
                "sale.json: target: the target contains no subscriber: no subscriber has a listed value of \"customerId\""
            ),
            (
                "customerId\n7\n", "customerId", ["target": ["oncePerUser": true]],
                "sale.json: target.oncePerUser: cannot be used with recipients that are found by a parameter"
            ),
        ] as [(String, String, [String: Any], String)] {
            let (order, read) = try Self.file(text, key: key, apps.merging(more) { $1 })
            let error = #expect(throws: OperationError.self) {
                try order.perform(in: instance.operations, read: read)
            }
            #expect(error?.kind == .refused && error?.description.hasPrefix(fault) == true, "\(error as Any)")
        }
        // Numbers are compared as numbers.
        let (order, read) = try Self.file("customerId\n7\n", key: "customerId", apps)
        #expect(try order.dryRun(in: instance.operations, read: read).list?.devices == 2)
    }
}
