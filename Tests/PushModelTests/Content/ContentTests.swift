import PushModel
import Testing

@Suite struct ContentTests {
    @Test func `variables are sorted by name, whatever order they arrived in`() {
        let content = Content(variables: ["b": "1", "a": "2", "é": "3", "B": "4"])
        #expect(content.variables.map(\.name) == ["B", "a", "b", "é"])
    }

    @Test(arguments: [
        ("{{", true), ("a{{b}}", true), ("{", false), ("{}{", false), ("", false), ("{ {", false),
    ])
    func `two consecutive braces begin a personalisation`(text: String, isPersonalised: Bool) {
        #expect(Content.isPersonalised(text) == isPersonalised)
    }
}
