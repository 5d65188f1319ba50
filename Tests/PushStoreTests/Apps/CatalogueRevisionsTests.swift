import FoundationEssentials
import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct CatalogueRevisionsTests {
    @Test func `every update of an app is visible only in that app's revision number`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            let before = try fixture.store.catalogue.revisions()
            #expect(Set(before.keys) == [one.id, two.id])
            _ = try fixture.writer.updateApp(one.id, to: one.settings, credential: nil)
            var after = try fixture.store.catalogue.revisions()
            #expect(after[one.id] != before[one.id] && after[two.id] == before[two.id])
            let secret = OpaqueCredential(bytes: Array("secret".utf8))
            _ = try fixture.writer.updateApp(one.id, to: one.settings, credential: secret)
            #expect(try fixture.store.catalogue.revisions()[one.id] != after[one.id])
            // A refused change has no effect.
            after = try fixture.store.catalogue.revisions()
            expect(.duplicate(.app, name: "two")) {
                _ = try fixture.writer.updateApp(one.id, to: two.settings, credential: nil)
            }
            #expect(try fixture.store.catalogue.revisions() == after)
            try fixture.writer.deleteApp(two.id, at: TemporaryStore.noon)
            #expect(try Set(fixture.store.catalogue.revisions().keys) == [one.id])
        }
    }

    @Test func `the age of a credential begins when the credential is set`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            #expect(try fixture.store.catalogue.credentialGiven(to: app.id) == nil)
            // The kernel's clock of whole seconds advances a few milliseconds after the exact clock.
            let before = Int64(Date().timeIntervalSince1970.rounded(.down)) - 1
            let secret = OpaqueCredential(bytes: [1, 2, 3])
            _ = try fixture.writer.updateApp(app.id, to: app.settings, credential: secret)
            let given = try #require(try fixture.store.catalogue.credentialGiven(to: app.id)).secondsSince1970
            #expect(given >= before && given <= Int64(Date().timeIntervalSince1970))
            try fixture.alter("UPDATE credential SET changed_at = 1")
            _ = try fixture.writer.updateApp(app.id, to: app.settings, credential: nil)
            #expect(try fixture.store.catalogue.credentialGiven(to: app.id)?.secondsSince1970 == 1)
        }
    }
}
