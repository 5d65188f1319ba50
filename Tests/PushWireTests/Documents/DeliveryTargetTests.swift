import PushModel
import PushWire
import TestContents
import Testing

/// Tests the `target` of a delivery document, for targets other than all subscribers, lists and comparisons
/// of texts. See also ``DeliveryDocumentTests``.
@Suite struct DeliveryTargetTests {
    private static func document(_ target: String) -> [UInt8] {
        Array(#"{"label":"l","service":"s","content":{"body":"x"},"target":\#(target)}"#.utf8)
    }

    private static func target(_ text: String) throws(WireError) -> Target? {
        try DeliveryDocument.parse(document(text)).target
    }

    private static func findings(_ text: String) -> [String] {
        do {
            _ = try target(text)
            return []
        } catch {
            return error.lines
        }
    }

    private static let city = TargetExpression.compare("city", .equal, .text("Paris"))
    private static let adult = TargetExpression.compare("age", .greaterOrEqual, .integer(18))

    @Test(
        arguments: [
            (#"{"age":18}"#, .compare("age", .equal, .integer(18))),
            (#"{"vip":true,"city":"Paris"}"#, .and([.compare("vip", .equal, .boolean(true)), city])),
            (#"{"age":18.0}"#, .compare("age", .equal, .integer(18))),
            (#"{"age":0.5}"#, .compare("age", .equal, .real(0.5))),
            (#"{"and":[{"city":"Paris"},{"age":{">=":18}}]}"#, .and([city, adult])),
            (#"{"or":[{"city":"Paris"},{"age":{">=":18}}]}"#, .or([city, adult])),
            (#"{"not":{"city":"Paris"}}"#, .not(city)),
            (#"{"not":{"city":"Paris","age":{">=":18}}}"#, .not(.and([city, adult]))),
            (
                #"{"age":{">=":18,"<":65}}"#, .and([adult, .compare("age", .less, .integer(65))])
            ),
            (
                #"{"city":"Paris","age":{">=":18,"<":65},"or":[{"vip":{"exists":true}}]}"#,
                .and([city, adult, .compare("age", .less, .integer(65)), .or([.exists("vip", true)])])
            ),
            (
                #"{"city":{"in":["Paris",7,true]}}"#,
                .oneOf("city", [.text("Paris"), .integer(7), .boolean(true)])
            ),
            (#"{"vip":{"exists":false}}"#, .exists("vip", false)),
            (#"{"city":{"=":""}}"#, .compare("city", .equal, .text(""))),
            (#"{"city":{"!=":"Paris"}}"#, .compare("city", .different, .text("Paris"))),
            (#"{"since":{"<=":"2026-11-09"}}"#, .compare("since", .lessOrEqual, .text("2026-11-09"))),
            (#"{"since":{">":-1.5}}"#, .compare("since", .greater, .real(-1.5))),
            // Parameters that have the names of operators.
            (#"{"and":{"=":"x"}}"#, .compare("and", .equal, .text("x"))),
            (#"{"or":7}"#, .compare("or", .equal, .integer(7))),
            (#"{"not":"x","age":{">=":18}}"#, .and([.compare("not", .equal, .text("x")), adult])),
            (#"{"in":{"exists":true}}"#, .exists("in", true)),
        ] as [(String, TargetExpression)])
    func `the member where contains an expression over parameters`(text: String, expression: TargetExpression)
        throws
    {
        #expect(try Self.target(#"{"where":\#(text)}"#) == .matching(expression))
    }

    @Test func `an expression that only compares texts for equality becomes a plain parameter target`() throws
    {
        #expect(try Self.target(#"{"where":{"city":"Paris"}}"#) == .parameters(["city": "Paris"]))
        #expect(
            try Self.target(#"{"where":{"and":"a","or":"b","not":"c","=":"d","in":"e"}}"#)
                == .parameters(["and": "a", "or": "b", "not": "c", "=": "d", "in": "e"]))
        func many(_ count: Int) -> String {
            "{\"where\":{" + (1...count).map { #""p\#($0)":"x""# }.joined(separator: ",") + "}}"
        }
        let most = TargetExpression.maximumNodes
        #expect(try Self.target(many(most))?.parameterNames.count == most)
        #expect(Self.findings(many(most + 1)) == ["target.where.p257: \(Self.tooLong)"])
        #expect(Self.findings(many(10_000)) == ["target.where.p257: \(Self.tooLong)"])
    }

    private static let tooLong =
        "the expression has more than 256 parts (comparisons, combinations, and values of in); to send to listed recipients, use userKeys or tokens"

    private static let value = "must be a string, a number or a boolean"
    private static let objects = "must be an array of objects, such as [{…}, {…}], not an object"

    @Test(
        arguments: [
            ("[]", "target.where: must be an object, not an array"),
            (
                #"{"a":{}}"#,
                "target.where.a: has no operator; allowed: =, !=, <, <=, >, >=, contains, startsWith, between, in, exists"
            ),
            (
                #"{"a":{"~":1}}"#,
                "target.where.a.~: unknown; allowed: =, !=, <, <=, >, >=, contains, startsWith, between, in, exists"
            ),
            (
                #"{"a":[1]}"#,
                #"target.where.a: \#(value), not an array; for any of several values, use {"in": […]}"#
            ),
            (#"{"or":{"a":1}}"#, "target.where.or: \(objects)"),
            (#"{"and":{"a":{"in":[1]},"=":2}}"#, "target.where.and: \(objects)"),
            (#"{"a":null}"#, "target.where.a: \(value), not null"),
            (#"{"a":"","b":1}"#, "target.where.a: must not be empty"),
            (#"{"a":{"=":null}}"#, "target.where.a.=: \(value), not null"),
            (#"{"a":{"=":{}}}"#, "target.where.a.=: \(value), not an object"),
            (#"{"a":{"<":true}}"#, "target.where.a.<: must be a string or a number, not a boolean"),
            (
                #"{"a":{"in":"x"}}"#,
                "target.where.a.in: must be an array of strings, numbers or booleans, not a string"
            ),
            (#"{"a":{"in":[]}}"#, "target.where.a.in: must have at least 1 entry, not 0"),
            (#"{"a":{"in":["x",null]}}"#, "target.where.a.in[1]: \(value), not null"),
            (#"{"a":{"exists":"yes"}}"#, "target.where.a.exists: must be true or false, not a string"),
            (#"{"and":[]}"#, "target.where.and: must have at least 1 entry, not 0"),
            (#"{"or":[{"a":1},7]}"#, "target.where.or[1]: must be an object, not an integer"),
            (
                #"{"and":[{}]}"#,
                #"target.where.and[0]: does not name a parameter; to select all subscribers, use {"all": true}"#
            ),
            (
                #"{"not":{}}"#,
                #"target.where.not: does not name a parameter; to select all subscribers, use {"all": true}"#
            ),
            (
                #"{"not":[{"a":1}]}"#,
                #"target.where.not: must be an object, not an array; for several conditions, use {"or": […]}"#
            ),
            (
                #"{"in":["Paris"]}"#,
                "target.where.in: an operator without a parameter; write it in an object that is the parameter's value"
            ),
            (
                #"{">=":18}"#,
                "target.where.>=: an operator without a parameter; write it in an object that is the parameter's value"
            ),
            (
                #"{"not":{"exists":true}}"#,
                "target.where.not.exists: an operator without a parameter; write it in an object that is the parameter's value"
            ),
        ])
    func `an invalid expression is refused with its position`(text: String, finding: String) {
        #expect(Self.findings(#"{"where":\#(text)}"#) == [finding])
    }

    @Test func `all errors in an expression are reported together`() {
        #expect(
            Self.findings(#"{"where":{"a":{"<":true,"in":[]},"or":[{"b":null},{"not":{"c":{"exists":1}}}]}}"#)
                .count == 4)
    }

    @Test func `an expression may reach the maximum depth and length, but no more`() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: #"{"and":["#, count: levels - 1) + #"{"a":{"in":[1]}}"#
                + String(repeating: "]}", count: levels - 1)
        }
        let deepest = TargetExpression.maximumDepth
        #expect(throws: Never.self) { try Self.target("{\"where\":\(nested(deepest))}") }
        let path = "target.where" + String(repeating: ".and[0]", count: deepest)
        #expect(
            Self.findings("{\"where\":\(nested(deepest + 1))}") == ["\(path): nested deeper than 16 levels"])
        let nots =
            String(repeating: #"{"not":"#, count: deepest) + #"{"a":1}"#
            + String(repeating: "}", count: deepest)
        #expect(Self.findings("{\"where\":\(nots)}").count == 1)

        let most = TargetExpression.maximumNodes
        func values(_ count: Int) -> String { (1...count).map(String.init).joined(separator: ",") }
        // The comparison itself is counted, too.
        #expect(throws: Never.self) { try Self.target(#"{"where":{"a":{"in":[\#(values(most - 1))]}}}"#) }
        #expect(
            Self.findings(#"{"where":{"a":{"in":[\#(values(most))]},"b":1,"c":2}}"#)
                == ["target.where.a.in[255]: \(Self.tooLong)"])
        let parts = (1...most).map { #"{"p\#($0)":1}"# }.joined(separator: ",")
        #expect(
            Self.findings(#"{"where":{"or":[\#(parts)]}}"#) == ["target.where.or[255].p256: \(Self.tooLong)"])
        let terms = (1...10_000).map { #"{"p":{"between":[1,\#($0)]}}"# }.joined(separator: ",")
        #expect(
            Self.findings(#"{"where":{"or":[\#(terms)]}}"#)
                == ["target.where.or[127].p.between: \(Self.tooLong)"])
    }

    // MARK: - Openers and refinements

    @Test func `a target selects users who opened a delivery, or users who did not`() throws {
        #expect(try Self.target(#"{"recipientsOf":7}"#) == Target(.recipients(of: DeliveryID(rawValue: 7))))
        #expect(try Self.target(#"{"openersOf":7}"#) == Target(.openers(of: DeliveryID(rawValue: 7))))
        #expect(try Self.target(#"{"nonOpenersOf":7}"#) == Target(.nonOpeners(of: DeliveryID(rawValue: 7))))
    }

    @Test func `a target excludes the users that it names, and can select a share`() throws {
        let both = Target.Exclusion(userKeys: ["a", "b"], tokens: ["t"])
        #expect(
            try Self.target(#"{"all":true,"exclude":{"userKeys":["a","b"],"tokens":["t"]}}"#)
                == Target(.all, excluding: both))
        #expect(
            try Self.target(#"{"userKeys":["c"],"exclude":{"tokens":["t"]}}"#)
                == Target(.userKeys(["c"]), excluding: Target.Exclusion(tokens: ["t"])))
        #expect(
            try Self.target(#"{"where":{"a":"x"},"sample":0.1}"#)
                == Target(.parameters(["a": "x"]), sample: TargetSample(share: 100_000)))
        #expect(
            try Self.target(#"{"all":true,"sample":{"share":0.333333,"seed":7,"from":0.666667}}"#)
                == Target(.all, sample: TargetSample(share: 333_333, from: 666_667, seed: 7)))
        #expect(try Self.target(#"{"all":true,"oncePerUser":true}"#)?.isOncePerUser == true)
        #expect(try Self.target(#"{"openersOf":7,"oncePerUser":false}"#)?.isOncePerUser == false)
        #expect(
            try Self.target(#"{"all":true,"sample":{"share":1}}"#)
                == Target(.all, sample: TargetSample(share: 1_000_000)))
        #expect(
            try Self.target(#"{"all":true,"sample":0.000001}"#)
                == Target(.all, sample: TargetSample(share: 1)))
    }

    /// Every share with six decimals is read exactly as it is written.
    @Test func `shares are parsed without rounding`() throws {
        for share in stride(from: 1, through: 1_000_000, by: 997) {
            let digits = String(share + 10_000_000).dropFirst(2)
            let text = share == 1_000_000 ? "1.000000" : "0.\(digits)"
            #expect(
                try Self.target("{\"all\":true,\"sample\":\(text)}")
                    == Target(.all, sample: TargetSample(share: share)))
        }
    }

    private static let share = "must be a number greater than 0 and up to 1, with at most 6 decimal places"

    @Test(
        arguments: [
            (
                #"{"openersOf":0}"#,
                "target.openersOf: must be an integer from 1 to 2147483647"
            ),
            (
                #"{"nonOpenersOf":"7"}"#,
                "target.nonOpenersOf: must be an integer from 1 to 2147483647, not a string"
            ),
            (
                #"{"openersOf":1,"nonOpenersOf":1}"#,
                "target: must have exactly one of all, userKeys, tokens, recipients, where, recipientsOf, openersOf, nonOpenersOf, and, or, not; to combine several, use {\"and\": […]} or {\"or\": […]}"
            ),
            (
                #"{"exclude":{"userKeys":["a"]}}"#,
                "target: must have exactly one of all, userKeys, tokens, recipients, where, recipientsOf, openersOf, nonOpenersOf, and, or, not"
            ),
            (#"{"all":true,"exclude":["a"]}"#, "target.exclude: must be an object, not an array"),
            (
                #"{"all":true,"exclude":{}}"#,
                "target.exclude: is empty; add userKeys, tokens, where, an earlier delivery, or and, or and not"
            ),
            (
                #"{"all":true,"exclude":{"userKeys":[]}}"#,
                "target.exclude.userKeys: must have 1 to 10000 entries, not 0"
            ),
            (#"{"all":true,"exclude":{"tokens":["a","a"]}}"#, "target.exclude.tokens[1]: given twice"),
            (
                #"{"all":true,"exclude":{"tokens":["a"],"where":{}}}"#,
                #"target.exclude.where: does not name a parameter; to select all subscribers, use {"all": true}"#
            ),
            (#"{"all":true,"sample":"10%"}"#, "target.sample: \(share), not a string"),
            (#"{"all":true,"sample":0}"#, "target.sample: \(share)"),
            (#"{"all":true,"sample":1.5}"#, "target.sample: \(share)"),
            (#"{"all":true,"sample":-0.1}"#, "target.sample: \(share)"),
            (#"{"all":true,"sample":0.1234567}"#, "target.sample: \(share)"),
            (#"{"all":true,"sample":1e300}"#, "target.sample: \(share)"),
            (#"{"all":true,"sample":{}}"#, "target.sample.share: missing"),
            (
                #"{"all":true,"oncePerUser":1}"#,
                "target.oncePerUser: must be true or false, not an integer"
            ),
            (
                #"{"openersOf":7,"oncePerUser":true}"#,
                "target.oncePerUser: cannot be combined with openersOf, whose messages determine the recipients; remove one of the two"
            ),
            (#"{"all":true,"sample":{"share":true}}"#, "target.sample.share: \(share), not a boolean"),
            (
                #"{"all":true,"sample":{"share":0.1,"from":1}}"#,
                "target.sample.from: must be a number from 0 to less than 1, with at most 6 decimal places"
            ),
            (
                #"{"all":true,"sample":{"share":0.6,"from":0.5}}"#,
                "target.sample: the sum of from and share must not exceed 1"
            ),
            (
                #"{"all":true,"sample":{"share":0.1,"seed":-1}}"#,
                "target.sample.seed: must be an integer from 0 to 9007199254740991"
            ),
            (
                #"{"all":true,"sample":{"share":0.1,"to":1}}"#,
                "target.sample.to: unknown; allowed: share, seed, from"
            ),
        ])
    func `an error in a target is reported with its position`(text: String, finding: String) {
        #expect(Self.findings(text) == [finding])
    }

    @Test func `recipients are listed with their own variables`() throws {
        let target = try #require(
            try Self.target(
                #"{"recipients":[{"userKey":"anna","variables":{"code":"7\"","n":3,"vip":true,"none":""}},"#
                    + #"{"userKey":"bob"}],"oncePerUser":true}"#))
        #expect(target.base == .userKeys(["anna", "bob"]) && target.isOncePerUser)
        let variables = try #require(target.variables)
        #expect(variables.names == ["code", "n", "none", "vip"])
        #expect(
            variables.byRecipient == [ExactText("anna"): Array(#"{"code":"7\"","n":"3","vip":"true"}"#.utf8)])
        let tokens = try Self.target(#"{"recipients":[{"token":"AB"},{"token":"cd","variables":{}}]}"#)
        #expect(tokens == .tokens(["AB", "cd"]))
    }

    @Test(
        arguments: [
            (#"{"recipients":{}}"#, ["target.recipients: must be an array of objects, not an object"]),
            (#"{"recipients":[]}"#, ["target.recipients: must have 1 to 10000 entries, not 0"]),
            (#"{"recipients":["anna"]}"#, ["target.recipients[0]: must be an object, not a string"]),
            (#"{"recipients":[{"variables":{"a":"b"}}]}"#, ["target.recipients[0].userKey: missing"]),
            (
                #"{"recipients":[{"customerId":"C-1"}]}"#,
                [
                    "target.recipients[0].customerId: unknown; allowed: userKey, variables",
                    "target.recipients[0].userKey: missing",
                    "target.recipients[0]: is identified by a user key or a token; to choose subscribers by a "
                        + #"parameter, use {"where": {"NAME": {"in": […]}}}"#,
                ]
            ),
            (#"{"recipients":[{"userKey":""}]}"#, ["target.recipients[0].userKey: must not be empty"]),
            (
                #"{"recipients":[{"userKey":"a"},{"token":"b"}]}"#,
                [
                    "target.recipients[1].token: unknown; allowed: userKey, variables",
                    "target.recipients[1].userKey: missing",
                ]
            ),
            (
                #"{"recipients":[{"userKey":"a"},{"userKey":"a","variables":{"x":"y"}}]}"#,
                ["target.recipients[1].userKey: given twice"]
            ),
            (
                #"{"recipients":[{"userKey":"a","variables":["x"]}]}"#,
                ["target.recipients[0].variables: must be an object, not an array"]
            ),
            (
                #"{"recipients":[{"userKey":"a","variables":{"x":1.50,"y":null,"z":{},"":"w"}}]}"#,
                [
                    "target.recipients[0].variables.x: a fraction; write it as a string with the exact digits",
                    "target.recipients[0].variables.y: must be a string, an integer or a boolean, not null",
                    "target.recipients[0].variables.z: must be a string, an integer or a boolean, not an object",
                    "target.recipients[0].variables: a variable has no name",
                ]
            ),
            (
                #"{"recipients":[{"userKey":"a","variables":{"x":"\#(String(repeating: "y", count: 4_096))"}}]}"#,
                ["target.recipients[0].variables: must have at most 4096 bytes, not 4104"]
            ),
            (
                #"{"recipients":[{"userKey":"a"}],"all":true}"#,
                [
                    "target: must have exactly one of all, userKeys, tokens, recipients, where, recipientsOf, openersOf, nonOpenersOf, and, or, not; to combine several, use {\"and\": […]} or {\"or\": […]}"
                ]
            ),
        ] as [(String, [String])])
    func `an error in recipients is reported with its position`(text: String, findings: [String]) {
        #expect(Self.findings(text) == findings)
    }

    @Test func `ten thousand exclusions are accepted, and one more exclusion is refused`() {
        let keys = (0..<Target.maximumListed).map { "\"k\($0)\"" }.joined(separator: ",")
        #expect(Self.findings(#"{"all":true,"exclude":{"userKeys":[\#(keys)]}}"#) == [])
        #expect(
            Self.findings(#"{"all":true,"exclude":{"userKeys":[\#(keys),"one more"]}}"#)
                == ["target.exclude.userKeys: must have 1 to 10000 entries, not 10001"])
    }

    @Test func `findings do not repeat any value`() {
        let secret = "SECRETVALUE"
        let findings = Self.findings(
            #"{"where":{"a":["\#(secret)"],"b":{"<":{"c":"\#(secret)"}},"d":{"in":"\#(secret)"}},"#
                + #""exclude":{"userKeys":["\#(secret)","\#(secret)"]},"sample":"\#(secret)"}"#)
        #expect(findings.count == 5)
        for finding in findings { #expect(!finding.contains(secret), "\(finding)") }
    }
}
