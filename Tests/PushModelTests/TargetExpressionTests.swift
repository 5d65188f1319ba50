import Foundation
import PushModel
import Testing

@Suite struct TargetExpressionTests {
    private static let all: [TargetExpression] = [
        .compare("city", .equal, .text("Paris")), .compare("city", .different, .text("")),
        .compare("age", .less, .integer(18)), .compare("age", .lessOrEqual, .integer(.min)),
        .compare("age", .greater, .real(1.5)), .compare("age", .greaterOrEqual, .real(-1e300)),
        .compare("vip", .equal, .boolean(true)), .compare("vip", .different, .boolean(false)),
        .oneOf("city", [.text("Paris"), .integer(7), .real(0.1), .boolean(true)]), .exists("vip", false),
        // Names that have another meaning in the stored form.
        .compare("and", .equal, .text("\"\\/\n")), .compare("not", .equal, .text("x")), .exists("in", true),
        .compare("parameter", .equal, .text("parameter")), .compare("=", .equal, .text("=")),
        .compare("city", .contains, .text("%")), .compare("city", .startsWith, .text("-7d")),
        .compare("since", .less, TargetDate("-7d").map(TargetValue.date) ?? .text("")),
        .oneOf("since", [TargetDate("2026-01-31").map(TargetValue.date) ?? .text(""), .text("2026-01-31")]),
        .not(.or([.and([.exists("a", true), .exists("b", true)]), .not(.exists("ü🎉", true))])),
    ]

    @Test(arguments: all)
    func `an expression is unchanged after it is stored and read`(expression: TargetExpression) throws {
        let stored = try JSONEncoder().encode(expression)
        #expect(try JSONDecoder().decode(TargetExpression.self, from: stored) == expression)
    }

    @Test func `the deepest expression that a document may contain is unchanged after it is stored and read`()
        throws
    {
        var expression = TargetExpression.exists("a", true)
        for _ in 1..<TargetExpression.maximumDepth {
            expression = .and([.and([expression, .exists("b", true)]), .exists("c", true)])
        }
        let stored = try JSONEncoder().encode(expression)
        #expect(try JSONDecoder().decode(TargetExpression.self, from: stored) == expression)
    }

    @Test(
        arguments: [
            "", "7", "[]", "{}", "null", #""city""#, #"{"city":"Paris"}"#, #"{"parameter":"city"}"#,
            #"{"parameter":7,"=":"x"}"#, #"{"parameter":"city","=":null}"#, #"{"parameter":"city","=":{}}"#,
            #"{"parameter":"city","in":"x"}"#, #"{"parameter":"city","exists":"yes"}"#,
            #"{"parameter":"a","<":{"date":"x"}}"#, #"{"parameter":"a","<":{"date":7}}"#,
            #"{"parameter":"city","~":"x"}"#, #"{"and":{}}"#, #"{"or":[7]}"#, #"{"not":[]}"#,
            String(repeating: #"{"not":"#, count: 400) + "{}" + String(repeating: "}", count: 400),
            String(repeating: #"{"not":"#, count: 400) + #"{"parameter":"a","exists":true}"#
                + String(repeating: "}", count: 400),
        ])
    func `a damaged expression causes an error`(stored: String) {
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(TargetExpression.self, from: Data(stored.utf8))
        }
    }

    @Test func `each number has exactly one representation`() {
        #expect(TargetValue.number(18) == .integer(18))
        #expect(TargetValue.number(-0.0) == .integer(0))
        #expect(TargetValue.number(0.5) == .real(0.5))
        #expect(TargetValue.number(1e300) == .real(1e300))
        #expect(TargetValue.number(.infinity) == nil)
        #expect(TargetValue.number(.nan) == nil)
    }

    @Test func `an expression is described in words`() {
        let adult = TargetExpression.compare("age", .greaterOrEqual, .integer(18))
        let paris = TargetExpression.compare("city", .equal, .text("Paris"))
        let vip = TargetExpression.exists("vip", true)
        #expect(
            "\(TargetExpression.and([paris, .or([adult, vip])]))"
                == "city = Paris and (age >= 18 or vip exists)")
        #expect(
            "\(TargetExpression.or([.and([paris, adult]), vip]))"
                == "(city = Paris and age >= 18) or vip exists")
        #expect("\(TargetExpression.not(.or([paris, vip])))" == "not (city = Paris or vip exists)")
        #expect(
            "\(TargetExpression.and([.and([paris, adult]), .not(vip)]))"
                == "city = Paris and age >= 18 and not (vip exists)")
        #expect("\(TargetExpression.and([.or([paris])]))" == "city = Paris")
        #expect(
            "\(TargetExpression.oneOf("city", [.text("Paris"), .integer(7), .boolean(true), .real(0.5)]))"
                == "city in (Paris, 7, true, 0.5)")
        #expect("\(TargetExpression.exists("vip", false))" == "vip does not exist")
    }

    @Test func `an expression lists the parameters that it uses`() {
        let expression = TargetExpression.or([
            .not(.exists("b", true)), .and([.compare("c", .equal, .text("x")), .oneOf("a", [.integer(1)])]),
            .exists("b", false),
        ])
        #expect(Target.matching(expression).parameterNames == ["a", "b", "c"])
        #expect(Target.parameters(["x": "1", "a": "2"]).parameterNames == ["a", "x"])
        #expect(Target.all.parameterNames.isEmpty && Target.userKeys(["a"]).parameterNames.isEmpty)
    }
}
