import PushStore
import Testing

@Suite struct PostgreSQLRequirementsTests {
    private let good = PostgreSQLRequirements(
        version: 150_000, encoding: "UTF8", standardStrings: "on", fsync: "on", promised: 7, answering: 7)

    @Test func `a server that meets all requirements is accepted`() {
        #expect(good.complaint == nil)
    }

    @Test(arguments: [
        ("SQL_ASCII", "on", "on", "encoding is SQL_ASCII"),
        ("UTF8", "off", "on", "standard_conforming_strings is off"),
        ("UTF8", "on", "off", "fsync=off"),
    ])
    func `the error names the requirements that the server does not meet`(
        encoding: String, strings: String, fsync: String, expected: String
    ) {
        var server = good
        (server.encoding, server.standardStrings, server.fsync) = (encoding, strings, fsync)
        #expect(server.complaint?.contains(expected) == true)
    }

    @Test func `an old server and a connection pooler are refused`() {
        var server = good
        server.version = 140_013
        #expect(server.complaint == "the server is PostgreSQL 14, but version 15 or newer is required")
        server = good
        server.answering = 8
        #expect(server.complaint?.hasPrefix("a connection pooler answers instead of the server") == true)
    }
}
