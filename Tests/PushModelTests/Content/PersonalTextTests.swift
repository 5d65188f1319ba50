import PushModel
import Testing

@Suite struct PersonalTextTests {
    private typealias Piece = PersonalText.Piece

    @Test func `a text is parsed into literals and placeholders in their order`() throws {
        #expect(
            try PersonalText("Hi {{ firstName }}, {{city|your town}}!").pieces == [
                Piece.text("Hi "), .value(of: "firstName", fallback: nil), .text(", "),
                .value(of: "city", fallback: "your town"), .text("!"),
            ])
        #expect(try PersonalText("plain }} text {").pieces == [Piece.text("plain }} text {")])
        #expect(try PersonalText("").pieces.isEmpty)
    }

    @Test func `a default may be empty, and may contain bars and spaces`() throws {
        #expect(try PersonalText("{{a|}}").pieces == [Piece.value(of: "a", fallback: "")])
        #expect(try PersonalText("{{a| b | c }}").pieces == [Piece.value(of: "a", fallback: " b | c ")])
    }

    @Test func `a format follows a colon after the name, and a default follows the format`() throws {
        #expect(
            try PersonalText("{{a:number}}{{ b :number(2)|-}}{{c:date(long)}}").pieces == [
                Piece.value(of: "a", as: .number(decimals: nil), fallback: nil),
                .value(of: "b", as: .number(decimals: 2), fallback: "-"),
                .value(of: "c", as: .date(.long), fallback: nil),
            ])
        #expect(try PersonalText("{{a|12:30}}").pieces == [Piece.value(of: "a", fallback: "12:30")])
    }

    @Test(arguments: [
        "number()", "number(10)", "number(-1)", "number(x)", "number(2", "date()", "date(full)", "Date", "",
        " number", "number(2)x",
    ])
    func `an invalid format is refused`(text: String) {
        #expect(ValueFormat(text) == nil)
        #expect(throws: PersonalTextError.self) { try PersonalText("{{a:\(text)}}") }
    }

    @Test func `sections contain the pieces inside them`() throws {
        #expect(
            try PersonalText("{{#vip}}Dear {{#name}}{{name}}{{/name}}{{/vip}}{{^vip}}Hi{{/vip}}").pieces == [
                Piece.section(
                    of: "vip", isInverted: false,
                    [
                        .text("Dear "),
                        .section(of: "name", isInverted: false, [.value(of: "name", fallback: nil)]),
                    ]),
                .section(of: "vip", isInverted: true, [.text("Hi")]),
            ])
    }

    @Test func `four braces stand for two literal braces`() throws {
        #expect(try PersonalText("{{{{name}}").pieces == [Piece.text("{{name}}")])
        #expect(
            try PersonalText("{{{{{{name}}").pieces == [Piece.text("{{"), .value(of: "name", fallback: nil)])
    }

    @Test
    func `names can use letters in any script, and a combining mark after a brace hides no placeholder`()
        throws
    {
        #expect(try PersonalText("{{prénom}}").names == ["prénom"])
        #expect(try PersonalText("{{\u{301}a}}").names == ["\u{301}a"])
        #expect(try PersonalText("👩‍👩‍👧{{שם}}").names == ["שם"])
    }

    @Test func `the names in a text are listed, including those in sections`() throws {
        let text = try PersonalText("{{a}} {{b|x}} {{#c}}{{d}}{{/c}}")
        #expect(text.names == ["a", "b", "c", "d"])
    }

    @Test(arguments: [
        ("Hi {{name", 4, "is not closed by }}"),
        ("Hi {{name} in {{city}}", 4, "is not closed by }} before the next {{"),
        ("{{#vip}Dear {{/vip}}", 1, "is not closed by }} before the next {{"),
        ("{{}}", 1, "does not name a parameter"),
        ("ab{{  }}", 3, "does not name a parameter"),
        ("{{|x}}", 1, "does not name a parameter"),
        ("{{#a}}x", 1, #"section "a" is not closed"#),
        ("x{{/a}}", 2, #"closes "a", which is not open"#),
        ("{{#a}}{{#b}}{{/a}}{{/b}}", 13, #"closes "a", but "b" is open"#),
        ("{{{name}}}", 1, "a name must not contain {"),
        (
            "{{a|{{b}}}}", 1,
            "a default must not contain {{; use a section for text that depends on several parameters"
        ),
        (
            "{{a:money}}", 1,
            #""money" is not a format; allowed, directly after the colon: \#(ValueFormat.known)"#
        ),
        ("{{#a:number}}x{{/a:number}}", 1, "a name must not contain :"),
        ("{{:number}}", 1, "does not name a parameter"),
        ("é{{#}}", 2, "does not name a parameter"),
    ])
    func `text that cannot be parsed is reported with its position`(
        text: String, character: Int, problem: String
    ) {
        #expect(throws: PersonalTextError(character: character, problem: problem)) { try PersonalText(text) }
    }

    @Test func `depth, number of placeholders and number of names are limited`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "{{#a}}", count: depth) + String(repeating: "{{/a}}", count: depth)
        }
        #expect(throws: Never.self) { try PersonalText(nested(PersonalText.maximumDepth)) }
        #expect(throws: PersonalTextError.self) { try PersonalText(nested(PersonalText.maximumDepth + 1)) }
        let places = String(repeating: "{{a}}", count: PersonalText.maximumPlaces)
        #expect(throws: Never.self) { try PersonalText(places) }
        #expect(throws: PersonalTextError.self) { try PersonalText(places + "{{a}}") }
        let name = String(repeating: "n", count: PersonalText.maximumNameBytes)
        #expect(throws: Never.self) { try PersonalText("{{\(name)}}") }
        #expect(throws: PersonalTextError.self) { try PersonalText("{{\(name)n}}") }
    }
}
