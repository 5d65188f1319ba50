import PushConfig
import Testing

@Suite struct WrittenSettingsTests {
    @Test func `the outermost tag must have the expected name`() {
        expect(
            .error, "the root element is \"serverconf\", allowed: serverConf",
            in: "<?xml version='1.0'?>\n‸<serverconf/>")
    }

    @Test func `an unknown attribute is a warning at its name, which suggests the intended name`() {
        expect(
            .warning, "unknown attribute mta/child/@maxWaitingMesages; did you mean maxWaitingMessages?",
            in: document("mta/child", "‸maxWaitingMesages=\"5\""))
        expect(
            .warning, "unknown attribute web/@HTTPPort; did you mean httpPort?",
            in: document("web", "‸HTTPPort=\"80\"")
        )
        expect(
            .warning, "unknown attribute mta/@retryLostMessgaes; did you mean retryLostMessages?",
            in: document("mta", "‸retryLostMessgaes=\"true\""))
        expect(.warning, "unknown attribute mta/@colour", in: document("mta", "‸colour=\"blue\""))
        expect(.warning, "unknown attribute serverConf/@version", in: "<serverConf ‸version=\"1\"/>")
        // The reader does not support namespaces: a prefix is part of a name.
        expect(.warning, "unknown attribute serverConf/@a:b", in: "<serverConf ‸a:b=\"1\"/>")
        expect(.warning, "unknown attribute serverConf/@xmlns", in: "<serverConf ‸xmlns=\"x\"/>")
    }

    @Test func `a warning about an attribute in the wrong element names the right element`() {
        expect(
            .warning, "unknown attribute mta/@maxWaitingMessages; it belongs to mta/child",
            in: document("mta", "‸maxWaitingMessages=\"5\""))
    }

    @Test func `an unknown element is a warning, and the content of the element is not read`() {
        expect(
            .warning, "unknown element nmac/iosHttp2; did you mean iosHTTP2?",
            in: "<serverConf><nmac>‸<iosHttp2 connectionsPerChild='0'><x/></iosHttp2></nmac></serverConf>")
        expect(
            .warning, "unknown element fcm; it belongs in nmac/fcm", in: "<serverConf>‸<fcm/></serverConf>")
        expect(.warning, "unknown element plugin", in: "<serverConf>\n\t‸<plugin/></serverConf>")
    }

    @Test func `names that Campaign does not know are reported, even in Campaign's sections`() {
        let found = findings(document("mta/child/smtp", "enableTLS='true' enableSSL='true'"))
        #expect(found.map(\.severity) == [.ignored, .warning])
        #expect(found.last?.message == "unknown attribute mta/child/smtp/@enableSSL; did you mean enableTLS?")
    }

    @Test func `the same unknown name is reported once`() {
        expect(
            .warning, "unknown element plugin", in: "<serverConf>‸<plugin/><plugin/><plugin/></serverConf>")
    }

    @Test func `a second occurrence of an element that may occur only once is an error`() {
        expect(
            .error, "mta: appears twice, first at 1:13; keep one",
            in: "<serverConf><mta/>‸<mta autoStart='true'/></serverConf>")
        expect(
            .error, "mta/child: appears twice, first at 1:18; keep one",
            in: "<serverConf><mta><child/><master/>‸<child/></mta></serverConf>")
        expect(
            .error, "shared/dataStore/dataSource: appears twice, first at 1:32; keep one",
            in:
                "<serverConf><shared><dataStore><dataSource/>‸<dataSource name='default'/></dataStore></shared></serverConf>"
        )
    }

    @Test func `elements that Campaign repeats may occur any number of times`() {
        let found = findings(
            "<serverConf><web><relay><url/><url/></relay></web><securityZone/><securityZone/></serverConf>")
        #expect(found.map(\.severity) == [.ignored, .ignored])
    }

    @Test func `only the data source with the default name is the store`() throws {
        let text = """
            <serverConf><shared><dataStore>
              <dataSource name="other"><dbcnx provider="Oracle" server="x"/></dataSource>
              <dataSource name="default"><dbcnx provider="SQLite" server="db/here.db"/></dataSource>
            </dataStore></shared></serverConf>
            """
        let loaded = try parsed(text).get()
        #expect(loaded.settings.store.server == "/etc/push/db/here.db")
        #expect(
            loaded.findings.map(\.message)
                == [
                    "shared/dataStore/dataSource: data source \"other\" is not used here; only \"default\" is"
                ])
    }

    @Test func `a file in which no data source has the default name is refused, and no store is created`()
        throws
    {
        let text =
            "<serverConf><shared><dataStore>\n<dataSource name='defalt'/></dataStore></shared></serverConf>"
        let errors = try #require(refusal(of: text)).findings.filter { $0.severity == .error }
        let message = """
            shared/dataStore/dataSource/@name: there is no data source named "default", the only one that is used
            """
        #expect(errors == [Finding(.error, line: 2, column: 1, message: message)])
    }

    @Test func `text in place of attributes produces a warning`() {
        expect(
            .warning, "nmac/relay: its text is ignored; settings are attributes",
            in: "<serverConf><nmac>‸<relay>push.example</relay></nmac></serverConf>")
        expect(
            .warning, "serverConf: its text is ignored; settings are attributes",
            in: "‸<serverConf><![CDATA[x]]></serverConf>")
    }
}
