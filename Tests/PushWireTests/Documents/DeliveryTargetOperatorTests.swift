import PushModel
import PushWire
import TestContents
import Testing

/// Tests the operators of `where` that search texts and ranges. See also ``DeliveryTargetTests``.
@Suite struct DeliveryTargetOperatorTests {
    private static func target(_ text: String) throws(WireError) -> Target? {
        try DeliveryDocument.parse(
            Array(#"{"label":"l","service":"s","content":{"body":"x"},"target":\#(text)}"#.utf8)
        ).target
    }

    private static func findings(_ text: String) -> [String] {
        do {
            _ = try target(text)
            return []
        } catch {
            return error.lines
        }
    }

    @Test func `the operators for texts and ranges become comparisons`() throws {
        #expect(
            try Self.target(#"{"where":{"city":{"contains":"50%_"}}}"#)
                == .matching(.compare("city", .contains, .text("50%_"))))
        #expect(
            try Self.target(#"{"where":{"city":{"startsWith":"P","exists":true}}}"#)
                == .matching(.and([.compare("city", .startsWith, .text("P")), .exists("city", true)])))
        func range(_ first: TargetValue, _ last: TargetValue) -> [TargetExpression] {
            [.compare("a", .greaterOrEqual, first), .compare("a", .lessOrEqual, last)]
        }
        #expect(
            try Self.target(#"{"where":{"a":{"between":[18,18.5]}}}"#)
                == .matching(.and(range(.integer(18), .real(18.5)))))
        #expect(
            try Self.target(#"{"where":{"a":{"between":["-7d","2026-01-31"],"!=":"x"}}}"#)
                == .matching(
                    .and(range(.text("-7d"), .text("2026-01-31")) + [.compare("a", .different, .text("x"))])))
        // A fact is not a plain parameter, even if it is only compared with a text.
        #expect(
            try Self.target(#"{"where":{"osName":"iOS","city":"Paris"}}"#)
                == .matching(
                    .and([
                        .compare("osName", .equal, .text("iOS")), .compare("city", .equal, .text("Paris")),
                    ])))
    }

    private static let ends =
        "must be an array of two numbers or of two strings: the first and the last value"

    @Test(
        arguments: [
            (#"{"a":{"contains":5}}"#, "target.where.a.contains: must be a string, not an integer"),
            (#"{"a":{"contains":""}}"#, "target.where.a.contains: must not be empty"),
            (#"{"a":{"startsWith":["x"]}}"#, "target.where.a.startsWith: must be a string, not an array"),
            (#"{"a":{"startsWith":null}}"#, "target.where.a.startsWith: must be a string, not null"),
            (#"{"a":{"between":5}}"#, "target.where.a.between: \(ends)"),
            (#"{"a":{"between":[1]}}"#, "target.where.a.between: \(ends)"),
            (#"{"a":{"between":[1,"x"]}}"#, "target.where.a.between: \(ends)"),
            (
                #"{"a":{"between":[true,false]}}"#,
                "target.where.a.between[0]: must be a string or a number, not a boolean"
            ),
            (
                #"{"a":{"between":[2,1]}}"#,
                "target.where.a.between: the first value is greater than the second"
            ),
            (
                #"{"a":{"between":["0d","-7d"]}}"#,
                "target.where.a.between: the first value is greater than the second"
            ),
            (
                #"{"contains":["x"]}"#,
                "target.where.contains: an operator without a parameter; write it in an object that is the parameter's value"
            ),
        ])
    func `an invalid search or range is refused with its position`(text: String, finding: String) {
        #expect(Self.findings(#"{"where":\#(text)}"#) == [finding])
    }
}
