import GatewayAPNs
import GatewayFCM
import PushModel
import PushPayload
import PushWire
import TestContents
import Testing

/// A gateway that no other code knows. Everything that this gateway adds to a content is defined here.
private struct WebContent: ContentSection {
    static let name = "web"
    static let fixedPaths: Set = ["topic"]

    var link: String?
    var topic: String?

    var texts: [(path: String, text: String)] {
        [("link", link), ("topic", topic)].compactMap { path, text in text.map { (path, $0) } }
    }

    static let fields = Fields(
        WebContent(),
        [
            Field("link", \.link, .text(.bytes(100)), "where a click leads to"),
            Field("topic", \.topic, .text(.bytes(32))),
        ], named: "WebContent")
}

extension Content {
    fileprivate var web: WebContent {
        get { self[WebContent.self] }
        set { self[WebContent.self] = newValue }
    }
}

extension ContentSectionDeclaration {
    fileprivate static let web = ContentSectionDeclaration(
        \.web, WebContent.fields, "what only browsers know", platform: .android,
        sameInAllLanguages: "topic is"
    ) { $0.topic == $1.topic }
}

extension PayloadTemplate {
    fileprivate static func web(_ content: Content) throws(PayloadError) -> PayloadTemplate {
        try byLanguage(content) { version, isShortened throws(PayloadError) in
            try checkPlaces(of: version, variables: version.variables)
            var builder = PayloadTemplateBuilder()
            builder.object { root in
                root.string("title", version.title)
                root.string("navigate", version.web.link)
            }
            return try builder.template(limitBytes: 4_096, isShortened: isShortened)
        }
    }
}

@Suite struct ThirdSectionTests {
    private static let contents = ContentDocument(sections: [.ios, .android, .web])
    private static let document =
        #"{"title":"Hi {{name}}","ios":{"badge":1},"web":{"link":"https://a/{{name}}","topic":"t"},"languages":{"fr":{"web":{"link":"https://b/{{name}}"}}}}"#

    private func findings(_ text: String, _ contents: ContentDocument = contents) -> [String] {
        do throws(WireError) {
            _ = try contents.decode(Array(text.utf8))
            return []
        } catch { return error.lines }
    }

    @Test func `a document with a third section can be parsed and written`() throws {
        let content = try Self.contents.decode(Array(Self.document.utf8))
        #expect(content.web.link == "https://a/{{name}}")
        #expect(content.languages.map(\.content.web.link) == ["https://b/{{name}}"])
        #expect(content.languages.map(\.content.web.topic) == ["t"])
        #expect(content.languages.map(\.content.title) == ["Hi {{name}}"])
        let written = Self.contents.encode(content)
        #expect(try Self.contents.decode(written) == content)
        var other = content
        other.web.topic = nil
        #expect(other != content)
        #expect(Content()[WebContent.self] == WebContent())
    }

    @Test func `errors in a third section are reported with their paths`() {
        let long = String(repeating: "x", count: 101)
        #expect(
            findings(##"{"web":{"link":"\##(long)","topic":"{{a}}","?":1}}"##).map { $0.prefix { $0 != ":" } }
                == [
                    "content.web.link", "content.web.?", "content.web.topic",
                ])
        #expect(
            findings(#"{"web":{"topic":"t"},"languages":{"fr":{"web":{"topic":"u"}}}}"#) == [
                "content.languages.fr.web: topic is the same in all languages"
            ])
        #expect(findings(#"{"web":{},"variables":{"from":"x"}}"#).count == 1)
        #expect(findings(Self.document, .every).count == 1)
    }

    @Test func `a gateway ignores the sections for other gateways`() throws {
        let content = try ContentDocument(only: .web).decode(
            Array(#"{"title":"T","ios":{"badge":"none"},"android":7,"web":{"topic":"t"}}"#.utf8))
        #expect(content.web.topic == "t")
        #expect(content.title == "T")
    }

    @Test func `the schema of contents includes a third section`() throws {
        let schema = Self.contents.schema
        guard case .component("Content", let content) = schema, case .object(let members, _) = content()
        else {
            Issue.record("\(schema.value)")
            return
        }
        #expect(members.map(\.name).suffix(4) == ["ios", "android", "web", "languages"])
        let web = try #require(members.first { $0.name == "web" })
        #expect(web.about == "what only browsers know")
        guard case .component("WebContent", let fields) = web.schema else {
            Issue.record("\(web.schema.value)")
            return
        }
        #expect(fields().value["properties"]?["link"]?["maxLength"] == .integer(100))
    }

    @Test func `the placeholders in a third section are filled for each device`() throws {
        let content = try Self.contents.decode(Array(Self.document.utf8))
        #expect(content.personalTexts.map(\.path) == ["title", "web.link"])
        #expect(content.keeping(section: "ios").personalTexts.map(\.path) == ["title"])
        let template = try PayloadTemplate.web(content)
        let rendered = template.rendered(
            identity: OpaqueID(high: 0, low: 0), integerID: 1, parameters: Array(#"{"name":"Ann"}"#.utf8))
        let expected = #"{"title":"Hi Ann","navigate":"https://a/Ann"}"#
        #expect(rendered == .payload(Array(expected.utf8)))
        #expect(template.ownLanguages.map(\.text) == ["fr"])
    }
}
