import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import TestSupport
import Testing

/// Tests the copies of deliveries.
@Suite struct CopyDeliveryTests {
    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        return instance
    }

    private static func first(_ changes: [String: Any] = [:], in instance: TestInstance) throws -> DeliveryID
    {
        try instance.operations.carryOut(try TestInstance.submission(changes)).id
    }

    private static func copy(
        _ id: DeliveryID, _ changes: String = "{}", key: String? = nil, in instance: TestInstance
    ) throws(OperationError) -> SubmittedDelivery {
        try instance.operations.carryOut(
            CopyDelivery(
                id: id, changes: Array(changes.utf8), documentName: "changes.json", idempotencyKey: key))
    }

    private static func draft(
        _ id: DeliveryID, _ changes: String = "{}", in instance: TestInstance
    ) throws(OperationError) -> SubmittedDocument {
        try instance.operations.carryOut(
            DraftDelivery(id: id, changes: Array(changes.utf8), documentName: "changes.json"))
    }

    private static func refusal(
        _ id: DeliveryID, _ changes: String = "{}", in instance: TestInstance
    ) -> String? {
        failure { () throws(OperationError) in _ = try copy(id, changes, in: instance) }?.lines.joined(
            separator: "\n")
    }

    @Test func `a copy has the document of the delivery, with the changes`() throws {
        let instance = try Self.instance()
        let id = try Self.first(
            [
                "content": ["title": "Hello", "ios": ["badge": 1, "sound": "default"]],
                "schedule": ["validity": "2h", "startAt": "2030-01-01T00:00:00Z"],
            ], in: instance)
        let plain = try Self.copy(id, in: instance).id
        let summary = try instance.operations.carryOut(ShowDelivery(id: plain)).delivery
        #expect(summary.label == "copy of \(id): Spring sale")
        let copied = try #require(try instance.store.deliveries.delivery(plain)).order
        let original = try #require(try instance.store.deliveries.delivery(id)).order
        #expect(copied.contentJSON == original.contentJSON && copied.schedule == original.schedule)

        let changes = #"""
            {"label": "Second", "content": {"body": "B", "ios": {"badge": 2}}, "schedule": {"validity": "1h"},
             "target": {"userKeys": ["user1"]}}
            """#
        let second = try Self.copy(id, changes, in: instance).id
        let order = try #require(try instance.store.deliveries.delivery(second)).order
        #expect(
            String(decoding: order.contentJSON, as: UTF8.self)
                == #"{"title":"Hello","body":"B","ios":{"badge":2,"sound":"default"}}"#)
        #expect(order.label == "Second" && order.target.listedCount == 1)
        #expect(order.schedule.validitySeconds == 3_600 && order.schedule.start != nil)
    }

    @Test func `a draft is the document of the copy, and nothing is stored`() throws {
        let instance = try Self.instance()
        let id = try Self.first(["schedule": ["startAt": "2020-01-01T00:00:00Z"]], in: instance)
        let draft = try Self.draft(id, #"{"content": {"body": "B"}}"#, in: instance)
        #expect(draft.document["label"] == .string("copy of \(id): Spring sale"))
        #expect(draft.document["content"] == ["title": .string("Hello"), "body": .string("B")])
        // A start in the past is left out.
        #expect(draft.document["schedule"]?["startAt"] == nil)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.count == 1)
        var bytes: [UInt8] = []
        draft.document.append(to: &bytes)
        _ = try instance.operations.carryOut(SubmitDelivery(document: bytes, documentName: "draft.json"))
    }

    @Test func `a repeated copy with the same key is the first copy, even after a change of the app`() throws
    {
        let instance = try Self.instance()
        let id = try Self.first(in: instance)
        let first = try Self.copy(id, key: "k", in: instance)
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", variables: [.init(name: "screen", defaultValue: nil)]))
        let again = try Self.copy(id, key: "k", in: instance)
        #expect(again.id == first.id && again.isRepeated)
        let other = failure { () throws(OperationError) in
            _ = try Self.copy(id, #"{"label": "x"}"#, key: "k", in: instance)
        }
        #expect(other?.kind == .conflict)
    }

    @Test func `content and target that are no longer valid are refused, and changes correct them`() throws {
        let instance = try Self.instance()
        let earlier = try Self.first(in: instance)
        let id = try Self.first(["target": ["where": ["city": "Paris"]]], in: instance)
        _ = try instance.operations.carryOut(
            UpdateApp(
                name: "ios", variables: [.init(name: "screen", defaultValue: nil)],
                parameters: [.init(name: "town", kind: .text)]))
        #expect(
            Self.refusal(id, in: instance)?.hasPrefix("copy of delivery \(id): target.where: no app") == true)
        #expect(
            Self.refusal(earlier, in: instance)?.hasPrefix(
                "copy of delivery \(earlier): app ios: no value for \"screen\"") == true)
        let changes = #"{"target": {"all": true}, "content": {"variables": {"screen": "home"}}}"#
        #expect(try Self.copy(id, changes, in: instance).id.rawValue == 3)
        for (wrong, why) in [
            ("[]", "changes.json: the changes must be an object"), ("{", "changes.json: not JSON"),
            (#"{"titel": 1}"#, "copy of delivery \(id): titel: unknown"),
            (
                #"{"content": {"variables": {"screen": 7}}}"#,
                "copy of delivery \(id): content.variables.screen"
            ),
        ] {
            #expect(Self.refusal(id, wrong, in: instance)?.contains(why) == true, "\(wrong)")
        }
        let absent = failure { () throws(OperationError) in
            _ = try Self.copy(DeliveryID(rawValue: 99), in: instance)
        }
        #expect(absent?.kind == .absent)
    }

    @Test func `a copy for a deleted app is refused until the changes list apps`() throws {
        let instance = try Self.instance()
        _ = try instance.operations.carryOut(TestInstance.stubApp("ipad"))
        let id = try Self.first(["apps": ["ipad"]], in: instance)
        try instance.accept(id)
        _ = try instance.operations.carryOut(DeleteApp(name: "ipad"))
        #expect(
            Self.refusal(id, in: instance)
                == "copy of delivery \(id): apps: 1 app of delivery \(id) was deleted; list the apps of the copy "
                + "in the changes; service neotrips has: ios")
        #expect(try Self.copy(id, #"{"apps": ["ios"]}"#, in: instance).environments == [.production])
    }
}
