import Foundation
import PushConfig
import Testing

@Suite struct DocumentReaderTests {
    private let noDeclarations = "document types and entities are not read: remove this declaration"

    @Test func `a billion laughs are not laughed`() {
        let lols = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined(
            separator: "\n")
        expect(
            .error, noDeclarations,
            in:
                "<?xml version=\"1.0\"?>\n‸<!DOCTYPE s [<!ENTITY l0 \"lol\">\n\(lols)]>\n<serverConf x=\"&l9;\">&l9;</serverConf>"
        )
    }

    @Test(arguments: [
        "<!DOCTYPE serverConf SYSTEM \"file:///etc/passwd\">",
        "<!DOCTYPE serverConf [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE serverConf [<!ENTITY % p SYSTEM \"http://127.0.0.1/p.dtd\"> %p;]>",
        "<!doctype serverConf>", "<!ELEMENT a ANY>", "<![CDATA[x]]>",
    ])
    func `nothing outside the file is fetched, because no declaration is read`(declaration: String) {
        expect(.error, noDeclarations, in: "<!-- c -->‸\(declaration)<serverConf/>")
        let inside = declaration.hasPrefix("<![") ? "<!ENTITY a 'b'>" : declaration
        expect(.error, noDeclarations, in: "<serverConf>\n ‸\(inside)</serverConf>")
    }

    @Test func `values are decoded, and placed where they stand`() throws {
        let text =
            "<serverConf>\n<mta\tworkingPath = '&#x2f;srv&#47;caf&#233;&amp;b&quot;&apos;&lt;&gt;'/></serverConf>"
        #expect(try parsed(text).get().settings.mta.workingPath == "/srv/café&b\"'<>")
        expect(
            .error, "mta/@autoStart: found \"tru&e\", allowed: true or false",
            in: "<serverConf><mta workingPath='&#233;é&amp;' autoStart='‸tru&amp;e'/></serverConf>")
    }

    @Test(arguments: [
        (
            "<serverConf>&nbsp;</serverConf>",
            "an unknown entity: only &amp; &lt; &gt; &quot; &apos; and &#number; are read"
        ),
        ("<serverConf a=\"&x;\"/>", "an unknown entity: only &amp; &lt; &gt; &quot; &apos; and &#number; are read"),
        ("<serverConf a=\"b&c\"/>", "an entity without its ';' (the character & itself is written &amp;)"),
        ("<serverConf a=\"b & c\"/>", "a name is expected here (the character & itself is written &amp;)"),
        ("<serverConf a=\"\u{1}\"/>", "a character that XML does not allow"),
        ("<serverConf a=\"&#0;\"/>", "a character that XML does not allow"),
        ("<serverConf a=\"&#zz;\"/>", "a character reference is incomplete"),
        ("<serverConf a=\"&#xzz;\"/>", "a character reference is incomplete"),
        ("<serverConf><!-- a -- b --></serverConf>", "'--' may not stand in a comment"),
        ("<serverConf>]]></serverConf>", "']]>' in text is written ]]&gt;"),
        ("<serverConf a:b=\"1\"/>", "a prefix without a namespace: serverConf.xml has none"),
        ("<serverConf xmlns=\"x\"/>", "a namespace that is not a full URI: serverConf.xml has none"),
        (" <?xml version=\"1.0\"?><serverConf/>", "the XML declaration may stand only at the very beginning"),
        ("<?xml version=\"2.0\"?><serverConf/>", "a version of XML that is not read: write version=\"1.0\""),
        ("<?xml encoding=\"UTF-8\"?><serverConf/>", "the XML declaration has no version"),
    ])
    func `what the parser alone can see is said in words, with its place`(text: String, message: String) throws {
        let error = try #require(refusal(of: text))
        #expect(error.cause == .refused)
        #expect(error.findings.map(\.message) == [message])
        #expect(error.findings.allSatisfy { $0.line == 1 && 1...text.count + 1 ~= $0.column })
    }

    @Test func `many files are read at a time`() async {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let good =
                        (try? parsed(document("web", "httpPort='\(number)'")).get().settings.web.httpPort) == number
                    if case .failure = parsed("<serverConf a='&x\(number);'/>") { return good }
                    return false
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
