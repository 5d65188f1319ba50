import Foundation
import PushAPI
import PushModel
import PushStore
import TestRequests
import Testing

struct EnvironmentSubmissionTests {
    /// Creates an instance with `ios` and `droid` in production and `test` in the sandbox. Each app has user
    /// `user1`.
    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        var test = TestInstance.stubApp("test")
        test.environment = .sandbox
        _ = try instance.operations.carryOut(test)
        for app in ["ios", "droid", "test"] { try instance.subscribe(1, to: app) }
        return instance
    }

    private static func submission(_ apps: [String]?, _ environments: [String]?) throws -> SubmitDelivery {
        try TestInstance.submission([
            "apps": apps as Any? ?? NSNull(), "environments": environments as Any? ?? NSNull(),
        ])
    }

    private static func apps(of id: DeliveryID, in instance: TestInstance) throws -> [String] {
        let order = try #require(try instance.store.deliveries.delivery(id)).order
        return try order.apps.compactMap { try instance.store.catalogue.app($0)?.name }.sorted()
    }

    @Test(
        arguments: [
            (nil, nil, ["droid", "ios"]), (nil, ["production"], ["droid", "ios"]),
            (nil, ["sandbox"], ["test"]),
            (nil, ["sandbox", "production"], ["droid", "ios", "test"]), (["test"], nil, ["test"]),
            (["ios", "test"], nil, ["ios", "test"]), (["ios"], ["production"], ["ios"]),
            (["test", "ios"], ["production", "sandbox"], ["ios", "test"]),
        ] as [([String]?, [String]?, [String])])
    func `a delivery goes to the environments that it names, else to those of its apps, else to production`(
        listed: [String]?, named: [String]?, expected: [String]
    ) throws {
        let instance = try Self.instance()
        let order = try Self.submission(listed, named)
        let dryRun = try instance.operations.carryOut(
            DryRunDelivery(document: order.document, documentName: "sale.json"))
        #expect(dryRun.apps.map(\.app).sorted() == expected)
        let submitted = try instance.operations.carryOut(order)
        #expect(try Self.apps(of: submitted.id, in: instance) == expected)
        let environments: [PushEnvironment] =
            (expected.contains("test") ? [.sandbox] : []) + (expected == ["test"] ? [] : [.production])
        #expect(submitted.environments == environments && dryRun.environments == environments)
        let shown = try instance.operations.carryOut(ShowDelivery(id: submitted.id)).delivery
        #expect(shown.environments == environments)
    }

    @Test(
        arguments: [
            (
                ["ios", "test"], ["production"],
                "apps[1]: app test is in sandbox, which is not listed in environments"
            ),
            (["ios"], ["production", "sandbox"], "environments[1]: no listed app is in sandbox"),
            (["test"], ["production"], "apps[0]: app test is in sandbox"),
        ] as [([String], [String], String)])
    func `apps that contradict the named environments are refused`(
        listed: [String], named: [String], words: String
    ) throws {
        let instance = try Self.instance()
        let error = #expect(throws: OperationError.self) {
            try instance.operations.carryOut(try Self.submission(listed, named))
        }
        #expect(error?.kind == .refused)
        #expect(error?.description.hasPrefix("sale.json: \(words)") == true, "\(String(describing: error))")
        #expect(try instance.operations.carryOut(ListDeliveries()).items.isEmpty)
    }

    @Test func `an environment in which the service has no app is refused, even if it is production`() throws
    {
        let instance = try TestInstance.withApp()
        func refusal(_ named: [String]?) -> String? {
            let error = #expect(throws: OperationError.self) {
                try instance.operations.carryOut(try Self.submission(nil, named))
            }
            return error?.description
        }
        #expect(
            refusal(["production", "sandbox"])?.contains(
                "environments[1]: service neotrips has no app in sandbox")
                == true)
        _ = try instance.operations.carryOut(UpdateApp(name: "ios", environment: .sandbox))
        #expect(refusal(nil)?.contains("service neotrips has no app in production") == true)
        #expect(refusal(nil)?.contains(#""environments": ["sandbox"]"#) == true)
        let submitted = try instance.operations.carryOut(try Self.submission(nil, ["sandbox"]))
        #expect(submitted.environments == [.sandbox])
    }

    @Test func `proofs, previews, templates, repetitions and recalls keep the environment of the delivery`()
        throws
    {
        let instance = try Self.instance()
        let operations = instance.operations
        let changes: [String: Any] = ["apps": NSNull(), "environments": ["sandbox"]]
        let document = try TestInstance.submission(changes).document
        let proof = try operations.carryOut(
            ProofDelivery(document: document, documentName: "sale.json", userKeys: ["user1"]))
        #expect(proof.environments == [.sandbox])
        #expect(try Self.apps(of: proof.id, in: instance) == ["test"])
        let preview = try operations.carryOut(
            PreviewDelivery(document: document, documentName: "sale.json", who: .userKey("user1")))
        #expect(preview.devices.map(\.app) == ["test"])

        let content: [String: Any] = ["content": ["title": "Hello", "ios": ["collapseId": "sale"]]]
        _ = try operations.carryOut(
            SaveTemplate(
                name: "sale", service: "neotrips",
                document: Array(try JSONSerialization.data(withJSONObject: content)),
                documentName: "template.json"))
        var changed = changes
        (changed["template"], changed["content"]) = ("sale", NSNull())
        var order = try TestInstance.submission(changed)
        order.idempotencyKey = "once"
        let made = try operations.carryOut(order)
        #expect(try Self.apps(of: made.id, in: instance) == ["test"])
        let again = try operations.carryOut(order)
        #expect(again.isRepeated && again.id == made.id && again.environments == [.sandbox])

        try instance.accept(made.id)
        let recall = RecallDelivery(
            id: made.id, document: Array(#"{"content": {"title": "Sorry"}}"#.utf8),
            documentName: "sorry.json")
        let replacement = try #require(try operations.carryOut(recall).replacement)
        #expect(try Self.apps(of: replacement, in: instance) == ["test"])
    }

    @Test
    func `a message to a service reaches its production apps, and a message to an app reaches that app`()
        throws
    {
        let instance = try Self.instance()
        func devices(_ scope: String, _ name: String) throws -> Int? {
            let text = #"{"\#(scope)": "\#(name)", "userKey": "user1", "content": {"title": "Hello"}}"#
            let sent = try instance.operations.carryOut(
                SendMessages(document: Array(text.utf8), caller: "tests"))
            return sent.messages.first?.devices.count
        }
        #expect(try devices("service", "neotrips") == 2)
        #expect(try devices("app", "test") == 1)
    }
}
