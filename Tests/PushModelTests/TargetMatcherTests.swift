import PushModel
import Testing

@Suite struct TargetMatcherTests {
    private static func matches(_ expression: TargetExpression, _ parameters: String) -> Bool {
        var matcher = TargetMatcher(expression)
        return matcher.matches(Array(parameters.utf8).span)
    }

    private static func test(_ comparison: TargetComparison, _ value: TargetValue) -> TargetExpression {
        .compare("p", comparison, value)
    }

    /// The value of `p`, a comparison, and its result. If the value is `nil`, the parameter is absent.
    @Test(
        arguments: [
            ("Paris", test(.equal, .text("Paris")), true), ("Paris", test(.equal, .text("paris")), false),
            ("Paris ", test(.equal, .text("Paris")), false), ("", test(.equal, .text("")), true),
            ("Paris", test(.different, .text("Paris")), false),
            ("Rome", test(.different, .text("Paris")), true),
            (nil, test(.equal, .text("Paris")), false), (nil, test(.different, .text("Paris")), true),
            (nil, test(.equal, .text("")), false), (nil, test(.less, .text("x")), false),
            (nil, test(.greaterOrEqual, .integer(0)), false), (nil, test(.different, .integer(1)), true),
            // Composed and decomposed characters are two different texts.
            ("e\u{301}", test(.equal, .text("\u{e9}")), false),
            ("\u{e9}", test(.equal, .text("\u{e9}")), true),
            // Numbers in any notation.
            ("18", test(.equal, .integer(18)), true), ("18.0", test(.equal, .integer(18)), true),
            ("1.8e1", test(.equal, .integer(18)), true), ("-0", test(.equal, .integer(0)), true),
            ("0.1", test(.equal, .real(0.1)), true), ("18", test(.different, .integer(18)), false),
            ("x", test(.different, .integer(18)), true), ("x", test(.equal, .integer(18)), false),
            // A text is compared as text, even if it looks like a number.
            ("18.0", test(.equal, .text("18")), false), ("018", test(.equal, .text("018")), true),
            // Only the number format of JSON is accepted as a number.
            ("018", test(.equal, .integer(18)), false), ("+18", test(.equal, .integer(18)), false),
            (" 18", test(.equal, .integer(18)), false), ("18.", test(.equal, .integer(18)), false),
            (".5", test(.equal, .real(0.5)), false), ("0x12", test(.equal, .integer(18)), false),
            ("1e", test(.equal, .integer(1)), false), ("-", test(.less, .integer(1)), false),
            ("nan", test(.less, .integer(1)), false), ("inf", test(.greater, .integer(1)), false),
            ("1e999", test(.greater, .integer(1)), false), ("", test(.less, .integer(1)), false),
            // If both values are integers, all digits are compared.
            ("9007199254740993", test(.equal, .integer(9_007_199_254_740_992)), false),
            ("9007199254740993", test(.greater, .integer(9_007_199_254_740_992)), true),
            ("9223372036854775808", test(.greater, .integer(.max)), false),
            ("18", test(.less, .integer(18)), false), ("18", test(.lessOrEqual, .integer(18)), true),
            ("9", test(.less, .integer(18)), true), ("9", test(.less, .text("18")), false),
            ("18", test(.greater, .real(17.5)), true), ("18", test(.greaterOrEqual, .real(18.5)), false),
            ("-3", test(.less, .integer(0)), true), ("many", test(.less, .integer(18)), false),
            ("many", test(.greater, .integer(18)), false),
            // Texts are compared by their bytes, so ISO 8601 dates are in chronological order.
            ("2026-11-09", test(.less, .text("2026-11-10")), true),
            ("2026-11-10", test(.lessOrEqual, .text("2026-11-10")), true),
            ("2026-11-10T08:00:00Z", test(.greater, .text("2026-11-10")), true),
            ("2026-11-10", test(.greaterOrEqual, .text("2026-11-10")), true),
            ("a", test(.greater, .text("Z")), true), ("\u{e9}", test(.greater, .text("z")), true),
            ("", test(.less, .text("a")), true),
            ("true", test(.equal, .boolean(true)), true), ("True", test(.equal, .boolean(true)), false),
            ("false", test(.different, .boolean(true)), true), ("1", test(.equal, .boolean(true)), false),
            ("Lyon", .oneOf("p", [.text("Paris"), .text("Lyon")]), true),
            ("Rome", .oneOf("p", [.text("Paris"), .text("Lyon")]), false),
            ("7.0", .oneOf("p", [.text("x"), .integer(7)]), true), (nil, .oneOf("p", [.text("")]), false),
            ("", .exists("p", true), true), ("", .exists("p", false), false),
            (nil, .exists("p", true), false),
            (nil, .exists("p", false), true),
        ] as [(String?, TargetExpression, Bool)])
    func `a parameter is compared as the type of the expected value`(
        given: String?, expression: TargetExpression, isMatch: Bool
    ) {
        var bytes: [UInt8] = []
        if let given {
            JSONText.append(given, to: &bytes)
            bytes = Array(#"{"a":"1","p":"#.utf8) + bytes + Array("}".utf8)
        } else {
            bytes = Array(#"{"a":"1","q":"2"}"#.utf8)
        }
        let parameters = String(decoding: bytes, as: UTF8.self)
        #expect(Self.matches(expression, parameters) == isMatch)
        #expect(Self.matches(.not(expression), parameters) != isMatch)
    }

    @Test func `expressions can be combined`() {
        let paris = TargetExpression.compare("city", .equal, .text("Paris"))
        let adult = TargetExpression.compare("age", .greaterOrEqual, .integer(18))
        let both = #"{"city":"Paris","age":"20"}"#
        let one = #"{"city":"Paris","age":"7"}"#
        let none = #"{"city":"Rome"}"#
        let all = [both, one, none]
        func matched(_ expression: TargetExpression) -> [Bool] { all.map { Self.matches(expression, $0) } }
        #expect(matched(.and([paris, adult])) == [true, false, false])
        #expect(matched(.or([paris, adult])) == [true, true, false])
        #expect(matched(.not(.and([paris, adult]))) == [false, true, true])
        #expect(matched(.and([paris, .not(adult)])) == [false, true, false])
        #expect(matched(.or([.not(paris), .and([paris, adult])])) == [true, false, true])
        // The negation of a comparison is true for a recipient who does not have the parameter.
        #expect(matched(.not(adult)) == [false, true, true])
    }

    @Test(
        arguments: [
            "", "not json", "[]", "7", "null", #""p""#, "{", #"{"p":"1""#, #"{"p":"1"} x"#, #"{"p":"1",}"#,
            #"{"p" "1"}"#, "{\"p\":\"a\nb\"}", #"{"p":"\x"}"#, #"{"p":"\u12"}"#, #"{p:"1"}"#,
            #"{"p":"1","q":nul}"#, "[" + String(repeating: "[", count: 200),
        ])
    func `a text that is not a JSON object contains no parameters`(parameters: String) {
        #expect(!Self.matches(.exists("p", true), parameters))
        #expect(Self.matches(.exists("p", false), parameters))
        #expect(Self.matches(.compare("p", .different, .text("1")), parameters))
    }

    @Test(
        arguments: [
            (#"{"p":7}"#, false), (#"{"p":null}"#, false), (#"{"p":["x"],"q":"y"}"#, false),
            (#" { "p" : "x" , "q" : { "p" : [ true , false , null , -1.5e3 ] } } "#, true),
            (#"{"q":{},"r":[],"p":"x"}"#, true), (#"{"p":"a","p":"x"}"#, true),
            (#"{"p":"x","p":"a"}"#, false),
            (#"{"\u0070":"\u0078"}"#, true), (#"{"p":"x","p":7}"#, false),
        ])
    func `only text values are parameters, however the object is written`(parameters: String, isMatch: Bool) {
        #expect(Self.matches(.compare("p", .equal, .text("x")), parameters) == isMatch)
    }

    @Test func `every text is read back exactly as written`() {
        for text in ["\"\\/\u{8}\u{c}\n\r\t\u{1f}", "ü€🎉", "\u{2028}", "a b"] {
            var bytes: [UInt8] = []
            JSONText.append(text, to: &bytes)
            let object =
                "{" + String(decoding: bytes, as: UTF8.self) + ":"
                + String(decoding: bytes, as: UTF8.self) + "}"
            #expect(Self.matches(.compare(text, .equal, .text(text)), object), "\(text)")
        }
        #expect(Self.matches(.compare("p", .equal, .text("🎉é")), #"{"p":"\uD83C\uDF89\u00e9"}"#))
        #expect(Self.matches(.compare("p", .equal, .text("\u{FFFD}x")), #"{"p":"\uD83Cx"}"#))
        #expect(Self.matches(.compare("p", .equal, .text("\u{FFFD}A")), #"{"p":"\uD83C\u0041"}"#))
    }

    @Test func `one subscription's parameters are cleared before the next subscription`() {
        var matcher = TargetMatcher(
            .or([.compare("p", .equal, .text("x")), .compare("q", .less, .integer(5))]))
        var matched: [Bool] = []
        for parameters in [#"{"p":"x","q":"7"}"#, "{}", #"{"q":"4"}"#, #"{"q":"4"#, #"{"q":"x"}"#] {
            matched.append(matcher.matches(Array(parameters.utf8).span))
        }
        #expect(matched == [true, false, true, false, false])
    }
}
