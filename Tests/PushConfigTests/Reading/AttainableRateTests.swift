import PushConfig
import PushModel
import Testing

@Suite struct AttainableRateTests {
    private static func notes(_ child: String = "", master: String = "", fcm: String = "") throws -> [Finding]
    {
        try parsed(
            "<serverConf><mta><child \(child)/><master \(master)/></mta><nmac><fcm \(fcm)/></nmac></serverConf>"
        ).get().notes
    }

    @Test func `Campaign's defaults allow 320 messages per second, which produces a note and no finding`()
        throws
    {
        let loaded = try parsed("<serverConf/>").get()
        let message = """
            mta/child/@maxGCMConnectPerChild: 8 parallel requests × 2 in mta/master/@maxSpareServers carry about 320 \
            messages a second to an Android app if FCM answers in 50 ms (40 with androidPushConnector, which uses \
            one request per child); nmac/fcm/@messagesPerMinute allows 10000 a second, for which a total of 500 requests \
            is sufficient
            """
        var note = Finding(.note, line: 0, column: 0, message: message)
        note.connectors = [.androidPushConnector, .androidPushConnectorV2]
        #expect(loaded.notes == [note])
        #expect(loaded.findings.isEmpty)
    }

    @Test func `a rate that reaches the quota produces no note, and a slightly lower rate produces one`()
        throws
    {
        #expect(try Self.notes("maxGCMConnectPerChild='250'").isEmpty)
        #expect(try Self.notes("maxGCMConnectPerChild='249'").count == 1)
        // The limit of an account applies if it is lower than that of the child.
        let limited = try Self.notes("maxGCMConnectPerChild='250' maxGCMConnectPerAccount='4'")
        #expect(
            limited.first?.message.hasPrefix("mta/child/@maxGCMConnectPerAccount: 4 parallel requests")
                == true)
        #expect(try Self.notes("maxGCMConnectPerChild='250' maxGCMConnectPerAccount='300'").isEmpty)
        #expect(try Self.notes(master: "maxSpareServers='63'").isEmpty)
        #expect(try Self.notes(master: "maxSpareServers='62'").count == 1)
        #expect(try Self.notes(fcm: "messagesPerMinute='19200'").isEmpty)
        #expect(try Self.notes(fcm: "messagesPerMinute='19260'").count == 1)
        #expect(try Self.notes(fcm: "messagesPerMinute='1'").isEmpty)
    }

    @Test func `if no quota is set, the note uses Google's quota`() throws {
        #expect(try Self.notes("maxGCMConnectPerChild='250'", fcm: "messagesPerMinute='0'").isEmpty)
        let note = try #require(try Self.notes(fcm: "messagesPerMinute='0'").first)
        #expect(note.message.contains("Google's default quota allows 10000 a second"))
    }

    @Test func `the note has the position of the number in the file`() throws {
        for marked in [
            "<mta><child maxGCMConnectPerChild='‸9'/></mta>", "<mta>\n<master maxSpareServers='‸3'/></mta>",
            "<mta>\n<master maxSpareServers='3'/><child maxGCMConnectPerChild='‸9'/></mta>",
        ] {
            let document = MarkedDocument("<serverConf>\(marked)</serverConf>")
            let note = try #require(try parsed(bytes: document.bytes).get().notes.first)
            #expect((note.line, note.column) == (document.line, document.column))
        }
    }
}
