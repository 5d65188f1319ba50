import PushConfig
import Testing

@Suite struct ConfirmedRateTests {
    private static func notes(_ nmac: String) throws -> [Finding] {
        // The settings request no rate, so no note about Android appears.
        let android = "<mta><child maxGCMConnectPerChild='250'/></mta>"
        return try parsed("<serverConf>\(android)<nmac>\(nmac)</nmac></serverConf>").get().notes
    }

    @Test func `a file without binary gateway settings produces no note about it`() throws {
        #expect(try Self.notes("").isEmpty)
        #expect(try Self.notes("<iosHTTP2 requestTimeoutSec='3'/>").isEmpty)
    }

    @Test func `the confirmed rate is the number of frames divided by the silent period`() throws {
        let notes = try Self.notes("<iosBinary gateway='gateway.example'/>")
        #expect(notes.map(\.severity) == [.note])
        #expect(
            notes.first?.message == """
                nmac/iosBinary/@unconfirmedFrames: 87500 frames (of 100000, with an eighth reserved for priorities above \
                normal) ÷ 5 s in nmac/iosBinary/@confirmAfterSec let each child send 17500 messages a second to an app \
                of connector ios; 100000 is also the maximum number of duplicates when a connection ends without notice
                """)
        let slow = try #require(
            try Self.notes("<iosBinary unconfirmedFrames='10' confirmAfterSec='20'/>").first)
        #expect(slow.message.contains("send less than a message a second"))
    }

    @Test func `the note has the position of the number, or else of its element`() throws {
        for element in [
            "<iosBinary unconfirmedFrames='‸9'/>", "<iosBinary confirmAfterSec='‸9'/>",
            "<iosBinary confirmAfterSec='9' unconfirmedFrames='‸9'/>", "<iosBinary gateway='‸a.example'/>",
        ] {
            let document = MarkedDocument(
                "<serverConf><mta><child maxGCMConnectPerChild='250'/></mta>\n<nmac>\(element)</nmac></serverConf>"
            )
            let note = try #require(try parsed(bytes: document.bytes).get().notes.first)
            #expect((note.line, note.column) == (document.line, document.column))
        }
        #expect(try #require(try Self.notes("<iosBinary/>").first).line == 1)
    }
}
