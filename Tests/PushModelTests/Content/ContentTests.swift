import PushModel
import Testing

@Suite struct ContentTests {
    @Test func `variables stand in the order of their names, whatever order they came in`() {
        let content = Content(variables: ["b": "1", "a": "2", "é": "3", "B": "4"])
        #expect(content.variables.map(\.name) == ["B", "a", "b", "é"])
    }

    @Test func `every text of a content is found with its path, and what is wrong with its places`() {
        var content = Content(title: "{{a}}", body: "{ {b} }", variables: ["v": "x{{"])
        content.ios.subtitle = "{{"
        content.ios.sound = .critical(name: "a{{b", volume: 3)
        content.ios.collapseID = "{{a}}"
        content.android.ticker = "{{{"
        content.android.channelID = "plain"
        #expect(content.personalTexts.map(\.path) == ["title"])
        #expect(
            content.placeProblems.map(\.path) == [
                "variables.v", "ios.subtitle", "ios.sound", "ios.collapseId", "android.ticker",
            ])
    }

    @Test(arguments: [
        ("{{", true), ("a{{b}}", true), ("{", false), ("{}{", false), ("", false), ("{ {", false),
    ])
    func `two braces in a row are a personalisation mark`(text: String, isPersonalised: Bool) {
        #expect(Content.isPersonalised(text) == isPersonalised)
    }
}
