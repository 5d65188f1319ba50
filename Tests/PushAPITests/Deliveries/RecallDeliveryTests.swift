import Foundation
import GatewayAPNs
import GatewayFCM
import PushAPI
import PushConnectors
import PushModel
import PushStore
import PushWire
import Testing

struct RecallDeliveryTests {
    private static func recall(
        _ id: DeliveryID, with content: Any = ["title": "Sorry"], key: String? = nil
    ) throws -> RecallDelivery {
        let bytes = try JSONSerialization.data(withJSONObject: ["content": content])
        return RecallDelivery(
            id: id, document: Array(bytes), documentName: "sorry.json", caller: "command",
            idempotencyKey: key)
    }

    private static func submit(
        _ content: [String: Any], _ changes: [String: Any] = [:], to instance: TestInstance
    ) throws -> DeliveryID {
        var changes = changes
        changes["content"] = content
        return try instance.operations.carryOut(try TestInstance.submission(changes)).id
    }

    private static func order(_ id: DeliveryID, of instance: TestInstance) throws -> DeliveryOrder {
        try #require(try instance.store.deliveries.delivery(id)).order
    }

    private static var named: [String: Any] { ["title": "Hello", "ios": ["collapseId": "sale"]] }

    @Test func `only recipients of the first content receive the second content, under the same name`() throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let schedule: [String: Any] = [
            "priority": "high", "validity": "2h", "ratePerSecond": 50, "retentionDays": 4,
        ]
        let changes: [String: Any] = [
            "target": ["userKeys": ["user1", "user3"]], "schedule": schedule, "tracking": false,
            "retry": ["count": 2, "period": "5m"],
        ]
        let first = try Self.submit(Self.named, changes, to: instance)
        try instance.accept(first)
        let recalled = try instance.operations.carryOut(try Self.recall(first))
        #expect(recalled.stopped == nil && recalled.warnings.isEmpty && recalled.replacementStartAt == nil)
        let second = try #require(recalled.replacement)
        let order = try Self.order(second, of: instance)
        #expect(order.label == "recall of \(first): Spring sale" && order.target.ignoresFrequencyCap)
        #expect(order.target.base == .recipients(of: first) && !order.tracking)
        #expect(order.schedule.priority == .high && order.schedule.validitySeconds == 7_200)
        #expect(order.schedule.ratePerSecond == 50 && order.schedule.retentionDays == 4)
        #expect(order.retry == RetryOverride(count: 2, periodSeconds: 300))
        let content = try ConnectorCatalogue.contents.decode(order.contentJSON)
        #expect(content.title == "Sorry" && content.ios.collapseID == "sale")
        try instance.accept(second)
        let users = try instance.store.deliveries.log(of: second).map(\.userKey)
        #expect(users.sorted() == ["user1", "user3"])
    }

    private static func recalledAmidSending(
        onTheWire count: Int
    ) throws -> (RecalledDelivery, TestInstance) {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let first = try submit(named, to: instance)
        _ = try instance.store.preparation.prepareChunk(of: first, at: TestInstance.noon)
        instance.engine.withdraw { _ in count }
        return (try instance.operations.carryOut(try recall(first)), instance)
    }

    @Test
    func `waiting messages are stopped, and the second content starts when the last answers have arrived`()
        throws
    {
        let (recalled, instance) = try Self.recalledAmidSending(onTheWire: 2)
        #expect(recalled.stopped?.state == .stopping && recalled.stopped?.onTheWire == 2)
        let begin = TestInstance.noon.time.advanced(bySeconds: 40)
        #expect(recalled.replacementStartAt == begin)
        let second = try #require(recalled.replacement)
        #expect(try Self.order(second, of: instance).schedule.start == begin)
        #expect(recalled.warnings.isEmpty)
    }

    @Test func `if nothing is on the wire, a recall waits only for the answers that are already reported`()
        throws
    {
        let (recalled, _) = try Self.recalledAmidSending(onTheWire: 0)
        #expect(recalled.stopped?.state == .stopping && recalled.stopped?.onTheWire == 0)
        #expect(recalled.replacementStartAt == TestInstance.noon.time.advanced(bySeconds: 10))
    }

    @Test func `a second recall replaces the first one, which is never sent afterwards`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let first = try Self.submit(Self.named, to: instance)
        try instance.accept(first)
        let wrong = try #require(try instance.operations.carryOut(try Self.recall(first)).replacement)
        let recalled = try instance.operations.carryOut(try Self.recall(first, with: ["title": "Really"]))
        #expect(
            recalled.warnings == [
                "delivery \(wrong), the previous replacement, was stopped; this delivery takes its place"
            ]
        )
        #expect(try instance.operations.carryOut(ShowDelivery(id: wrong)).delivery.state == .stopped)
        #expect(recalled.replacementStartAt == TestInstance.noon.time.advanced(bySeconds: 40))
        let right = try #require(recalled.replacement)
        #expect(try instance.operations.carryOut(ShowDelivery(id: right)).delivery.state == .startPending)
    }

    @Test
    func `second content that repeats a recipient's variables is refused before the delivery is stopped`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let target = [
            "recipients": [["userKey": "user1", "variables": ["code": "7"]], ["userKey": "user2"]]
        ]
        let content: [String: Any] = ["title": "{{code|-}}", "ios": ["collapseId": "sale"]]
        let first = try Self.submit(content, ["target": target], to: instance)
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(
                try Self.made(first, with: ["title": "{{#x}}{{code}}{{/x}}"]))
        }
        #expect(
            error?.description.hasPrefix("sorry.json: content: {{code}} was given for each recipient") == true
        )
        #expect(try instance.operations.carryOut(ShowDelivery(id: first)).delivery.state == .startPending)
        try instance.accept(first)
        let recalled = try instance.operations.carryOut(
            try Self.recall(first, with: ["title": "Sorry {{code|}}"]))
        #expect(recalled.replacement != nil)
    }

    @Test func `a recall of a delivery without sent messages only stops it`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let first = try Self.submit(Self.named, to: instance)
        let recalled = try instance.operations.carryOut(try Self.recall(first))
        #expect(recalled.stopped?.state == .stopped && recalled.replacement == nil)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.count == 1)
        let again = try instance.operations.carryOut(try Self.recall(first))
        #expect(again.stopped == nil && again.replacement == nil)
    }

    @Test func `content without a name is refused, and the delivery is not stopped`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        try instance.subscribe(1)
        let contents: [[String: Any]] = [
            ["title": "Hello"], ["title": "Hello", "android": ["tag": "sale", "type": "data"]],
            ["title": "Hello", "android": ["type": "notification"]],
        ]
        for content in contents {
            let first = try Self.submit(content, ["apps": ["ios", "droid"]], to: instance)
            let error = failure { () throws(OperationError) in
                _ = try instance.operations.carryOut(try Self.made(first))
            }
            #expect(error?.kind == .refused && error?.lines.count == 1)
            #expect(
                error?.description.contains(
                    "'pushmta delivery stop \(first)' stops the messages that are not sent yet")
                    == true)
            #expect(try instance.operations.carryOut(ShowDelivery(id: first)).delivery.state == .startPending)
        }
    }

    /// - Throws: The errors of an operation.
    private static func made(
        _ id: DeliveryID, with content: Any = ["title": "Sorry"], key: String? = nil
    ) throws(OperationError) -> RecallDelivery {
        do { return try recall(id, with: content, key: key) } catch { throw .failed("\(error)") }
    }

    @Test
    func `second content that cannot replace the first content is refused before the delivery is stopped`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let first = try Self.submit(Self.named, to: instance)
        let wrong: [(Any, String)] = [
            (
                ["title": "x", "ios": ["collapseId": "other"]],
                "sorry.json: content.ios.collapseId: differs from that of delivery \(first)"
            ),
            (
                ["title": "x", "ios": ["type": "silent"]],
                "sorry.json: content.ios.type: differs from that of delivery"
            ),
            (["titel": "x"], "sorry.json: content.titel: unknown"),
            ("x", "sorry.json: content: must be an object, not a string"),
            (["title": String(repeating: "x", count: 5_000)], "sorry.json: app ios: payload too long"),
        ]
        for (content, words) in wrong {
            let error = failure { () throws(OperationError) in
                _ = try instance.operations.carryOut(try Self.made(first, with: content))
            }
            #expect(error?.kind == .refused && error?.lines.count == 1)
            #expect(error?.description.hasPrefix(words) == true, "\(String(describing: error))")
        }
        for (document, words) in [
            ("[]", "the document must be an object with content, not an array"), ("{}", "content: missing"),
            (#"{"content": {}, "label": "x"}"#, "label: unknown; allowed: content"), ("x", "not JSON"),
        ] {
            let recall = RecallDelivery(
                id: first, document: Array(document.utf8), documentName: "sorry.json")
            let error = failure { () throws(OperationError) in
                _ = try instance.operations.carryOut(recall)
            }
            #expect(error?.description.hasPrefix("sorry.json: \(words)") == true)
        }
        #expect(try instance.operations.carryOut(ShowDelivery(id: first)).delivery.state == .startPending)
        let absent = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(try Self.made(DeliveryID(rawValue: 99)))
        }
        #expect(absent?.description.hasPrefix("there is no delivery 99") == true)
    }

    @Test
    func `apps whose devices would show both contents are excluded, and a partial replacement is reported`()
        throws
    {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        try instance.subscribe(2)
        try instance.subscribe(2, to: "droid")
        func recall(_ android: [String: Any], _ ios: [String: Any]) throws -> (
            RecalledDelivery, DeliveryOrder
        ) {
            let content: [String: Any] = ["title": "Hello", "ios": ios, "android": android]
            let first = try Self.submit(content, ["apps": ["ios", "droid"]], to: instance)
            try instance.accept(first)
            let recalled = try instance.operations.carryOut(try Self.recall(first))
            return (recalled, try Self.order(try #require(recalled.replacement), of: instance))
        }
        let (all, both) = try recall(["type": "notification", "tag": "sale"], ["collapseId": "sale"])
        #expect(all.warnings.isEmpty && both.apps.count == 2)
        let content = try ConnectorCatalogue.contents.decode(both.contentJSON)
        #expect(content.android.type == .notification && content.android.tag == "sale")
        let (part, one) = try recall([:], ["collapseId": "sale"])
        #expect(one.apps.count == 1 && part.warnings.count == 1)
        #expect(
            part.warnings.first?.hasPrefix("app droid: the messages on its devices cannot be replaced")
                == true)
        let (late, other) = try recall(["collapseKey": "sale"], [:])
        #expect(other.apps.count == 1 && late.warnings.count == 2)
        #expect(try ConnectorCatalogue.contents.decode(other.contentJSON).android.collapseKey == "sale")
    }

    @Test
    func
        `a name that varies by language does not count, and no language of the second content may change it`()
        throws
    {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        try instance.subscribe(1, to: "droid")
        let android: [String: Any] = ["type": "notification", "tag": "sale"]
        let french: [String: Any] = ["fr": ["title": "Pardon", "android": ["tag": "soldes"]]]
        let changed: [String: Any] = ["title": "Hello", "android": android, "languages": french]
        let first = try Self.submit(changed, ["apps": ["droid"]], to: instance)
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(try Self.made(first))
        }
        #expect(error?.description.contains("cannot be replaced on devices") == true)
        let plain = try Self.submit(
            ["title": "Hello", "android": android], ["apps": ["droid"]], to: instance)
        let refused = failure { () throws(OperationError) in
            let content: [String: Any] = ["title": "Sorry", "languages": french]
            _ = try instance.operations.carryOut(try Self.made(plain, with: content))
        }
        #expect(
            refused?.description.hasPrefix(
                "sorry.json: content.languages: a language has its own android.tag") == true)
    }

    @Test func `a recall that is repeated with the same key is submitted once`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let first = try Self.submit(Self.named, to: instance)
        try instance.accept(first)
        let recalled = try instance.operations.carryOut(try Self.recall(first, key: "k"))
        let again = try instance.operations.carryOut(try Self.recall(first, key: "k"))
        #expect(!recalled.isRepeated && again.isRepeated && again.replacement == recalled.replacement)
        let other = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(try Self.made(first, with: ["title": "Other"], key: "k"))
        }
        #expect(other?.kind == .conflict)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.count == 2)
    }
}
