import PushConfig
import Testing

@Suite struct FailoverTests {
    private static func note(_ server: String, _ provider: String = "PostgreSQL") throws -> String? {
        let store = "<dbcnx provider='\(provider)' server='\(server)' login='a:b'/>"
        let text =
            "<serverConf><shared><dataStore><dataSource name='default'>\(store)</dataSource></dataStore></shared>"
            + "<mta><child maxGCMConnectPerChild='250'/></mta></serverConf>"
        return try parsed(text).get().notes.first?.message
    }

    @Test func `several named servers produce a note about data that a failover may lose`() throws {
        let told = try #require(try Self.note("db1,db2:5433"))
        #expect(
            told.hasPrefix("shared/dataStore/dataSource/dbcnx/@server: names 2 servers; if the next one"))
        #expect(told.contains("synchronous_standby_names"))
        #expect(try Self.note("db1") == nil)
    }
}
