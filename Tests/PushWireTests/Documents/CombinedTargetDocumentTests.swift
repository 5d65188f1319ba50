import PushModel
import PushWire
import TestContents
import Testing

/// Tests the members `and`, `or`, `not` and `exclude` of a document's `target`. See also
/// ``DeliveryTargetTests``.
@Suite struct CombinedTargetDocumentTests {
    private static func target(
        _ text: String, _ source: DeliveryDocument.TargetSource = .document
    ) throws(WireError) -> DeliveryDocument {
        try DeliveryDocument.parse(
            Array(#"{"label":"l","service":"s","content":{"body":"x"},"target":\#(text)}"#.utf8),
            target: source)
    }

    private static func findings(_ text: String) -> [String] {
        do {
            _ = try target(text)
            return []
        } catch {
            return error.lines
        }
    }

    private static let delivery = DeliveryID(rawValue: 7)
    private static let opened = TargetSet.sent(.openers, of: delivery)
    private static let adult = TargetSet.matching(.compare("age", .greaterOrEqual, .integer(18)))
    private static let paris = TargetSet.matching(.and([.compare("city", .equal, .text("Paris"))]))

    @Test(
        arguments: [
            (#"{"and":[{"where":{"age":{">=":18}}},{"openersOf":7}]}"#, .and([adult, opened])),
            (
                #"{"or":[{"all":true},{"userKeys":["a","b"]},{"tokens":["t"]}]}"#,
                .or([.all, list, .tokens(["t"])])
            ),
            (#"{"not":{"openersOf":7}}"#, .not(opened)),
            (#"{"not":{"and":[{"where":{"city":"Paris"}}]}}"#, .not(.and([paris]))),
            (
                #"{"and":[{"recipientsOf":7},{"or":[{"not":{"nonOpenersOf":7}},{"where":{"city":"Paris"}}]}]}"#,
                .and([
                    .sent(.recipients, of: delivery), .or([.not(.sent(.nonOpeners, of: delivery)), paris]),
                ])
            ),
        ] as [(String, TargetSet)])
    func `a target combines choosers`(text: String, set: TargetSet) throws {
        #expect(try Self.target(text).target == Target(.combined(set)))
    }

    private static let list = TargetSet.userKeys(["a", "b"])

    @Test func `an exclusion contains any chooser or combination`() throws {
        let target = try Self.target(
            #"{"where":{"age":{">=":18}},"exclude":{"userKeys":["a"],"openersOf":7,"#
                + #""not":{"where":{"city":"Paris"}}},"sample":0.5,"oncePerUser":true}"#
        ).target
        var wanted = Target(
            .matching(.compare("age", .greaterOrEqual, .integer(18))),
            excluding: Target.Exclusion(userKeys: ["a"], sets: [Self.opened, .not(Self.paris)]),
            sample: TargetSample(share: 500_000))
        wanted.isOncePerUser = true
        #expect(target == wanted)
        #expect(target?.parameterNames == ["age", "city"])
        #expect(target?.groups.map(\.place) == ["target.exclude.openersOf"])
        // A file of recipients can be combined with other sets in this way.
        let refined = try Self.target(#"{"exclude":{"not":{"openersOf":7}}}"#, .elsewhere)
        #expect(refined.target == nil && refined.refinement.exclusion.sets == [.not(Self.opened)])
    }

    private static let combinations = "where, recipientsOf, openersOf, nonOpenersOf, and, or, not"
    private static let members = "all, userKeys, tokens, \(combinations)"
    private static let exclude =
        #"to leave out some of the recipients, use exclude, such as {"exclude": {"not": {"where": {…}}}}"#
    private static let notHere =
        "cannot be part of a combination; use it as a member of target, next to the combination"

    @Test(
        arguments: [
            (#"{"and":[]}"#, "target.and: must have at least 1 entry, not 0"),
            (#"{"or":[]}"#, "target.or: must have at least 1 entry, not 0"),
            (#"{"all":true,"exclude":{"or":[]}}"#, "target.exclude.or: must have at least 1 entry, not 0"),
            (
                #"{"and":{"all":true}}"#,
                "target.and: must be an array of objects, such as [{…}, {…}], not an object"
            ),
            (#"{"not":[{"all":true}]}"#, "target.not: must be an object, not an array"),
            (#"{"and":["all"]}"#, "target.and[0]: must be an object, not a string"),
            (
                #"{"or":[{}]}"#,
                #"target.or[0]: must have exactly one of \#(members); to combine several, use {"and": […]}"#
            ),
            (
                #"{"or":[{"all":true,"openersOf":7}]}"#,
                #"target.or[0]: must have exactly one of \#(members); to combine several, use {"and": […]}"#
            ),
            (#"{"or":[{"every":true}]}"#, "target.or[0].every: unknown; allowed: \(members)"),
            (
                #"{"or":[{"recipients":[{"userKey":"a"}]}]}"#,
                "target.or[0].recipients: cannot be part of a combination; use it as a member of target, in "
                    + "place of the combination; \(exclude)"
            ),
            (
                #"{"and":[{"all":true,"sample":0.5}]}"#,
                "target.and[0].sample: \(notHere)"
            ),
            (
                #"{"not":{"openersOf":"secret"}}"#,
                "target.not.openersOf: must be an integer from 1 to 2147483647, not a string"
            ),
            (
                #"{"and":[{"where":{}}]}"#,
                #"target.and[0].where: does not name a parameter; to select all subscribers, use {"all": true}"#
            ),
            (#"{"and":[{"all":false}]}"#, "target.and[0].all: must be true, not false"),
            (#"{"not":{"userKeys":["a","a"]}}"#, "target.not.userKeys[1]: given twice"),
            (
                #"{"all":true,"exclude":{"all":true}}"#,
                "target.exclude.all: unknown; allowed: userKeys, tokens, \(combinations)"
            ),
        ])
    func `an error in a combination is reported with its position`(text: String, finding: String) {
        #expect(Self.findings(text) == [finding])
    }

    @Test func `a combination is nested up to eight levels`() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: #"{"not":"#, count: levels) + #"{"all":true}"#
                + String(repeating: "}", count: levels)
        }
        let deepest = TargetSet.maximumDepth
        #expect(throws: Never.self) { try Self.target(nested(deepest)) }
        let path = "target" + String(repeating: ".not", count: deepest + 1)
        #expect(
            Self.findings(nested(deepest + 1))
                == ["\(path): and, or and not are nested deeper than 8 levels"])
        #expect(Self.findings(nested(400)).count == 1)
    }

    @Test func `too many choosers are refused with one error`() throws {
        func many(_ count: Int, _ chooser: String) -> String {
            #"{"or":["# + Array(repeating: chooser, count: count).joined(separator: ",") + "]}"
        }
        let most = TargetSet.maximumParts
        #expect(throws: Never.self) { try Self.target(many(most - 1, #"{"all":true}"#)) }
        let faults = [
            (most, "target.or[\(most - 1)].all: the target combines more than \(most) choosers"),
            (10_000, "target.or: must have at most \(most) entries, not 10000"),
        ]
        for (count, fault) in faults {
            let found = Self.findings(many(count, #"{"all":true}"#))
            #expect(found.count == 1 && found.first?.hasPrefix(fault) == true)
        }
        #expect(
            Self.findings(many(17, #"{"openersOf":7}"#))
                == ["target: combines 17 groups of earlier deliveries; the maximum is 16"])
        #expect(
            Self.findings(many(17, #"{"where":{"a":1}}"#)) == ["target: combines 17 where; the maximum is 16"]
        )
        let keys = (1...6_000).map { #""k\#($0)""# }.joined(separator: ",")
        #expect(
            Self.findings(many(2, #"{"userKeys":[\#(keys)]}"#))
                == ["target: combines 12000 user keys and tokens; the maximum is 10000"])
    }
}
