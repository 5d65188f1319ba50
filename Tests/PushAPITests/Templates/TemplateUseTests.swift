import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import TestSupport
import Testing

/// Tests deliveries and messages that are created from templates.
@Suite struct TemplateUseTests {
    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        try instance.save(
            #"""
            {"content": {"title": "Sale", "body": "all of it", "ios": {"badge": 1, "sound": "default"}},
             "schedule": {"validity": "2h", "priority": "low"}, "retry": {"count": 3, "period": "10m"},
             "tracking": false}
            """#)
        return instance
    }

    /// Returns a delivery to user1 and user2 that uses a template.
    private static func submission(
        _ template: Any = "sale", _ changes: [String: Any] = ["content": NSNull()]
    ) throws -> SubmitDelivery {
        try TestInstance.submission(changes.merging(["template": template]) { $1 })
    }

    private static func order(_ id: DeliveryID, in instance: TestInstance) throws -> DeliveryOrder {
        try #require(try instance.store.deliveries.delivery(id)).order
    }

    private static func text(of order: DeliveryOrder) -> String {
        String(decoding: order.contentJSON, as: UTF8.self)
    }

    @Test func `a delivery takes from the template what it does not define itself`() throws {
        let instance = try Self.instance()
        let id = try instance.operations.carryOut(try Self.submission()).id
        let order = try Self.order(id, in: instance)
        #expect(
            Self.text(of: order)
                == #"{"title":"Sale","body":"all of it","ios":{"badge":1,"sound":"default"}}"#)
        #expect(order.schedule.validitySeconds == 7_200 && order.schedule.priority == .low)
        #expect(order.retry == RetryOverride(count: 3, periodSeconds: 600) && !order.tracking)
        #expect(order.template == TemplateVersion(name: "sale", version: 1))

        let changes: [String: Any] = [
            "content": ["body": "own", "ios": ["badge": 7]], "schedule": ["validity": "1h"],
            "tracking": true,
        ]
        let own = try instance.operations.carryOut(try Self.submission("sale", changes)).id
        let changed = try Self.order(own, in: instance)
        #expect(
            Self.text(of: changed)
                == #"{"title":"Sale","body":"own","ios":{"badge":7,"sound":"default"}}"#)
        #expect(changed.schedule.validitySeconds == 3_600 && changed.schedule.priority == .low)
        #expect(changed.tracking)
        let shown = try instance.operations.carryOut(ShowDelivery(id: own)).order
        #expect(shown?.template == "sale" && shown?.templateVersion == 1)
    }

    @Test
    func `a delivery can name a version, and existing submissions do not change when versions are deleted`()
        throws
    {
        let instance = try Self.instance()
        let operations = instance.operations
        #expect(try instance.save(#"{"content": {"title": "Two"}}"#).version == 2)
        let newest = try operations.carryOut(try Self.submission()).id
        let first = try operations.carryOut(
            try Self.submission(["name": "sale", "version": 1] as [String: Any])
        ).id
        let again = try operations.carryOut(try Self.submission(["name": "sale"] as [String: Any])).id
        _ = try operations.carryOut(DeleteTemplate(name: "sale", service: "neotrips"))
        let orders = try [newest, first, again].map { try Self.order($0, in: instance) }
        #expect(orders.map(\.template?.version) == [2, 1, 2])
        #expect(Self.text(of: orders[0]) == #"{"title":"Two"}"#)
        #expect(Self.text(of: orders[1]).hasPrefix(#"{"title":"Sale""#))
    }

    @Test func `a missing template is refused by every use case, and the error names the existing templates`()
        throws
    {
        let instance = try Self.instance()
        let operations = instance.operations
        for (template, why) in [
            ("sail", "template: service neotrips has no template sail; it has: sale, Android, iOS"),
            (
                ["name": "sale", "version": 9] as [String: Any],
                "template: template sale of service neotrips has no version 9; its only version is 1"
            ),
        ] as [(Any, String)] {
            let order = try Self.submission(template)
            let errors = [
                failure { () throws(OperationError) in _ = try operations.carryOut(order) },
                failure { () throws(OperationError) in
                    _ = try operations.carryOut(
                        DryRunDelivery(document: order.document, documentName: "sale.json"))
                },
                failure { () throws(OperationError) in
                    _ = try operations.carryOut(
                        PreviewDelivery(
                            document: order.document, documentName: "sale.json", who: .userKey("user1")))
                },
                failure { () throws(OperationError) in
                    _ = try operations.carryOut(
                        ProofDelivery(
                            document: order.document, documentName: "sale.json", userKeys: ["user1"]))
                },
            ]
            for error in errors {
                #expect(error?.kind == .refused)
                #expect(error?.lines == ["sale.json: \(why)"])
            }
        }
        let elsewhere = try Self.submission("sale", ["service": "other", "content": NSNull()])
        let service = failure { () throws(OperationError) in _ = try operations.carryOut(elsewhere) }
        #expect(
            service?.lines == ["sale.json: service: there is no service other; existing services: neotrips"])
        #expect(try operations.carryOut(ListDeliveries()).items.isEmpty)
    }

    @Test func `a document that overrides a member with the wrong type is refused with its position`() throws
    {
        let instance = try Self.instance()
        let order = try Self.submission(
            "sale", ["content": ["title": 7, "ios": "x"], "schedule": "soon"])
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(order) }
        for place in ["content.title:", "content.ios:", "schedule:"] {
            #expect(error?.lines.contains { $0.hasPrefix("sale.json: \(place)") } == true, "\(place)")
        }
        for wrong in [7, ["x": 1], ["name": "sale", "version": "1"]] as [Any] {
            let order = try Self.submission(wrong)
            let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(order) }
            #expect(error?.lines.allSatisfy { $0.hasPrefix("sale.json: template") } == true)
        }
    }

    @Test func `a dry run, a preview and a proof use the content that a submission would send`() throws {
        let instance = try Self.instance()
        let operations = instance.operations
        let document = try Self.submission("sale", ["content": ["body": "own"]]).document
        let dry = try operations.carryOut(DryRunDelivery(document: document, documentName: "sale.json"))
        #expect(dry.apps.first?.sample?.payload.contains(#""title":"Sale""#) == true)
        let preview = try operations.carryOut(
            PreviewDelivery(document: document, documentName: "sale.json", who: .userKey("user1")))
        let payload = preview.devices.first?.message?.payload
        #expect(payload?.contains(#""body":"own""#) == true && payload?.contains(#""badge":1"#) == true)
        let proof = try operations.carryOut(
            ProofDelivery(document: document, documentName: "sale.json", userKeys: ["user1"]))
        let order = try Self.order(proof.id, in: instance)
        #expect(order.template?.version == 1 && order.schedule.priority == .high)
    }

    @Test
    func `the same delivery with the same key receives the first answer, even if the template has changed`()
        throws
    {
        let instance = try Self.instance()
        let operations = instance.operations
        var order = try Self.submission()
        order.idempotencyKey = "k"
        let first = try operations.carryOut(order)
        try instance.save(#"{"content": {"title": "Two"}}"#)
        #expect(try operations.carryOut(order).id == first.id)
        _ = try operations.carryOut(DeleteTemplate(name: "sale", service: "neotrips"))
        let again = try operations.carryOut(order)
        #expect(again.id == first.id && again.isRepeated)
        var other = try TestInstance.submission()
        other.idempotencyKey = "k"
        let error = failure { () throws(OperationError) in _ = try operations.carryOut(other) }
        #expect(error?.kind == .conflict)
    }

    // MARK: Messages

    private func send(_ instance: TestInstance, _ json: String) throws -> [SentMessage] {
        let order = SendMessages(document: Array(json.utf8), caller: "a")
        do throws(OperationError) { return try instance.operations.carryOut(order).messages } catch {
            return [SentMessage(index: 0, refused: error)]
        }
    }

    @Test func `a message can also use a template, which must belong to its app's service`() throws {
        let instance = try Self.instance()
        let sent = try send(
            instance,
            #"""
            [{"app": "ios", "userKey": "user1", "template": "sale"},
             {"service": "neotrips", "userKey": "user2", "template": {"name": "sale", "version": 1},
              "content": {"body": "own"}, "validity": "1h", "priority": "high"},
             {"app": "ios", "userKey": "user1", "template": "sail"},
             {"app": "ios", "userKey": "user1", "template": "sale", "content": {"title": 7}},
             {"userKey": "user1", "template": "sale"},
             {"app": "ios", "userKey": "user1", "template": 7}]
            """#)
        #expect(sent.map(\.fault) == [nil, nil, .refused, .refused, .refused, .refused])
        #expect(
            sent[2].reasons
                == ["template: service neotrips has no template sail; it has: sale, Android, iOS"])
        #expect(sent[3].reasons.first?.hasPrefix("content.title: ") == true)
        #expect(sent[4].reasons == ["app: exactly one of app and service is required"])
        #expect(sent[5].reasons.first?.hasPrefix("template: must be a name") == true)
        // Messages with different priorities go into different deliveries.
        #expect(sent[0].delivery != sent[1].delivery)
        let shown = try sent[...1].map {
            try instance.operations.carryOut(ShowMessage(id: try #require($0.devices.first).id))
        }
        #expect(shown.map { $0.expiresAt.seconds(since: TestInstance.noon.time) } == [7_200, 3_600])
    }

    @Test func `after a template is saved again, the next message uses the new version`() throws {
        let instance = try Self.instance()
        let message = #"{"app": "ios", "userKey": "user1", "template": "sale"}"#
        #expect(try send(instance, message)[0].fault == nil)
        let long = String(repeating: "x", count: 300)
        try instance.save(#"{"content": {"title": "\#(long)", "ios": {"sound": "chime"}}}"#)
        // The cache's clock does not advance, but saving a template notifies the cache.
        #expect(try send(instance, message)[0].warnings.count == 1)
        _ = try instance.operations.carryOut(
            DeleteTemplate(name: "sale", service: "neotrips"))
        #expect(try send(instance, message)[0].fault == .refused)
    }
}
