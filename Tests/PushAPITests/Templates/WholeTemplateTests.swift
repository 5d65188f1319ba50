import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import TestSupport
import Testing

/// Tests templates that hold more than content, and templates that belong to no service.
@Suite struct WholeTemplateTests {
    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        try instance.subscribe(2)
        try instance.subscribe(1, to: "droid")
        return instance
    }

    @discardableResult
    private static func save(
        _ document: String, as name: String = "sale", of service: String? = "neotrips",
        in instance: TestInstance
    ) throws(OperationError) -> SavedTemplate {
        try instance.operations.carryOut(
            SaveTemplate(
                name: name, service: service, document: Array(document.utf8), documentName: "sale.json"))
    }

    private static func submitted(_ document: String, in instance: TestInstance) throws -> DeliveryOrder {
        let id = try instance.operations.carryOut(
            SubmitDelivery(document: Array(document.utf8), documentName: "spring.json")
        ).id
        return try #require(try instance.store.deliveries.delivery(id)).order
    }

    private static func refusal(_ document: String, in instance: TestInstance) -> String? {
        failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(
                SubmitDelivery(document: Array(document.utf8), documentName: "spring.json"))
        }?.lines.joined(separator: "\n")
    }

    private static let whole = #"""
        {"service": "neotrips", "apps": ["ios"], "target": {"userKeys": ["user1"]},
         "content": {"title": "Sale"}, "schedule": {"validity": "2h"}}
        """#

    @Test func `a delivery needs only a label if its template holds service, apps, target and content`()
        throws
    {
        let instance = try Self.instance()
        #expect(try Self.save(Self.whole, in: instance).warnings == [])
        let order = try Self.submitted(#"{"label": "Spring", "template": "sale"}"#, in: instance)
        let ios = try #require(try instance.store.catalogue.app(named: "ios"))
        #expect(order.apps == [ios.id] && order.target.listed == ["user1"])
        #expect(order.schedule.validitySeconds == 7_200)
        #expect(order.template == TemplateVersion(name: "sale", version: 1))
    }

    @Test func `a document replaces the apps and the target of its template`() throws {
        let instance = try Self.instance()
        try Self.save(Self.whole, in: instance)
        let own = try Self.submitted(
            #"{"label": "l", "template": "sale", "apps": ["droid"], "target": {"all": true}}"#, in: instance)
        let droid = try #require(try instance.store.catalogue.app(named: "droid"))
        #expect(own.apps == [droid.id] && own.target.base == .all)
        let others = try Self.submitted(
            #"{"label": "l", "template": "sale", "environments": ["production"], "target": {"all": true}}"#,
            in: instance)
        #expect(others.apps.count == 2)
        // Recipients that are given separately replace the template's target.
        let document = Array(#"{"label": "l", "template": "sale"}"#.utf8)
        let listed = try instance.operations.carryOut(
            SubmitDelivery(document: document, documentName: "x", userKeys: ["user2"]))
        #expect(
            try instance.store.deliveries.delivery(listed.id)?.order.target.listedCount == 1)
        let proof = try instance.operations.carryOut(
            ProofDelivery(document: document, documentName: "x", userKeys: ["user2"]))
        #expect(proof.warnings == [])
        let preview = try instance.operations.carryOut(
            PreviewDelivery(document: document, documentName: "x", who: .userKey("user2")))
        #expect(preview.devices.count == 1 && preview.warnings.contains { $0.contains("leaves out") })
    }

    @Test(arguments: [
        (#"{"apps": ["ipad"], "content": {"title": "x"}}"#, "apps[0]: service neotrips has no app ipad"),
        (#"{"service": "other", "content": {"title": "x"}}"#, "service: the template belongs to service"),
        (#"{"target": {"openersOf": 7}, "content": {"title": "x"}}"#, "target.openers"),
        (#"{"target": {}, "content": {"title": "x"}}"#, "target: must have exactly one of"),
        (#"{"apps": "ios", "content": {"title": 7}}"#, "apps: must be"),
        (#"{"environments": ["sandbox"], "content": {"title": "x"}}"#, "environments[0]: service"),
        (#"{"label": "x", "content": {"title": "x"}}"#, "label: unknown"),
    ])
    func `a template that no delivery could use is refused with the path of the fault`(
        document: String, why: String
    ) throws {
        let instance = try Self.instance()
        let error = failure { () throws(OperationError) in try Self.save(document, in: instance) }
        #expect(error?.lines.contains { $0.hasPrefix("sale.json: \(why)") } == true, "\(error?.lines ?? [])")
    }

    @Test func `after an app was deleted, a template that names it is refused until the document names apps`()
        throws
    {
        let instance = try Self.instance()
        try Self.save(#"{"apps": ["ios"], "content": {"title": "Sale"}}"#, in: instance)
        _ = try instance.operations.carryOut(DeleteApp(name: "ios"))
        let document = #"{"label": "l", "service": "neotrips", "template": "sale", "target": {"all": true}"#
        #expect(
            Self.refusal(document + "}", in: instance)?.hasPrefix(
                "spring.json: template: sale, version 1 names app ios, which service neotrips does not have; "
                    + "it has these apps: droid. Name the apps") == true)
        #expect(try Self.submitted(document + #", "apps": ["droid"]}"#, in: instance).apps.count == 1)
    }

    @Test func `a document without a service gets that of the only service with the template`() throws {
        let instance = try Self.instance()
        _ = try instance.operations.carryOut(CreateService(name: "other"))
        try Self.save(Self.whole, in: instance)
        try Self.save(#"{"content": {"title": "x"}}"#, as: "sale", of: "other", in: instance)
        #expect(
            Self.refusal(#"{"label": "l", "template": "sale"}"#, in: instance)
                == "spring.json: service: missing; several services have a template sale: neotrips, other")
        #expect(
            Self.refusal(#"{"label": "l", "template": "iOS", "target": {"all": true}}"#, in: instance)?
                .contains("service: missing") == true)
    }

    @Test func `deliveries of all services can use a template without a service, unless they have their own`()
        throws
    {
        let instance = try Self.instance()
        let document = #"{"label": "l", "service": "neotrips", "apps": ["ios"], "target": {"all": true}"#
        let text = #", "template": "iOS", "content": {"title": "Hello"}}"#
        let order = try Self.submitted(document + text, in: instance)
        let content = String(decoding: order.contentJSON, as: UTF8.self)
        #expect(content.contains(#""mutableContent":true"#) && content.contains("Hello"))
        // The product's templates contain no text, so a delivery must.
        #expect(
            Self.refusal(document + #", "template": "iOS"}"#, in: instance)?.contains("an alert needs")
                == true)
        let android = #"{"label": "l", "service": "neotrips", "apps": ["droid"], "target": {"all": true}"#
        #expect(
            Self.refusal(android + #", "template": "Android"}"#, in: instance)?.contains(
                "a notification message needs a title or body") == true)

        try Self.save(#"{"content": {"title": "Own"}}"#, as: "iOS", in: instance)
        let own = try Self.submitted(document + #", "template": "iOS"}"#, in: instance)
        #expect(String(decoding: own.contentJSON, as: UTF8.self) == #"{"title":"Own"}"#)
    }

    @Test
    func `a template without a service is replaced and deleted, and its absence names the right service`()
        throws
    {
        let instance = try Self.instance()
        let operations = instance.operations
        let shown = try operations.carryOut(ShowTemplate(name: "Android", service: nil))
        #expect(shown.service == nil && shown.version == 1)
        var bytes: [UInt8] = []
        shown.document.value.append(to: &bytes)
        let same = try operations.carryOut(
            SaveTemplate(name: "Android", service: nil, document: bytes, documentName: "a.json"))
        #expect(!same.changed && same.service == nil)
        #expect(try Self.save(#"{"content": {}}"#, as: "Android", of: nil, in: instance).version == 2)
        #expect(try operations.carryOut(DeleteTemplate(name: "Android", service: nil)).versions == 2)
        try Self.save(Self.whole, in: instance)
        func absence(_ name: String) -> String? {
            failure { () throws(OperationError) in
                _ = try operations.carryOut(ShowTemplate(name: name, service: nil))
            }?.lines.first
        }
        #expect(
            absence("sale")
                == "no template without a service is named sale; name the service of the template: neotrips")
        #expect(absence("Android") == "no template without a service is named Android; there is: iOS")
        let error = failure { () throws(OperationError) in
            try Self.save(#"{"apps": ["ios"], "content": {}}"#, as: "x", of: nil, in: instance)
        }
        #expect(error?.lines == ["sale.json: service: missing; apps and environments belong to a service"])
    }
}
