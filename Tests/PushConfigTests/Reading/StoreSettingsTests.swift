import PushConfig
import Testing

/// Tests of the settings for the location of the store.
@Suite struct StoreSettingsTests {
    private let element = "shared/dataStore/dataSource/dbcnx"

    private func store(_ attributes: String) throws -> StoreConfiguration {
        try parsed(document(element, attributes)).get().settings.store
    }

    @Test func `a path is refused as a PostgreSQL server`() throws {
        let store = try store(
            "provider='PostgreSQL' server='db1:5433,db2,[2001:db8::1]:5434,2001:db8::2' login='push' passwordFile='pw'"
        )
        #expect(store.server == "db1:5433,db2,[2001:db8::1]:5434,2001:db8::2")
        #expect(store.hosts?.map(\.name) == ["db1", "db2", "2001:db8::1", "2001:db8::2"])
        #expect(store.hosts?.map(\.port) == [5433, nil, 5434, nil])
        #expect(store.account?.name == "push" && store.account?.database == "push")
        #expect(store.passwordFile == "/etc/push/pw" && store.instanceFolder == "/etc/push/var")
    }

    @Test func `a server may be the folder of a socket, and a login may contain its database's name`() throws
    {
        let store = try store(
            "provider='PostgreSQL' server='/run/postgresql:5433' login='push:store' instanceFolder='/srv/push'"
        )
        #expect(store.hosts?.map(\.name) == ["/run/postgresql"] && store.hosts?.map(\.port) == [5433])
        #expect(store.account?.name == "push" && store.account?.database == "store")
        #expect(store.instanceFolder == "/srv/push")
    }

    @Test(arguments: ["db:x", "db:0", "db:65536", "db,", ",", "a b", "postgres:db", "db:1:2", "::1:2:x"])
    func `an invalid server is reported with its position`(server: String) {
        let allowed = "host[:port][,host2[:port2]…], or the folder of a Unix socket, such as /run/postgresql"
        expect(
            .error, "\(element)/@server: found \"\(server)\", allowed: \(allowed)",
            in: document(element, "provider='PostgreSQL' login='push' server='‸\(server)'"))
    }

    @Test(arguments: [":", "a:", ":b", "a:b:c"])
    func `an invalid login is reported with its position`(login: String) {
        expect(
            .error, "\(element)/@login: found \"\(login)\", allowed: account[:database]",
            in: document(element, "provider='PostgreSQL' server='db' login='‸\(login)'"))
    }

    @Test func `PostgreSQL requires both a server and a login`() {
        let text = document(element, "provider='PostgreSQL'")
        let findings = refusal(of: text)?.findings.map(\.message) ?? []
        #expect(findings.count == 2)
        #expect(findings.contains { $0.hasPrefix("\(element)/@server: found nothing") })
        #expect(findings.contains { $0.hasPrefix("\(element)/@login: found nothing") })
    }

    @Test(arguments: ["login", "passwordFile", "instanceFolder"])
    func `settings for PostgreSQL have no effect with another database, and cause a warning`(
        attribute: String
    ) {
        expect(
            .warning, "\(element)/@\(attribute): has no effect with provider SQLite",
            in: document(element, "provider='SQLite' server='x' \(attribute)='‸y'"))
    }
}
