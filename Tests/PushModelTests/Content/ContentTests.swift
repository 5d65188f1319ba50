import PushModel
import Testing

@Suite struct ContentTests {
    @Test func `variables are in name order, whatever order they arrived in`() {
        let content = Content(variables: ["b": "1", "a": "2", "é": "3", "B": "4"])
        #expect(content.variables.map(\.name) == ["B", "a", "b", "é"])
    }

    @Test(arguments: [
        ("{{", true), ("a{{b}}", true), ("{", false), ("{}{", false), ("", false), ("{ {", false),
    ])
    func `two consecutive braces are a personalisation mark`(text: String, isPersonalised: Bool) {
        #expect(Content.isPersonalised(text) == isPersonalised)
    }
}
