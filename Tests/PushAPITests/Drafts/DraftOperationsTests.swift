import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import TestSupport
import Testing

@Suite struct DraftOperationsTests {
    private static func document(_ title: String = "Hello") -> JSONValue {
        [
            "label": .string("Spring sale"), "service": .string("neotrips"),
            "target": ["all": .boolean(true)],
            "content": ["title": .string(title)],
        ]
    }

    private func save(_ instance: TestInstance, _ title: String = "Hello") throws -> DraftView {
        try instance.operations.carryOut(SaveDraft(Self.document(title), basedOn: nil))
    }

    @Test func `a draft is saved, shown, listed and removed, and the audit trail records it`() throws {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        let draft = try save(instance)
        #expect(draft.version == 1 && draft.label == "Spring sale" && draft.service == "neotrips")
        #expect(draft.createdBy == "a test" && draft.createdAt == TestInstance.noon)
        let base = DraftVersion(id: draft.id, version: 1)
        let ben = operations.with(caller: "person ben")
        let second = try ben.carryOut(SaveDraft(Self.document("Two"), basedOn: base))
        #expect(second.version == 2 && second.changedBy == "person ben")
        #expect(try operations.carryOut(ShowDraft(draft.id)) == second)
        let listed = try operations.carryOut(ListDrafts())
        #expect(listed.items.map(\.id) == [draft.id] && listed.next == nil)
        _ = try operations.carryOut(RemoveDraft(draft.id))
        let error = failure { () throws(OperationError) in _ = try operations.carryOut(ShowDraft(draft.id)) }
        #expect(error?.kind == .absent)
        let trail = try operations.carryOut(ReadAudit(limit: 3)).items
        #expect(trail.map(\.action) == ["draft.remove", "draft.save", "draft.save"])
        #expect(trail.map(\.what) == ["\(draft.id)", "\(draft.id)", "\(draft.id)"])
    }

    @Test func `a creation with a key is repeated safely, and the audit trail records it once`() throws {
        let instance = try TestInstance.withApp()
        func save(_ title: String, _ caller: String = "anna") throws -> DraftView {
            var save = SaveDraft(Self.document(title), basedOn: nil)
            (save.caller, save.idempotencyKey) = (caller, "k")
            return try instance.operations.carryOut(save)
        }
        let draft = try save("One")
        #expect(try save("One") == draft)
        #expect(try save("One", "ben").id != draft.id)
        let reused = failure { () throws(OperationError) in
            do { _ = try save("Two") } catch { throw OperationError(error) }
        }
        #expect(reused?.kind == .conflict)
        #expect(try instance.operations.carryOut(ListDrafts()).items.count == 2)
        #expect(
            try instance.operations.carryOut(ReadAudit(limit: 10)).items.count { $0.action == "draft.save" }
                == 2)
        _ = try instance.operations.carryOut(RemoveDraft(draft.id))
        let gone = failure { () throws(OperationError) in
            do { _ = try save("One") } catch { throw OperationError(error) }
        }
        #expect(gone?.kind == .absent)
    }

    @Test func `the drafts of other services do not exist for a bound caller, and fill no page`() throws {
        let instance = try TestInstance.withApp()
        let service = try #require(try instance.store.catalogue.service(named: "neotrips")).id
        let draft = try save(instance)
        _ = try instance.operations.carryOut(CreateService(name: "other"))
        for _ in 1...3 {
            let other: JSONValue = ["service": .string("other")]
            _ = try instance.operations.carryOut(SaveDraft(other, basedOn: nil))
        }
        var list = ListDrafts()
        list.limit = 2
        let own = instance.operations.with(bounds: ServiceBounds([service]))
        #expect(try own.carryOut(list).items.map(\.id) == [draft.id])
        #expect(try own.carryOut(ShowDraft(draft.id)).id == draft.id)
        let none = instance.operations.with(bounds: ServiceBounds([]))
        #expect(try none.carryOut(list).items.isEmpty)
        let error = failure { () throws(OperationError) in _ = try none.carryOut(ShowDraft(draft.id)) }
        #expect(error?.kind == .absent)
    }

    @Test func `the second of two people who save is refused as a conflict`() throws {
        let instance = try TestInstance.withApp()
        let draft = try save(instance)
        let base = DraftVersion(id: draft.id, version: 1)
        _ = try instance.operations.carryOut(SaveDraft(Self.document("Theirs"), basedOn: base))
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(SaveDraft(Self.document("Mine"), basedOn: base))
        }
        #expect(error?.kind == .conflict)
        #expect(error?.lines.first?.hasPrefix("draft \(draft.id) has been saved by another caller") == true)
        #expect(
            try instance.operations.carryOut(ShowDraft(draft.id)).document["content"] == [
                "title": .string("Theirs")
            ])
    }

    @Test(arguments: [
        (#"{"document": {}}"#, "document.service: missing"),
        (#"{"document": {"service": 5}}"#, "document.service: missing"),
        (#"{"document": {"service": "x"}}"#, "there is no service x"),
        (#"{"document": {"service": "neotrips"}, "version": 1}"#, "version: a new draft has no version"),
    ])
    func `a draft without a service, or with a version of its own, is refused`(
        body: String, text: String
    ) throws {
        let instance = try TestInstance.withApp()
        let error = failure { () throws(OperationError) in
            let request = try SaveDraft.request(names: [:], query: [:], body: Array(body.utf8))
            _ = try instance.operations.carryOut(request)
        }
        #expect(error?.lines.first?.hasPrefix(text) == true, "\(String(describing: error))")
    }

    @Test func `a document that is too large is refused`() throws {
        let instance = try TestInstance.withApp()
        let long = String(repeating: "x", count: SaveDraft.maxDocumentBytes)
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(SaveDraft(Self.document(long), basedOn: nil))
        }
        #expect(error?.kind == .refused)
    }

    @Test func `a draft becomes one delivery, however often it is submitted`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let draft = try save(instance)
        var submission = SubmitDraft(DraftVersion(id: draft.id, version: 1))
        (submission.caller, submission.idempotencyKey) = ("person anna", "form 1")
        let first = try instance.operations.carryOut(submission)
        #expect(!first.isRepeated)
        // The same form again, after going back in the browser.
        let again = try instance.operations.carryOut(submission)
        #expect(again.id == first.id && again.isRepeated)
        // Another person who had the page open.
        submission.caller = "person ben"
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(submission) }
        #expect(error?.kind == .absent)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.count == 1)
        #expect(try instance.operations.carryOut(ListDrafts()).items.isEmpty)
    }

    @Test func `a draft that cannot be sent, or has been changed, stays as it is`() throws {
        let instance = try TestInstance.withApp()
        let draft = try instance.operations.carryOut(
            SaveDraft(["label": .string("x"), "service": .string("neotrips")], basedOn: nil))
        let refused = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(SubmitDraft(DraftVersion(id: draft.id, version: 1)))
        }
        #expect(refused?.kind == .refused)
        let changed = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(SubmitDraft(DraftVersion(id: draft.id, version: 7)))
        }
        #expect(changed?.kind == .conflict)
        #expect(try instance.operations.carryOut(ShowDraft(draft.id)) == draft)
    }

    @Test func `the content is measured with sample values, for the language of the device`() throws {
        let instance = try TestInstance.withApp()
        let text = #"""
            {"label": "x", "service": "neotrips", "content": {"title": "For {{city}}",
            "body": "{{points:number}}", "languages": {"de": {"title": "Für {{city}}"}}}}
            """#
        let measured = try instance.operations.carryOut(MeasureContent(document: Array(text.utf8)))
        #expect(measured.fault == nil)
        let app = try #require(measured.samples[""]?.first)
        #expect(app.app == "ios" && app.isPersonalised)
        #expect(app.message?.payload.contains("For Paris") == true, "\(String(describing: app.message))")
        let german = try instance.operations.carryOut(
            MeasureContent(document: Array(text.utf8), languages: ["de"]))
        #expect(german.samples["de"]?.first?.message?.payload.contains("Für Paris") == true)
        let wrong = #"{"label": "x", "service": "neotrips", "content": {"ios": {"badge": "many"}}}"#
        let fault = try instance.operations.carryOut(MeasureContent(document: Array(wrong.utf8))).fault
        #expect(fault?.faults.map(\.path) == ["content.ios.badge"])
    }

    @Test func `the content is measured with the values of a person, and states those that are missing`()
        throws
    {
        let instance = try TestInstance.withApp()
        let app = try #require(try instance.operations.store.catalogue.app(named: "ios")).id
        let record = SubscriberRecord(
            token: String(repeating: "0", count: 64), userKey: "eva", parametersJSON: #"{"city":"Rome"}"#)
        _ = try instance.operations.store.subscriberImporter.upsert(
            [record], into: app, at: instance.operations.clock.moment())
        let text = #"""
            {"label": "x", "service": "neotrips", "content": {"title": "{{city}}, {{nick}}"}}
            """#
        var measure = MeasureContent(document: Array(text.utf8), userKey: "eva")
        measure.anyValue = "anything"
        let found = try #require(try instance.operations.carryOut(measure).samples[""]?.first)
        #expect(found.message?.payload.contains("Rome, anything") == true)
        #expect(found.missing == ["nick"] && found.deviceLanguage == "")
        // An app without a device of the person shows the same values.
        _ = try instance.operations.carryOut(TestInstance.stubApp("android", platform: .android))
        let other = try #require(
            try instance.operations.carryOut(measure).samples[""]?.first { $0.app == "android" })
        #expect(other.message?.payload.contains("Rome, anything") == true)
        #expect(other.missing.isEmpty && other.deviceLanguage == nil)
        measure.userKey = "nobody"
        let none = try #require(try instance.operations.carryOut(measure).samples[""]?.first)
        #expect(none.deviceLanguage == nil && none.missing.isEmpty && none.message != nil)
    }

    @Test func `the content is measured for the person's apps, and else for one app of each platform`()
        throws
    {
        let instance = try TestInstance.withApp()
        let others: [(String, Platform)] = [
            ("ios-2", .ios), ("ios-3", .ios), ("a-1", .android), ("a-2", .android),
        ]
        for (name, platform) in others {
            _ = try instance.operations.carryOut(TestInstance.stubApp(name, platform: platform))
        }
        try instance.subscribe(1, to: "ios-2")
        try instance.subscribe(1, to: "ios-3")
        let text = #"{"label": "x", "service": "neotrips", "content": {"title": "Sale"}}"#
        var measure = MeasureContent(document: Array(text.utf8), languages: ["", "de"], userKey: "user1")
        let measured = try instance.operations.carryOut(measure)
        let names = ["ios-2", "ios-3", "a-1"]
        #expect(measured.samples.mapValues { $0.map(\.app) } == ["": names, "de": names])
        measure.userKey = nil
        let samples = try instance.operations.carryOut(measure).samples[""]
        #expect(samples?.map(\.app) == ["ios", "a-1"])
        // Without languages, no messages are rendered, but the content is checked.
        measure.languages = []
        #expect(try instance.operations.carryOut(measure).samples.isEmpty)
        measure.document = Array(text.replacing("Sale", with: "{{oops").utf8)
        #expect(try instance.operations.carryOut(measure).fault != nil)
    }

    @Test func `the delivery of a draft that was sent is found`() throws {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        let draft = try operations.carryOut(
            SaveDraft(
                [
                    "label": .string("x"), "service": .string("neotrips"),
                    "content": ["title": .string("Hello")],
                    "target": ["all": .boolean(true)], "allowEmpty": .boolean(true),
                ], basedOn: nil))
        #expect(try operations.carryOut(FindSubmittedDraft(draft.id)) == nil)
        let sent = try operations.carryOut(SubmitDraft(DraftVersion(id: draft.id, version: 1)))
        #expect(try operations.carryOut(FindSubmittedDraft(draft.id)) == sent.id)
        #expect(try operations.carryOut(FindSubmittedDraft(draft.id + 1)) == nil)
    }
}
