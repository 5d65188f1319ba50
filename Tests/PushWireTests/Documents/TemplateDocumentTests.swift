import GatewayAPNs
import PushModel
import PushWire
import TestContents
import Testing

@Suite struct TemplateDocumentTests {
    private static func parse(_ text: String) throws -> TemplateDocument {
        try TemplateDocument.parse(Array(text.utf8))
    }

    private static func lines(_ text: String) -> [String] {
        do throws(WireError) {
            _ = try TemplateDocument.parse(Array(text.utf8))
            return []
        } catch { return error.lines }
    }

    @Test func `a template is parsed, and has one canonical form, however it was written`() throws {
        let one = try Self.parse(
            #"{"tracking": false, "content": {"title": "a", "body": "b"}, "schedule": {"validity": "2h"}}"#)
        let other = try Self.parse(
            """
            {"schedule": {"validity": "2h"},
             "content": {"body": "b", "title": "a"}, "tracking": false}
            """)
        #expect(one == other && one.content.title == "a" && !one.tracking)
        #expect(try Self.parse(#"{"content": {}}"#).tracking)
    }

    @Test func `all errors are reported together, with their positions`() {
        let found = Self.lines(
            #"""
            {"label": "l", "content": {"titel": "a", "ios": {"badge": -1}}, "schedule": {"start": "x", "validity": -1},
             "retry": {"count": "5"}, "tracking": 1}
            """#)
        let places = [
            "label:", "content.titel:", "content.ios.badge:", "schedule.start: unknown",
            "schedule.validity:",
            "retry.count:", "tracking:",
        ]
        for place in places { #expect(found.contains { $0.hasPrefix(place) }, "\(place)") }
        #expect(found.count == places.count)
    }

    @Test(arguments: ["", "{", "[]", "7", "null", "{}", #"{"content": []}"#, #"{"content": null}"#])
    func `a text that is not a template is refused`(text: String) { #expect(Self.lines(text).count == 1) }

    @Test func `an oversized template is refused without parsing`() {
        let long = String(repeating: "x", count: TemplateDocument.maximumBytes + 1)
        #expect(Self.lines(long) == ["the document has 65537 bytes; the maximum for a template is 65536"])
    }

    @Test func `a document that names a template needs no content`() throws {
        let document = try DeliveryDocument.read(
            TemplateMerge.delivery(
                try JSONParser.parse(
                    Array(
                        #"{"label": "l", "service": "s", "target": {"all": true}, "template": "sale"}"#.utf8)),
                over: ["content": ["title": .string("a")]], TemplateVersion(name: "sale", version: 2)))
        #expect(document.template == TemplateReference(name: "sale", version: 2))
        #expect(document.content.title == "a")
        for (wrong, place) in [
            ("7", "template:"), (#"{"name": 7}"#, "template.name:"),
            (#"{"name": "a", "x": 1}"#, "template.x:"),
            (#"{"name": "a", "version": 0}"#, "template.version:"), (#"{"version": 1}"#, "template.name:"),
        ] {
            let bytes = Array(#"{"label": "l", "target": {"all": true}, "template": \#(wrong)}"#.utf8)
            do throws(WireError) {
                _ = try DeliveryDocument.parse(bytes)
                Issue.record("\(wrong)")
            } catch {
                #expect(error.lines.contains { $0.hasPrefix(place) }, "\(error.lines)")
                #expect(error.lines.contains("service: missing"))
            }
        }
    }
}
