import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

/// Tests that every use case that changes something has exactly one line in the audit trail, with the
/// caller's name.
struct AuditedUseCasesTests {
    private struct Step {
        let line: String
        let change: (Operations) throws -> Void

        init(_ line: String, _ change: @escaping (Operations) throws -> Void) {
            (self.line, self.change) = (line, change)
        }

        static func of(_ operation: some ShortOperation, _ line: String) -> Step {
            Step(line) { _ = try $0.carryOut(operation) }
        }

        static func of(_ operation: some LongOperation, _ line: String) -> Step {
            Step(line) { _ = try $0.carryOut(operation) }
        }
    }

    private static let first = DeliveryID(rawValue: 1)
    private static let content = Array(#"{"content": {"title": "Hello"}}"#.utf8)

    private static func catalogue() throws -> [Step] {
        var webhook = UpdateWebhook(name: "crm")
        webhook.changes.set(\.enabled, to: false)
        return [
            .of(CreateService(name: "neotrips"), "service.create neotrips"),
            .of(UpdateService(name: "neotrips", label: "Neo"), "service.update neotrips"),
            .of(TestInstance.stubApp("ios"), "app.create ios"),
            .of(UpdateApp(name: "ios", label: "Neo"), "app.update ios"),
            .of(
                SwitchApp(name: "ios", connection: ConnectionFields(connector: "custom"), skipsTest: true),
                "app.switch ios"),
            .of(SwitchAppBack(name: "ios"), "app.switch-back ios"),
            .of(CreateAccessToken(name: "billing", scopes: [.send]), "token.create billing: send"),
            .of(RevokeAccessToken(name: "billing"), "token.revoke billing"),
            .of(
                CreatePerson(name: "anna", RoleFields(role: .viewer, services: ["neotrips"])),
                "user.create anna: viewer of neotrips"),
            .of(SetPersonRole(name: "anna", RoleFields(role: .marketer)), "user.role anna: marketer"),
            .of(ResetPerson(name: "anna"), "user.reset anna"),
            .of(RemovePerson(name: "anna"), "user.remove anna"),
            .of(
                CreateWebhook(
                    name: "crm", url: "https://example.org/", events: WebhookEventKind.allCases, service: nil,
                    authorities: nil), "webhook.create crm"),
            .of(webhook, "webhook.update crm"),
            .of(RotateWebhookSecret(name: "crm"), "webhook.rotate-secret crm"),
            .of(DeleteWebhook(name: "crm"), "webhook.delete crm"),
            .of(
                SaveTemplate(
                    name: "sale", service: "neotrips", document: content, documentName: "sale.json"),
                "template.save neotrips/sale version 1"),
            .of(DeleteTemplate(name: "sale", service: "neotrips"), "template.delete neotrips/sale"),
        ]
    }

    private static func deliveries() throws -> [Step] {
        [
            .of(try TestInstance.submission(), "delivery.submit 1"),
            .of(PauseDelivery(id: first), "delivery.pause 1"),
            .of(ResumeDelivery(id: first), "delivery.resume 1"),
            .of(StopDelivery(id: first), "delivery.stop 1"),
            .of(
                ProofDelivery(
                    document: try TestInstance.submission().document, documentName: "sale.json",
                    userKeys: ["user1"]), "delivery.proof 2"),
            .of(
                CopyDelivery(id: first, changes: Array("{}".utf8), documentName: ""),
                "delivery.copy 1 copied as 3"),
            .of(
                SaveDraft(try JSONParser.parse(TestInstance.submission().document), basedOn: nil),
                "draft.save 1"),
            .of(SubmitDraft(DraftVersion(id: 1, version: 1)), "draft.submit draft 1 submitted as 4"),
            .of(SaveDraft(["service": .string("neotrips")], basedOn: nil), "draft.save 2"),
            .of(RemoveDraft(2), "draft.remove 2"),
        ]
    }

    private static func subscribers() -> [Step] {
        [
            .of(
                AddSubscriber(app: "ios", token: TestInstance.token(9), userKey: "user1"),
                "subscribers.add one device of app ios"),
            .of(
                AddToQuarantine(app: "ios", token: TestInstance.token(1), reason: "a test device"),
                "quarantine.add one device of app ios: a test device"),
            .of(
                SetSubscriberState(.userKey("user1"), to: .optedOut, app: "ios", reason: "a letter"),
                "subscribers.set this user key of app ios to optedOut: a letter"),
            .of(
                RemoveSubscribers(.userKey("user1"), app: "ios"),
                "subscribers.remove this user key of app ios"),
            .of(EraseSubscribers(.userKey("user2")), "subscribers.erase this user key"),
            .of(StopDelivery(id: DeliveryID(rawValue: 2)), "delivery.stop 2"),
            .of(StopDelivery(id: DeliveryID(rawValue: 3)), "delivery.stop 3"),
            .of(StopDelivery(id: DeliveryID(rawValue: 4)), "delivery.stop 4"),
            .of(DeleteApp(name: "ios"), "app.delete ios"),
            .of(DeleteService(name: "neotrips"), "service.delete neotrips"),
        ]
    }

    private func take(_ steps: [Step], in instance: TestInstance) throws {
        let operations = instance.operations.with(caller: "a caller")
        for step in steps {
            let before = try instance.store.audit.page().count
            try step.change(operations)
            let lines = try instance.store.audit.page()
            #expect(lines.count == before + 1, "\(step.line)")
            #expect(lines.first.map { "\($0.action) \($0.what)" } == step.line)
            #expect(lines.first?.who == "a caller")
        }
    }

    @Test func `each change writes one audit line, which contains no token and no user key`() throws {
        let instance = try TestInstance()
        try take(try Self.catalogue(), in: instance)
        try instance.subscribe(3)
        try take(try Self.deliveries(), in: instance)
        try take(Self.subscribers(), in: instance)
        let text = try instance.store.audit.page(limit: 1_000).map { $0.what }.joined()
        #expect(!text.contains("user1") && !text.contains(TestInstance.token(1)))
    }

    @Test func `an order to the running service has an audit line before the service acts`() throws {
        let instance = try TestInstance.withApp()
        let end = StopEngine(withinSeconds: 3)
        // Without a master the operation fails. A line records who requested it, and another one the refusal.
        #expect(throws: OperationError.self) { try instance.operations.carryOut(end) }
        let lines = try instance.store.audit.page(limit: 2).map(\.what)
        #expect(lines.first?.hasPrefix("within 3 s, refused: no master runs") == true)
        #expect(lines.last == "within 3 s")
        instance.engine.run(
            MasterStatus(
                pid: 1, uptimeSeconds: 2, state: "running", unrecorded: 0, waitingRanges: 0, children: [],
                accounts: []))
        try take([.of(end, "engine.stop within 3 s")], in: instance)
    }

    @Test func `the audit line of a reload states whether the file was refused, and the reason`() throws {
        let instance = try TestInstance()
        _ = try instance.operations.carryOut(ReloadConfiguration())
        #expect(try instance.store.audit.page().map { [$0.action, $0.what] } == [["engine.reload", ""]])
        let file = instance.folder.appending(path: "serverConf.xml")
        let text = try String(contentsOf: file, encoding: .utf8)
        try text.replacing("<mta/>", with: #"<mta verifyMode="perhaps"/>"#).write(
            to: file, atomically: true, encoding: .utf8)
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(ReloadConfiguration())
        }
        let reason = try #require(error?.lines.first)
        let lines = try instance.store.audit.page()
        #expect(lines.count == 2 && lines[0].action == "engine.reload")
        #expect(lines[0].what == AuditWriter.text("refused: \(reason.firstSentence)"))
        #expect(lines[0].what.contains("verifyMode"))
    }

    @Test func `a backup that a command takes has an audit line`() throws {
        let instance = try TestInstance()
        let file = instance.folder.appending(path: "b.db").path(percentEncoded: false)
        try take([.of(BackUpStore(path: file), "store.backup \(AuditWriter.text(file))")], in: instance)
        #expect(throws: OperationError.self) { try instance.operations.carryOut(BackUpStore(path: file)) }
        #expect(try instance.store.audit.page().count == 1)
    }

    @Test func `confirming or discarding a storm, a release, a retry and a recount each write an audit line`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3_000)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.refuse(id)
        try take(
            [
                .of(DecideStorm(storm: "ios", judgement: .confirm), "storm.decide ios: confirm"),
                .of(
                    ReleaseFromQuarantine(app: "ios", userKey: "user1"),
                    "quarantine.release one user key of app ios"),
                .of(
                    RetryFailed(id: id, reason: "Unregistered"), "delivery.retry \(id): Unregistered"),
            ], in: instance)
    }

    @Test func `a recall writes one audit line for the stop and one for the submission`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.accept(id)
        let second = try instance.operations.carryOut(
            try TestInstance.submission(["content": ["title": "Hello", "ios": ["collapseId": "x"]]])
        ).id
        try instance.accept(second)
        let recalled = try instance.operations.carryOut(
            RecallDelivery(id: second, document: Self.content, documentName: "sorry.json"))
        let replacement = try #require(recalled.replacement)
        let line = try #require(try instance.store.audit.page().first)
        #expect(line.action == "delivery.recall" && line.what == "\(second) replaced by \(replacement)")
    }

    @Test
    func `an import and a list of recipients each write one audit line, whatever number of units they take`()
        async throws
    {
        let instance = try TestInstance.withApp()
        let rows = (1...3_000).map { "\(TestInstance.token($0)),user\($0)" }.joined(separator: "\n")
        var file = Array("registrationToken,userKey\n\(rows)\n".utf8)[...]
        let use = ImportSubscribers(app: "ios")
        _ = try await use.perform(in: instance.operations.noting(use), .csv, fileName: "list.csv") { limit in
            let piece = Array(file.prefix(limit))
            file = file.dropFirst(piece.count)
            return piece
        } reject: { _ in
        }
        let lines = try instance.store.audit.page().filter { $0.action == "subscribers.import" }
        #expect(lines.map(\.what) == ["file of app ios"])
    }

    @Test func `adding or quarantining the same device again adds no second audit line`() throws {
        let instance = try TestInstance.withApp()
        for _ in 1...2 {
            _ = try instance.operations.carryOut(
                AddSubscriber(app: "ios", token: TestInstance.token(1), userKey: "user1"))
        }
        for _ in 1...2 {
            _ = try instance.operations.carryOut(
                AddToQuarantine(app: "ios", token: TestInstance.token(1), reason: "a test device"))
        }
        let actions = try instance.store.audit.page().map(\.action)
        #expect(actions.prefix(2) == ["quarantine.add", "subscribers.add"] && actions.count == 4)
    }

    @Test func `a repeated request, or a request without effect, adds no audit line`() throws {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        var order = try TestInstance.submission()
        order.idempotencyKey = "k"
        let id = try operations.carryOut(order).id
        #expect(try operations.carryOut(order).isRepeated)
        _ = try operations.carryOut(PauseDelivery(id: id))
        _ = try operations.carryOut(PauseDelivery(id: id))
        let actions = try instance.store.audit.page().map(\.action)
        #expect(actions == ["delivery.pause", "delivery.submit", "app.create", "service.create"])
    }

    @Test func `the audit line of a command that the running service executes names the original caller`()
        throws
    {
        let (asked, other) = (try TestInstance(), try TestInstance())
        let operations = other.operations.with(caller: "the service")
        asked.engine.carryOut { RequestAnswers(operations: operations)($0, for: $1) }
        _ = try asked.operations.with(caller: "user 7 (command)").carryOut(CreateService(name: "neotrips"))
        #expect(try other.store.audit.page().map(\.who) == ["user 7 (command)"])
    }
}
