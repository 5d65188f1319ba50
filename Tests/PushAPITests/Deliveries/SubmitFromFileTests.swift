import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import Testing

struct SubmitFromFileTests {
    /// A file that is read in pieces.
    private struct Source {
        private var bytes: ArraySlice<UInt8>
        init(_ text: String) { bytes = Array(text.utf8)[...] }

        mutating func next(_ limit: Int) -> [UInt8] {
            let piece = bytes.prefix(min(limit, 100_003))
            bytes = bytes.dropFirst(piece.count)
            return Array(piece)
        }
    }

    private static func order(
        _ form: RecipientFile.Form = .userKeys, _ changes: [String: Any] = [:], key: String? = nil
    ) throws -> SubmitFromFile {
        let document = try TestInstance.submission(
            ["target": NSNull(), "allowEmpty": NSNull()].merging(changes, uniquingKeysWith: { $1 }))
        return SubmitFromFile(
            document: document.document, documentName: "sale.json", form: form, fileName: "list",
            caller: "test", idempotencyKey: key)
    }

    private static func submit(
        _ text: String, _ order: SubmitFromFile, to instance: TestInstance
    ) throws(OperationError) -> SubmittedDelivery {
        var source = Source(text)
        return try order.perform(in: instance.operations) { source.next($0) }
    }

    private static let rules = RetentionRules(messageDays: 30, quarantineSeconds: 90 * 86_400)

    private static func recipients(of id: DeliveryID, in instance: TestInstance) throws -> Int {
        var count = 0
        while true {
            let step = try instance.store.preparation.prepareChunk(of: id, at: TestInstance.noon)
            count += step.rows
            if step.isComplete { return count }
        }
    }

    private static func many(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "user\($0)\n" }.joined()
    }

    @Test func `a short list is sent with the document, and a long list goes through the store`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(12_000)
        let short = try Self.submit("user3\nuser1\nuser3\n", try Self.order(), to: instance)
        #expect(
            try instance.store.deliveries.delivery(short.id)?.order.target == .userKeys(["user3", "user1"]))
        let twice = ["list: 1 of the lines repeat a recipient; only the first line of each recipient is used"]
        #expect(short.warnings == twice)
        let long = try Self.submit(Self.many(1...12_001) + "user5\n", try Self.order(), to: instance)
        #expect(long.warnings == twice)
        let shown = try instance.operations.carryOut(ShowDelivery(id: long.id))
        #expect(shown.order?.target == "12 001 user keys")
        #expect(try Self.recipients(of: long.id, in: instance) == 12_000)
        #expect(instance.engine.wakeUps == 2)
    }

    @Test func `an exclusion can accompany a file of any size`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(11_000)
        func sent(_ count: Int, _ target: [String: Any]) throws -> Int {
            let order = try Self.order(.userKeys, ["target": target])
            var source = Source(Self.many(1...count))
            let found = try order.dryRun(in: instance.operations) { source.next($0) }
            let id = try Self.submit(Self.many(1...count), order, to: instance).id
            let recipients = try Self.recipients(of: id, in: instance)
            #expect(recipients == found.targeted)
            return recipients
        }
        for count in [5, 11_000] {
            #expect(try sent(count, ["exclude": ["userKeys": ["user3", "nobody"]]]) == count - 1)
            #expect(try sent(count, ["oncePerUser": true]) == count)
        }
        #expect(try (5_000...6_000).contains(sent(11_000, ["sample": 0.5])))
        let both: [String: Any] = [
            "sample": ["share": 0.5, "from": 0.5], "exclude": ["userKeys": ["user3"]],
        ]
        #expect(try (5_000...6_000).contains(sent(11_000, both)))
        for (form, target, words) in [
            (
                .userKeys, ["all": true],
                "target: the recipients are already given outside the document; remove one"
            ),
            (.userKeys, [:], "target: the recipients are already given outside the document; remove one"),
            (.table, ["oncePerUser": true], "target.oncePerUser: cannot be used with a file of tokens"),
        ] as [(RecipientFile.Form, [String: Any], String)] {
            let error = failure { () throws(OperationError) in
                let order: SubmitFromFile
                do { order = try Self.order(form, ["target": target]) } catch { throw .failed("\(error)") }
                let file = form == .table ? "token\n\(TestInstance.token(1))\n" : "user1\n"
                _ = try Self.submit(file, order, to: instance)
            }
            #expect(
                error?.description.hasPrefix("sale.json: \(words)") == true, "\(String(describing: error))")
        }
    }

    @Test func `a table defines the values of each recipient, and a dry run counts them and stores nothing`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let table = "code,userKey\nA1,user1\n,user2\nA9,user9\n"
        let order = try Self.order(.table, ["content": ["body": "{{code}}"]])
        var source = Source(table)
        let found = try order.dryRun(in: instance.operations) { source.next($0) }
        #expect(found.targeted == 2 && found.missingValues.map(\.count) == [1])
        #expect(found.apps.first?.sample?.payload.contains("A1") == true)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.isEmpty)
        let sent = try Self.submit(table, order, to: instance)
        #expect(sent.warnings.isEmpty)
        #expect(try Self.recipients(of: sent.id, in: instance) == 2)
        let shown = try instance.operations.carryOut(ShowDelivery(id: sent.id)).order?.target
        #expect(shown == "3 user keys, each with code")
        let idle = try Self.submit(
            "token,x\n\(TestInstance.token(10).uppercased()),1\n",
            try Self.order(
                .table, ["allowEmpty": true]), to: instance)
        #expect(idle.warnings.contains { $0.hasPrefix("the target contains no subscriber") })
        #expect(idle.warnings.contains("recipients: no text of the content uses \"x\""))
    }

    @Test func `iOS tokens are found whether their digits are upper or lower case`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(11)
        let tokens = [10, 11].map { TestInstance.token($0).uppercased() + "\n" }.joined()
        let sent = try Self.submit("token\n" + tokens, try Self.order(.table), to: instance)
        #expect(try Self.recipients(of: sent.id, in: instance) == 2)
    }

    /// Files that are refused, each with its expected error.
    private static let wrong: [(RecipientFile.Form, String, String)] = [
        (.userKeys, many(1...12_000) + "user1", "list: line 12001: the file ends within a line"),
        (.userKeys, "", "list: there is no user key in the file"),
        (.table, "userKey,x\n", "list: there is no recipient in the file"),
        (.table, "userKey,x\nuser1,1\nuser2\n", "list: line 3: missing columns: 1 instead of 2"),
        (.userKeys, "nobody\n", "sale.json: target: the target contains no subscriber"),
        (
            .userKeys, (1...10_001).map { "nobody\($0)\n" }.joined(),
            "sale.json: target: the target contains no subscriber"
        ),
    ]

    @Test(arguments: wrong.indices) func `an invalid file is refused and leaves nothing`(
        index: Int
    ) throws {
        let (form, text, fault) = Self.wrong[index]
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let error = #expect(throws: OperationError.self) {
            try Self.submit(text, try Self.order(form), to: instance)
        }
        #expect(error?.kind == .refused && error?.description.hasPrefix(fault) == true, "\(error as Any)")
        #expect(try instance.operations.carryOut(ListDeliveries()).items.isEmpty)
        #expect(try instance.store.retention.look(Self.rules, at: instance.later).kinds.isEmpty)
    }

    @Test func `a document that has a target, or is wrong, is refused before the file is read`() throws {
        let instance = try TestInstance.withApp()
        for changes in [["target": ["all": true]], ["apps": ["none"]]] as [[String: Any]] {
            let order = try Self.order(.table, changes)
            let error = #expect(throws: OperationError.self) {
                try order.perform(in: instance.operations) { _ in
                    Issue.record("read")
                    return []
                }
            }
            #expect(error?.kind == .refused)
        }
    }

    @Test func `the same list with the same key is the same delivery, and another list is refused`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let first = try Self.submit(Self.many(1...10_001), try Self.order(key: "k"), to: instance)
        let again = try Self.submit(Self.many(1...10_001), try Self.order(key: "k"), to: instance)
        #expect(again.id == first.id && again.isRepeated && !first.isRepeated)
        let error = #expect(throws: OperationError.self) {
            try Self.submit(Self.many(1...10_002), try Self.order(key: "k"), to: instance)
        }
        #expect(error?.kind == .conflict)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.map(\.id) == [first.id])
    }

    @Test func `a submission leaves nothing behind, at whatever moment it is cancelled`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        var (moments, isDone) = (0, false)
        while !isDone {
            var (left, source) = (moments, Source(Self.many(1...60_000)))
            let order = try Self.order()
            do {
                _ = try order.perform(
                    in: instance.operations,
                    watchedBy: Watch(isCancelled: {
                        left -= 1
                        return left < 0
                    })
                ) { source.next($0) }
                isDone = true
            } catch {
                #expect(error.kind == .cancelled)
                #expect(try instance.operations.carryOut(ListDeliveries()).items.isEmpty)
                let look = try instance.store.retention.look(Self.rules, at: instance.later)
                #expect(look.kinds.isEmpty)
            }
            moments += 1
        }
        #expect(moments > 20)
    }
}

extension TestInstance {
    /// The time at which the remains of files are searched for.
    fileprivate var later: WallMoment {
        WallMoment(millisecondsSince1970: operations.clock.moment().millisecondsSince1970 + 86_400_000)
    }
}
