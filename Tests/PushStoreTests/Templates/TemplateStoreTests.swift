import Dispatch
import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct TemplateStoreTests {
    private static let noon = TemporaryStore.noon

    @discardableResult
    private func save(
        _ fixture: TemporaryStore, _ body: String, as name: String = "sale", of service: String = "neotrips"
    ) throws -> TemplateWriter.Saved {
        try fixture.store.templateWriter.save(
            name, of: service, body: Array(body.utf8), at: Self.noon)
    }

    @Test func `each change saves a new version, and identical content saves no version`() throws {
        try TemporaryStore.with { fixture in
            let service = try fixture.app().service
            #expect(try save(fixture, "one").version == 1)
            let same = try save(fixture, "one")
            #expect(same.version == 1 && !same.isNew)
            #expect(try save(fixture, "two").version == 2)
            // The content of an older version counts as new again.
            let older = try save(fixture, "one")
            #expect(older.version == 3 && older.isNew)
            let templates = fixture.store.templates
            let newest = try #require(try templates.template(named: "sale", of: service))
            #expect(newest.version == 3 && newest.versions == 1...3 && newest.created == Self.noon)
            #expect(newest.body == Array("one".utf8))
            let second = try templates.template(named: "sale", of: service, version: 2)
            #expect(second?.body == Array("two".utf8))
            for version in [0, 4, -1, Int64.max] {
                #expect(try templates.template(named: "sale", of: service, version: version) == nil)
            }
            #expect(try templates.template(named: "other", of: service) == nil)
        }
    }

    @Test func `a caller that does not know the newest version saves nothing`() throws {
        try TemporaryStore.with { fixture in
            let service = try fixture.app().service
            func save(_ body: String, replacing version: Int64) throws -> TemplateWriter.Saved {
                try fixture.store.templateWriter.save(
                    "sale", of: "neotrips", body: Array(body.utf8), replacing: version, at: Self.noon)
            }
            #expect(try save("one", replacing: 1).isOutdated)
            #expect(try fixture.store.templates.template(named: "sale", of: service) == nil)
            #expect(try save("one", replacing: 0).isNew)
            let outdated = try save("two", replacing: 0)
            #expect(outdated.isOutdated && !outdated.isNew && outdated.version == 1)
            #expect(try !save("one", replacing: 0).isOutdated)
            #expect(try save("two", replacing: 1).version == 2)
        }
    }

    @Test func `the newest hundred versions are kept`() throws {
        try TemporaryStore.with { fixture in
            let service = try fixture.app().service
            for number in 1...105 { try save(fixture, "\(number)") }
            let found = try fixture.store.templates.template(named: "sale", of: service)
            #expect(found?.versions == 6...105)
            #expect(try fixture.query("SELECT count(*) FROM template WHERE service_id > 0") == ["100"])
            let deleted = try fixture.store.templateWriter.delete(
                "sale", of: "neotrips")
            #expect(deleted == 100)
            expect(.unknown(.template, name: "sale")) {
                _ = try fixture.store.templateWriter.delete(
                    "sale", of: "neotrips")
            }
            #expect(try save(fixture, "again").version == 1)
        }
    }

    @Test func `templates are listed by service and name, and are deleted with their service`() throws {
        try TemporaryStore.with { fixture in
            let service = try fixture.app().service
            let other = try fixture.writer.createService(name: "other", label: "Other")
            try save(fixture, "1", as: "b")
            try save(fixture, "1", as: "a")
            try save(fixture, "2", as: "a")
            try save(fixture, "1", as: "a", of: "other")
            func names() throws -> [String] {
                try fixture.store.templates.list().map { "\($0.service ?? "")/\($0.name) \($0.versions)" }
            }
            let product = ["/Android 1...1", "/iOS 1...1"]
            #expect(try names() == product + ["neotrips/a 1...2", "neotrips/b 1...1", "other/a 1...1"])
            #expect(try fixture.store.templates.list(of: service).map(\.name) == ["a", "b"])
            #expect(try fixture.store.templates.names(of: service) == ["a", "b"])
            try fixture.writer.deleteService(named: "other")
            #expect(try names() == product + ["neotrips/a 1...2", "neotrips/b 1...1"])
            #expect(try fixture.query("SELECT count(*) FROM template WHERE service_id > 0") == ["3"])
            expect(.unknown(.service, name: "other")) { try save(fixture, "1", of: "other") }
            // A later service with the same name is a different service.
            let later = try fixture.writer.createService(name: "other", label: "Other")
            #expect(later.id != other.id)
            #expect(try fixture.store.templates.list(of: later.id).isEmpty)
        }
    }

    @Test func `two concurrent saves each create a version`() throws {
        try TemporaryStore.with { fixture in
            let service = try fixture.app().service
            let stores = try (0..<2).map { _ in try fixture.reopened() }
            DispatchQueue.concurrentPerform(iterations: 20) { number in
                _ = try? stores[number % 2].templateWriter.save(
                    "sale", of: "neotrips", body: Array("\(number)".utf8), at: Self.noon)
            }
            let found = try #require(try fixture.store.templates.template(named: "sale", of: service))
            #expect(found.versions == 1...20)
            let bodies = "SELECT count(DISTINCT body) FROM template WHERE service_id > 0"
            #expect(try fixture.query(bodies) == ["20"])
        }
    }

    @Test func `a service can have at most a thousand templates`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.app()
            let bytes = if case .sqlite = fixture.place { "X''" } else { "''" }
            let rows = (1...1_000).map { "(1, 't\($0)', 1, \(bytes), 0)" }.joined(separator: ", ")
            try fixture.alter("INSERT INTO template VALUES \(rows)")
            expect(
                .limitReached(what: "service neotrips already has 1000 templates; delete one")
            ) { try save(fixture, "1", as: "one more") }
            // A further version of an existing template.
            #expect(try save(fixture, "1", as: "t7").version == 2)
        }
    }

    @Test func `the product's templates are in a new store, and an operator can replace and delete them`()
        throws
    {
        try TemporaryStore.with { fixture in
            let (service, none) = (try fixture.app().service, StoredTemplate.noService)
            let templates = fixture.store.templates
            #expect(try templates.names(of: none) == ["Android", "iOS"])
            #expect(try templates.names(of: service) == [])
            let first = try #require(try templates.template(named: "iOS", of: none))
            #expect(String(decoding: first.body, as: UTF8.self).hasPrefix(#"{"content":{"ios":{"#))
            #expect(first.version == 1 && first.created.time.secondsSince1970 > 1_700_000_000)
            // A service's template of the same name is a different template.
            try save(fixture, "own", as: "iOS")
            #expect(try templates.template(named: "iOS", of: service)?.version == 1)
            #expect(try templates.services(withTemplate: "iOS", limit: 5) == ["neotrips"])
            #expect(try templates.services(withTemplate: "Android", limit: 5) == [])

            let writer = fixture.store.templateWriter
            let same = try writer.save("iOS", of: nil, body: first.body, at: Self.noon)
            #expect(same.version == 1 && !same.isNew)
            let other = try writer.save("iOS", of: nil, body: Array("{}".utf8), at: Self.noon)
            #expect(other.version == 2 && other.isNew)
            #expect(try writer.delete("iOS", of: nil) == 2)
            expect(.unknown(.template, name: "iOS")) { _ = try writer.delete("iOS", of: nil) }
            #expect(try writer.delete("Android", of: nil) == 1)
            _ = try fixture.reopened()
            #expect(try templates.names(of: none) == [])
            #expect(try templates.names(of: service) == ["iOS"])
        }
    }

    @Test func `a store with only the product's templates counts as new when a store is copied to it`() throws
    {
        try TemporaryStore.with { fixture in
            _ = try fixture.store.templateWriter.delete("Android", of: nil)
            let place = Store.Place.sqlite(path: fixture.folder + "/copy/pushmta.db")
            _ = try Store.open(place)
            let copied = try #require(try StoreCopy(from: fixture.place, to: place).run())
            #expect(copied.tables["template"] == 1)
            let copy = try Store.open(place)
            #expect(try copy.templates.names(of: StoredTemplate.noService) == ["iOS"])
        }
    }

    @Test func `a delivery records its template and the template's version`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let made = try fixture.submit(apps: [app]) {
                $0.template = TemplateVersion(name: "sale", version: 3)
            }
            let plain = try fixture.submit(apps: [app])
            let orders = try [made, plain].map { try fixture.store.deliveries.delivery($0)?.order }
            #expect(orders[0]?.template == TemplateVersion(name: "sale", version: 3))
            #expect(orders[1]?.template == nil)
        }
    }
}
