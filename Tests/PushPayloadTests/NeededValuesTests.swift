import GatewayAPNs
import PushModel
import PushPayload
import Testing

/// Tests which values a message lacks. The reference is rendering, which reports the first missing value.
@Suite struct NeededValuesTests {
    private func template(_ content: Content, variables: [AppVariable] = []) throws -> PayloadTemplate {
        try PayloadTemplate.byLanguage(content) { version, _ throws(PayloadError) in
            try PayloadTemplate.apns(
                content: version, variables: variables, delivery: DeliveryID(rawValue: 7), tracking: false,
                idFormat: .uuid, limitBytes: 4_096)
        }
    }

    private static let cases: [(text: String, values: String, missing: [String])] = [
        ("Hello", "{}", []),
        ("{{code}} {{city}}", "{}", ["code", "city"]),
        ("{{code}} {{code}}", "", ["code"]),
        ("{{code}} {{city|your town}}", #"{"code":"7"}"#, []),
        ("{{code}}", #"{"code":"7"}{"code":""}"#, ["code"]),
        ("{{code}}", #"{"code":""}{"code":"7"}"#, []),
        ("{{#vip}}{{name}}{{/vip}}", "{}", []),
        ("{{#vip}}{{name}}{{/vip}}", #"{"vip":"false"}"#, []),
        ("{{#vip}}{{name}} {{#a}}{{b}}{{/a}}{{/vip}}{{c}}", #"{"vip":"1"}"#, ["name", "c"]),
        ("{{#vip}}{{name}} {{#a}}{{b}}{{/a}}{{/vip}}{{c}}", #"{"vip":"1","a":"x"}"#, ["name", "b", "c"]),
        ("{{^vip}}{{name}}{{/vip}}", #"{"vip":"1"}"#, []),
        ("{{^vip}}{{name}}{{/vip}}", "{}", ["name"]),
        ("{{sum:number(2)}}", #"{"sum":"much"}"#, ["sum:number(2)"]),
        ("{{sum:number(2)}} {{day:date}}", #"{"sum":"1.5","day":"2026-02-30"}"#, ["day:date"]),
        ("{{sum:number|none}}", #"{"sum":"much"}"#, []),
        ("{{{{code}}", "{}", []),
    ]

    @Test(arguments: cases.indices)
    func `all missing values are found, and none if rendering finds each value`(index: Int) throws {
        let (text, values, missing) = Self.cases[index]
        let template = try template(Content(body: text))
        #expect(NeededValues(template).missing(in: Array(values.utf8)) == missing)
        let rendered = template.rendered(
            identity: OpaqueID(high: 0, low: 0), integerID: 42, parameters: Array(values.utf8))
        if let first = missing.first {
            #expect(rendered == .missing(parameter: first))
        } else {
            #expect(rendered.bytes != nil)
        }
    }

    @Test func `the values of all languages and of an app's defaults are needed`() throws {
        let french = LanguageContent(
            language: try #require(LanguageTag("fr")), content: Content(body: "{{ville}}"))
        let template = try template(
            Content(body: "{{city}}", languages: [french]),
            variables: [AppVariable(name: "link", defaultValue: "{{id}}")])
        let needs = NeededValues(template)
        #expect(Set(needs.names) == ["city", "ville", "id"])
        #expect(Set(needs.missing(in: Array(#"{"city":"Ulm"}"#.utf8))) == ["ville", "id"])
        #expect(needs.missing(in: Array(#"{"city":"Ulm","ville":"Metz","id":"7"}"#.utf8)).isEmpty)
        #expect(NeededValues(try self.template(Content(body: "Hello"))).names.isEmpty)
    }
}
