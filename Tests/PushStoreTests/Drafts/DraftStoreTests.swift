import Dispatch
import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct DraftStoreTests {
    private static let noon = TemporaryStore.noon

    private static func content(_ body: String, of service: String = "neotrips") -> DraftWriter.Content {
        DraftWriter.Content(service: service, label: "Sale", document: Array(body.utf8))
    }

    private func create(_ fixture: TemporaryStore, _ body: String = "1") throws -> StoredDraft {
        try fixture.store.draftWriter.create(Self.content(body), by: "person anna", at: Self.noon)
    }

    @Test func `the second of two people who save the same version is refused, and nothing is lost`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.app()
            let draft = try create(fixture)
            #expect(draft.version == 1 && draft.owner == "person anna" && draft.label == "Sale")
            let base = DraftVersion(id: draft.id, version: 1)
            let later = Self.noon.later(seconds: 60)
            let writer = fixture.store.draftWriter
            let second = try writer.save(Self.content("2"), basedOn: base, by: "person ben", at: later)
            #expect(second.version == 2 && second.changedBy == "person ben" && second.owner == "person anna")
            #expect(second.created == Self.noon && second.updated == later)
            expect(.changedDraft(draft.id)) {
                _ = try writer.save(Self.content("3"), basedOn: base, by: "person anna", at: later)
            }
            #expect(try fixture.store.drafts.find(draft.id) == second)
            // A form that is submitted again changes nothing and is not a conflict.
            #expect(try writer.save(Self.content("2"), basedOn: base, by: "person ben", at: later) == second)
            expect(.unknown(.draft, name: "99")) {
                let absent = DraftVersion(id: 99, version: 1)
                _ = try writer.save(Self.content("3"), basedOn: absent, by: "person anna", at: later)
            }
            expect(.unknown(.service, name: "other")) {
                let content = Self.content("3", of: "other")
                _ = try writer.create(content, by: "person anna", at: later)
            }
        }
    }

    @Test func `a draft is created once with a key, and the key belongs to its document`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.app()
            let writer = fixture.store.draftWriter
            func create(_ body: String, _ key: String, after seconds: Int64 = 0) throws -> KeyedDraft {
                try writer.create(
                    Self.content(body),
                    once: IdempotencyKey(scope: "draft anna", key: key, body: Array(body.utf8)), by: "anna",
                    at: Self.noon.later(seconds: seconds))
            }
            guard case .created(let draft) = try create("1", "a") else {
                Issue.record("no draft was created")
                return
            }
            #expect(try create("1", "a") == .repeated(draft))
            #expect(try create("2", "a") == .keyReused)
            #expect(try fixture.store.drafts.page(of: nil, before: nil, limit: 10).count == 1)
            let base = DraftVersion(id: draft.id, version: 1)
            let second = try writer.save(Self.content("3"), basedOn: base, by: "ben", at: Self.noon)
            #expect(try create("1", "a") == .repeated(second))
            _ = try writer.remove(draft.id, version: nil)
            #expect(try create("1", "a") == .gone(draft.id))
            #expect(try fixture.store.drafts.page(of: nil, before: nil, limit: 10).isEmpty)
            guard case .created(let later) = try create("1", "a", after: 86_401) else {
                Issue.record("the key of the day before was not forgotten")
                return
            }
            #expect(later.id != draft.id)
        }
    }

    @Test func `of many concurrent saves of one version, one succeeds`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.app()
            let draft = try create(fixture)
            let stores = try (0..<2).map { _ in try fixture.reopened() }
            DispatchQueue.concurrentPerform(iterations: 10) { number in
                _ = try? stores[number % 2].draftWriter.save(
                    Self.content("of \(number)"), basedOn: DraftVersion(id: draft.id, version: 1),
                    by: "person \(number)", at: Self.noon)
            }
            #expect(try fixture.store.drafts.find(draft.id)?.version == 2)
        }
    }

    @Test func `drafts are listed in pages, and disappear with their service`() throws {
        try TemporaryStore.with { fixture in
            let service = try fixture.app().service
            let other = try fixture.writer.createService(name: "other", label: "Other")
            let ids = try (1...3).map { try create(fixture, "\($0)").id }
            let foreign = try fixture.store.draftWriter.create(
                Self.content("x", of: "other"), by: "person anna", at: Self.noon)
            let drafts = fixture.store.drafts
            #expect(try drafts.page(of: nil, before: nil, limit: 2).map(\.id) == [foreign.id, ids[2]])
            #expect(try drafts.page(of: nil, before: ids[2], limit: 2).map(\.id) == [ids[1], ids[0]])
            #expect(try drafts.page(of: service, before: nil, limit: 9).map(\.id) == ids.reversed())
            #expect(try drafts.page(of: other.id, before: nil, limit: 9).map(\.id) == [foreign.id])
            try fixture.writer.deleteService(named: "other")
            #expect(try drafts.find(foreign.id) == nil)
            #expect(try drafts.page(of: nil, before: nil, limit: 9).map(\.id) == ids.reversed())
            #expect(try fixture.query("SELECT count(*) FROM draft") == ["3"])
        }
    }

    @Test func `a draft is removed once, and only in the version that the caller has read`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.app()
            let draft = try create(fixture)
            expect(.changedDraft(draft.id)) {
                _ = try fixture.store.draftWriter.remove(draft.id, version: 2)
            }
            #expect(try fixture.store.draftWriter.remove(draft.id, version: nil) == draft)
            expect(.unknown(.draft, name: "\(draft.id)")) {
                _ = try fixture.store.draftWriter.remove(draft.id, version: nil)
            }
            // An id is never used again: a page that is still open must not change another draft.
            #expect(try create(fixture).id > draft.id)
        }
    }

    @Test func `a draft becomes at most one delivery`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let draft = try create(fixture)
            let submitter = fixture.store.deliverySubmitter
            let order = fixture.order(apps: [app])
            let (old, new) = (
                DraftVersion(id: draft.id, version: 2), DraftVersion(id: draft.id, version: 1)
            )
            expect(.changedDraft(draft.id)) { _ = try submitter.submit(order, from: old, at: Self.noon) }
            #expect(try fixture.store.drafts.find(draft.id) != nil)
            _ = try submitter.submit(order, from: new, at: Self.noon)
            #expect(try fixture.store.drafts.find(draft.id) == nil)
            expect(.unknown(.draft, name: "\(draft.id)")) {
                _ = try submitter.submit(order, from: new, at: Self.noon)
            }
            #expect(try fixture.query("SELECT count(*) FROM delivery") == ["1"])
        }
    }

    @Test func `a service can have at most a thousand drafts`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.app()
            let bytes = if case .sqlite = fixture.place { "X''" } else { "''" }
            let rows = (1...1_000).map { _ in "(1, 'a', 'a', '', \(bytes), 1, 0, 0)" }
            try fixture.alter(
                """
                INSERT INTO draft (service_id, owner, changed_by, label, document, version, created_ms,
                    updated_ms) VALUES \(rows.joined(separator: ", "))
                """)
            expect(.limitReached(what: "service neotrips already has 1000 drafts; remove one")) {
                _ = try create(fixture)
            }
        }
    }
}
