import PushModel
import Testing

@Suite struct ContentTests {
    @Test func `variables stand in the order of their names, whatever order they came in`() {
        let content = Content(variables: ["b": "1", "a": "2", "é": "3", "B": "4"])
        #expect(content.variables.map(\.name) == ["B", "a", "b", "é"])
    }

    @Test(arguments: [
        ("{{", true), ("a{{b}}", true), ("{", false), ("{}{", false), ("", false), ("{ {", false),
    ])
    func `two braces in a row are a personalisation mark`(text: String, isPersonalised: Bool) {
        #expect(Content.isPersonalised(text) == isPersonalised)
    }
}
