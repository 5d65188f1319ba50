import PushModel
import PushStore
import Testing

/// Tests that a change and its audit line are in one transaction.
@Suite(.eachEngine) struct AuditNoteTests {
    private static let noon = TemporaryStore.noon

    private func noting(_ text: AuditText, in store: Store) -> Store {
        store.noting(AuditNote(who: "a\ntest", action: "an.action", text, at: Self.noon))
    }

    @Test func `a successful change writes one audit line with all its units`() throws {
        try TemporaryStore.with { fixture in
            let store = noting(.of("two services"), in: fixture.store)
            let writer = store.catalogueWriter(key: fixture.key)
            for name in ["one", "two"] { _ = try writer.createService(name: name, label: name) }
            #expect(try fixture.store.catalogue.services().map(\.name) == ["one", "two"])
            let line = try #require(try fixture.store.audit.page().first)
            #expect(try fixture.store.audit.page().count == 1)
            #expect(line.action == "an.action" && line.what == "two services" && line.at == Self.noon)
            #expect(!line.who.contains("\n"))
        }
    }

    @Test func `a change that is refused or has no effect writes no audit line`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.store.catalogueWriter(key: fixture.key).createService(name: "one", label: "1")
            let store = noting(.of("one"), in: fixture.store)
            expect(.duplicate(.service, name: "one")) {
                _ = try store.catalogueWriter(key: fixture.key).createService(name: "one", label: "1")
            }
            #expect(try store.pause.pause(DeliveryID(rawValue: 77)) == .unknown)
            #expect(try fixture.store.audit.page().isEmpty)
            // Even if a refused change created the key, it did not make the change that its caller requested.
            _ = try store.instanceKey()
            #expect(try fixture.store.audit.page().isEmpty)
            // The same change is noted when it is finally made.
            _ = try store.catalogueWriter(key: fixture.key).createService(name: "two", label: "2")
            #expect(try fixture.store.audit.page().map(\.what) == ["one"])
        }
    }

    @Test func `a change is not made if its audit line cannot be written`() throws {
        try TemporaryStore.with { fixture in
            try fixture.alter("DROP TABLE audit")
            let store = noting(.of("one"), in: fixture.store)
            #expect(throws: StoreError.self) {
                _ = try store.catalogueWriter(key: fixture.key).createService(name: "one", label: "1")
            }
            #expect(try fixture.store.catalogue.services().isEmpty)
        }
    }

    @Test func `an audit line that ends with a name waits for the unit that supplies the name`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let store = noting(.making("a template"), in: fixture.store)
            _ = try store.catalogueWriter(key: fixture.key).createService(name: "one", label: "1")
            #expect(try fixture.store.audit.page().isEmpty)
            let writer = store.templateWriter
            #expect(try writer.save("sale", of: "one", body: [1], at: Self.noon).isNew)
            #expect(try fixture.store.audit.page().map(\.what) == ["a template version 1"])
            let second = noting(.making("again"), in: fixture.store)
            #expect(try !second.templateWriter.save("sale", of: "one", body: [1], at: Self.noon).isNew)
            #expect(try fixture.store.audit.page().count == 1)
        }
    }
}
