import PushModel
import Testing

@Suite struct ContentTests {
    @Test func `variables stand in the order of their names, whatever order they came in`() {
        let content = Content(variables: ["b": "1", "a": "2", "é": "3", "B": "4"])
        #expect(content.variables.map(\.name) == ["B", "a", "b", "é"])
    }

    @Test func `every text of a content is found with its path`() {
        var content = Content(title: "{{a}}", body: "{ {b} }", variables: ["v": "x{{"])
        content.ios.subtitle = "{{"
        content.ios.sound = .critical(name: "a{{b", volume: 3)
        content.android.ticker = "{{{"
        content.android.channelID = "plain"
        #expect(
            content.personalisedPaths == [
                "title", "variables.v", "ios.subtitle", "ios.sound", "android.ticker",
            ])
    }

    @Test(arguments: [
        ("{{", true), ("a{{b}}", true), ("{", false), ("{}{", false), ("", false), ("{ {", false),
    ])
    func `two braces in a row are a personalisation mark`(text: String, isPersonalised: Bool) {
        #expect(Content.isPersonalised(text) == isPersonalised)
    }
}
