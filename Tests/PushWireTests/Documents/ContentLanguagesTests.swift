import GatewayAPNs
import GatewayFCM
import PushModel
import PushWire
import TestContents
import Testing

@Suite struct ContentLanguagesTests {
    private func decode(_ text: String) throws -> Content { try ContentDocument.decode(Array(text.utf8)) }

    @Test func `a language only contains its differences and inherits the rest of the content`() throws {
        let content = try decode(
            #"""
            {"title": "Sale", "body": "Now", "variables": {"a": "1", "b": "2"}, "ios": {"badge": 1, "sound": "s"},
             "languages": {"pt_br": {"title": "Oferta", "variables": {"b": "3"}, "ios": {"badge": 2}},
                           "fr": {"body": "Vite"}}}
            """#)
        #expect(content.languages.map(\.language.text) == ["fr", "pt-BR"])
        let (french, brazilian) = (content.languages[0].content, content.languages[1].content)
        #expect(french.title == "Sale" && french.body == "Vite" && french.ios.badge == 1)
        #expect(brazilian.title == "Oferta" && brazilian.body == "Now" && brazilian.languages.isEmpty)
        #expect(brazilian.variables.map(\.value) == ["1", "3"])
        #expect(brazilian.ios.badge == 2 && brazilian.ios.sound == .named("s"))
        #expect(try ContentDocument.decode(ContentDocument.encode(content)) == content)
    }

    @Test(arguments: [
        (#"{"languages":7}"#, "content.languages: must be an object, not an integer"),
        (#"{"languages":{}}"#, "content.languages: must have 1 to 50 languages, not 0"),
        (
            #"{"languages":{"french":{"title":"x"},"f":{"title":"x"}}}"#,
            "content.languages.f: must be a language tag, such as fr, pt-BR or zh-Hans"
        ),
        (
            #"{"languages":{"pt-BR":{"title":"x"},"PT_br":{"title":"y"}}}"#,
            "content.languages.PT_br: the same language as pt-BR"
        ),
        (
            #"{"languages":{"fr":{}}}"#,
            "content.languages.fr: is empty; add what differs in this language, or remove it"
        ),
        (#"{"languages":{"fr":"x"}}"#, "content.languages.fr: must be an object, not a string"),
        (
            #"{"languages":{"fr":{"languages":{"de":{"title":"x"}}}}}"#,
            "content.languages.fr.languages: unknown; allowed: title, body, shorten, variables, custom, ios, android"
        ),
        (
            #"{"languages":{"fr":{"title":7}}}"#,
            "content.languages.fr.title: must be a string, not an integer"
        ),
        (
            #"{"languages":{"fr":{"title":"{{a"}}}"#,
            "content.languages.fr.title: {{ at character 1: is not closed by }}"
        ),
        (
            #"{"languages":{"fr":{"ios":{"type":"silent"}}}}"#,
            "content.languages.fr.ios: type, priority and collapseId are the same in all languages"
        ),
        (
            #"{"languages":{"fr":{"android":{"type":"notification"}}}}"#,
            "content.languages.fr.android: type is the same in all languages"
        ),
        // An error in the content is reported once.
        (
            #"{"title":7,"languages":{"fr":{"body":"x"}}}"#,
            "content.title: must be a string, not an integer"
        ),
    ])
    func `errors in languages are reported with their paths`(text: String, finding: String) {
        do {
            _ = try decode(text)
            Issue.record("was read")
        } catch {
            #expect((error as? WireError)?.lines == [finding])
        }
    }

    @Test func `the maximum number of languages is accepted, and one more language is refused`() throws {
        func text(_ count: Int) -> String {
            let letters = Array("abcdefghijklmnopqrstuvwxyz")
            let tags = (0..<count).map { "\(letters[$0 / 26])\(letters[$0 % 26])" }
            return #"{"languages":{"# + tags.map { #""\#($0)":{"title":"x"}"# }.joined(separator: ",") + "}}"
        }
        #expect(try decode(text(Content.maximumLanguages)).languages.count == Content.maximumLanguages)
        #expect(throws: WireError.self) { try decode(text(Content.maximumLanguages + 1)) }
    }

    @Test func `the languages in a document are merged with those in its template`() throws {
        func json(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }
        let merged = TemplateMerge.delivery(
            try json(
                #"{"content": {"languages": {"fr": {"body": "b", "ios": {"badge": 2}}, "de": {"title": "d"}}}}"#
            ),
            over: try json(
                #"{"content": {"title": "t", "languages": {"fr": {"title": "f", "ios": {"badge": 1, "sound": "s"}}}}}"#
            ),
            TemplateVersion(name: "sale", version: 3))
        #expect(
            merged["content"]
                == (try json(
                    #"{"title": "t", "languages": {"fr": {"title": "f", "ios": {"badge": 2, "sound": "s"}, "body": "b"}, "de": {"title": "d"}}}"#
                )))
    }
}
