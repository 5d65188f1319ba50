import PushConfig
import Testing

/// Documents that are not XML: one finding, where the slip began.
@Suite struct TagScannerTests {
    @Test func `nothing is not a document`() {
        expect(.error, "the file is empty: a tag is expected here", in: "‸")
        expect(.error, "the file is empty: a tag is expected here", in: " \n <!-- only this -->\n‸")
        expect(.error, "this is not XML: a tag is expected here", in: "\n  ‸{\"json\": true}")
        expect(.error, "this is not XML: a tag is expected here", in: "‸abc")
    }

    @Test func `what is opened must be closed`() {
        expect(.error, "the tag \"mta\" is opened here and never closed", in: "<serverConf>\n  ‸<mta>\n")
        expect(.error, "the tag \"a\" is opened here and never closed", in: "‸<a>")
        expect(
            .error, "the tag \"mta\" does not end: its '>' is missing", in: "<serverConf>\n  ‸<mta autoStart='true'\n")
        expect(
            .error, "the tag \"mta\" does not end: its '>' is missing",
            in: "<serverConf>‸<mta <child/></mta></serverConf>")
        expect(.error, "this comment is opened here and never closed", in: "<serverConf>\n ‸<!-- x -- ></serverConf>")
        expect(
            .error, "this CDATA section is opened here and never closed", in: "<serverConf>‸<![CDATA[ ]] ></serverConf>"
        )
        expect(.error, "this instruction is opened here and never closed", in: "‸<?xml version='1.0'")
    }

    @Test(arguments: ["<?a?>", "<?a ?>", "<??>", "<? a?>"])
    func `an instruction has content`(instruction: String) {
        let found: [Finding]
        switch parsed(bytes: Array("<serverConf>\(instruction)</serverConf>".utf8)) {
        case .success(let loaded): found = loaded.findings
        case .failure(let error): found = error.findings
        }
        #expect(found.map(\.severity) == [.error])
    }

    @Test func `what is closed must be open, and be the last that was opened`() {
        expect(.error, "nothing is open that \"serverConf\" could close", in: "<serverConf/>\n‸</serverConf>")
        expect(
            .error, "closing tag \"serverConf\" where \"mta\", opened at 2:3, is still open",
            in: "<serverConf>\n  <mta>\n‸</serverConf>")
        expect(
            .error, "the closing tag \"serverConf\" does not end: its '>' is missing",
            in: "<serverConf>‸</serverConf x>")
    }

    @Test func `there is one outermost tag and no text beside it`() {
        expect(.error, "a second outermost tag: everything belongs into \"serverConf\"", in: "<serverConf/>‸<mta/>")
        expect(.error, "text after the last tag", in: "<serverConf/> \n‸x")
    }

    @Test func `attributes have a name, a value in quotes, and a space before them`() {
        expect(.error, "attribute \"autoStart\" has no value: write name=\"value\"", in: document("mta", "‸autoStart"))
        expect(.error, "the value of attribute \"logLevel\" must stand in quotes", in: document("mta", "logLevel = ‸2"))
        expect(.error, "a space is missing before attribute \"b\"", in: document("mta", "a='1'‸b='2'"))
        expect(
            .error, "unexpected character in a tag: an attribute or '>' is expected here",
            in: document("mta", "‸=\"x\""))
        expect(.error, "unexpected character in a tag: an attribute or '>' is expected here", in: "<serverConf ‸/ >")
        expect(.error, "'<' without a name: write &lt; for the character itself", in: "<serverConf>1 ‸< 2</serverConf>")
    }

    @Test func `a quote that is not closed is found where it opens`() {
        let message = "the value of attribute \"autoStart\" has no closing quote (a '<' in it is written &lt;)"
        expect(.error, message, in: "<serverConf>\n <mta autoStart=\"‸true/>\n <web/>\n</serverConf>")
        expect(.error, message, in: "<serverConf>\n <mta autoStart='‸true\n")
    }

    @Test func `an attribute stands once in a tag`() {
        expect(
            .error, "attribute \"autoStart\" stands twice in its tag, first at 2:7",
            in: "<serverConf>\n <mta autoStart='true'\n      ‸autoStart='false'/></serverConf>")
    }

    @Test func `a tag does not have attributes without end`() {
        let many = (0..<600).map { "a\($0)=''" }.joined(separator: " ")
        expect(.error, "this tag has too many attributes", in: "‸<serverConf \(many)/>")
    }

    @Test func `tags do not nest without end`() {
        let open = { (count: Int) in String(repeating: "<a>", count: count) }
        expect(.error, "tags are nested too deeply", in: "<serverConf>\(open(63))‸\(open(300_000))")
        expect(
            .error, "the outermost tag is \"a\", allowed: serverConf",
            in: "‸\(open(64))\(String(repeating: "</a>", count: 64))")
    }

    @Test func `what looks like markup in comments, values and sections is none`() throws {
        let text = """
            <?xml version="1.0"?><!-- <a b='> --><?pi <x> ?>
            <serverConf><!-- <mta autoStart="yes"> <!DOCTYPE x> -->
              <mta workingPath='a>b"c' autoStart="true"/><![CDATA[ <web> ]]></serverConf>
            <!-- </serverConf> -->
            """
        let loaded = try parsed(text).get()
        #expect(loaded.settings.mta.workingPath == "/etc/push/a>b\"c")
        #expect(loaded.origins.first { $0.path == "mta/@autoStart" }?.origin == .file(line: 3))
    }
}
