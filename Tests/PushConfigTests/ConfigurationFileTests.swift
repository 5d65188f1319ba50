import PushConfig
import PushConnectors
import Testing

@Suite struct ConfigurationFileTests {
    @Test func `a file without settings yields the defaults, with paths in the folder of the file`() throws {
        let loaded = try parsed("<serverConf/>").get()
        var expected = ServerConfiguration()
        expected.store.server = "/etc/push/var/pushmta.db"
        expected.store.instanceFolder = "/etc/push/var"
        expected.mta.workingPath = "/etc/push/var/default/mta"
        expected.web.apiTokenFile = "/etc/push/var/api.token"
        #expect(loaded.settings == expected)
        #expect(loaded.findings.isEmpty)
        #expect(loaded.origins.allSatisfy { $0.line == nil })
    }

    @Test func `all errors are reported at once, in file order`() throws {
        let text = """
            <serverConf>
              <mta autoStart="yes" logLevel="3"><child maxAgeSec="0"/><chid/></mta>
              <nmac><retry period="soon"/></nmac>
              <web certificateChain="c.pem" autostart="true"/>
            </serverConf>
            """
        let error = try #require(refusal(of: text))
        #expect(error.cause == .refused)
        #expect(
            error.description == """
                /etc/push/serverConf.xml:2:19: error: mta/@autoStart: found "yes", allowed: true or false
                /etc/push/serverConf.xml:2:34: error: mta/@logLevel: found "3", allowed: a whole number from 0 to 2
                /etc/push/serverConf.xml:2:55: error: mta/child/@maxAgeSec: found "0", allowed: a duration from 1s to 1d, \
                such as 90s, 5m, 1h, 5d, or a number of seconds
                /etc/push/serverConf.xml:2:59: warning: unknown element mta/chid; did you mean child?
                /etc/push/serverConf.xml:3:24: error: nmac/retry/@period: found "soon", allowed: a duration from 1s to 30d, \
                such as 90s, 5m, 1h, 5d, or a number of seconds
                /etc/push/serverConf.xml:4:26: error: web/@certificateChain: has no effect without web/@privateKey: \
                set both or neither
                /etc/push/serverConf.xml:4:33: warning: unknown attribute web/@autostart; did you mean autoStart?
                """)
    }

    @Test func `a file of one megabyte is read, and a file with one more byte is refused`() throws {
        var bytes = Array("<serverConf/>".utf8)
        bytes += [UInt8](repeating: 0x20, count: ConfigurationFile.maximumBytes - bytes.count)
        _ = try parsed(bytes: bytes).get()
        let error = try #require(refusal(ofBytes: bytes + [0x20]))
        #expect(error.cause == .unreadable)
        #expect(
            error.description
                == "/etc/push/serverConf.xml: error: the file has 1048577 bytes; the maximum is 1048576")
    }

    @Test func `findings above the maximum are only counted, and errors precede warnings`() {
        let strange = (0..<5_000).map { "<e\($0)/>" }.joined()
        let found = findings("<serverConf>\(strange)<mta autoStart='1'/></serverConf>")
        #expect(found.count == 201)
        #expect(found.count { $0.severity == .error } == 1)
        #expect(found.last?.message == "4801 more findings are not shown")
    }

    @Test func `each key has one row, with its effective value and the line that set it`() throws {
        let text = """
            <serverConf>
              <mta
                autoStart="true"
                workingPath="scratch//$(INSTANCE_NAME)/"/>
              <nmac><retry period="3600"/></nmac>
            </serverConf>
            """
        let loaded = try parsed(text).get()
        #expect(loaded.origins.map(\.path) == ConnectorCatalogue.settings.keys.map(\.path))
        let rows = Dictionary(uniqueKeysWithValues: loaded.origins.map { ($0.path, $0) })
        #expect(
            rows["mta/@autoStart"]
                == ConfigurationRow(path: "mta/@autoStart", value: "true", line: 3))
        #expect(rows["mta/@workingPath"]?.value == "/etc/push/scratch/default")
        #expect(rows["mta/@workingPath"]?.line == 4)
        #expect(rows["nmac/retry/@period"]?.value == "1h")
        #expect(rows["web/@apiTokenFile"]?.value == "/etc/push/var/api.token")
        #expect(rows["web/@apiTokenFile"]?.line == nil)
    }
}
