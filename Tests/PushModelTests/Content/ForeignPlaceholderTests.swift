import PushModel
import Testing

@Suite struct ForeignPlaceholderTests {
    private static let examples: [(String, String, String?)] = [
        ("Hi <%= recipient.firstName %>!", "<%= recipient.firstName %>", "firstName"),
        ("<%=city%>", "<%=city%>", "city"),
        ("<%= toSmartCase(recipient.city) %>", "<%= toSmartCase(recipient.city) %>", nil),
        ("<%@ include view='MirrorPageUrl' %>", "<%@ include view='MirrorPageUrl' %>", nil),
        ("Hi {first_name}", "{first_name}", "first_name"),
        ("{ prénom }", "{ prénom }", "prénom"),
        ("{user.city}", "{user.city}", "city"),
        ("Hi ${name}", "${name}", "name"),
        ("Hi %name%, 20% off", "%name%", "name"),
        ("{{#vip}}{city}{{/vip}}", "{city}", "city"),
        ("{{city|%town%}}", "%town%", "town"),
    ]

    @Test(arguments: examples)
    func `a placeholder of another system is found with its name`(
        text: String, spelling: String, name: String?
    ) {
        #expect(ForeignPlaceholder.all(in: text) == [ForeignPlaceholder(spelling: spelling, name: name)])
    }

    @Test(arguments: [
        "", "Hi {{name}}", "{{{{name}}", "20% off, 30% more", "50%now%", "100 %", #"{"id":7}"#, "{}", "{ }",
        "{7}", "{:-)}", "plain }} text {", "a < b %", "<% never closed", "${", "$5",
        "https://example.com/?q=%D0%BF%C3%A4", "/%aabc%20", "{two words}", "%%name%%",
    ])
    func `other text is not taken for a placeholder`(text: String) {
        #expect(ForeignPlaceholder.all(in: text).isEmpty)
    }

    @Test func `each placeholder of a text is listed once, in the order of the text`() {
        let found = ForeignPlaceholder.all(in: "{b}<%= a %>{b}${b}")
        #expect(found.map(\.spelling) == ["{b}", "<%= a %>", "${b}"])
    }

    @Test func `texts with placeholders of other systems are listed with their paths`() {
        let content = Content(
            title: "Hi {name}", body: "Hi {{name}}", variables: ["link": "/%city%"],
            custom: [
                CustomMember(name: "offer", value: .json(#"{"text":"<%= city %>"}"#)),
                CustomMember(name: "text", value: .text("plain")),
            ])
        #expect(content.foreignTexts.map(\.path) == ["title", "variables.link", "custom.offer"])
        #expect(content.foreignTexts.map(\.isFixed) == [false, false, true])
    }
}
