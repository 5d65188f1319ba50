import Foundation
import PushModel
import TestSupport
import Testing

@Suite struct CollectedFactTests {
    private static let start = WallTime(utc: "2026-11-21T10:30:00Z") ?? WallTime(secondsSince1970: 0)

    private static func facts(_ adjust: (inout CollectedFacts) -> Void = { _ in }) -> CollectedFacts {
        var facts = CollectedFacts(
            userKey: "anna", device: DeviceFacts(), created: start.advanced(bySeconds: -40 * 86_400),
            registered: start.advanced(bySeconds: -7 * 86_400), lastActive: start)
        facts.device.osVersion = "iOS 16.4"
        facts.device.osName = "iOS"
        adjust(&facts)
        return facts
    }

    private static func matches(
        _ expression: TargetExpression, _ facts: CollectedFacts = facts(), parameters: String = "{}",
        known: Set<CollectedFact> = Set(CollectedFact.allCases)
    ) -> Bool {
        var matcher = TargetMatcher(expression, facts: known, from: start)
        matcher.read(Array(parameters.utf8).span)
        matcher.note(facts)
        return matcher.isMatch
    }

    private static func date(_ text: String) throws -> TargetValue { .date(try #require(TargetDate(text))) }

    @Test func `a name means the fact, or the parameter if the app declares it`() {
        let isAnna = TargetExpression.compare("userKey", .equal, .text("anna"))
        let parameters = #"{"userKey":"bob","language":"de"}"#
        #expect(Self.matches(isAnna, parameters: parameters))
        let declared = [ParameterDeclaration(name: "userKey", kind: .text)]
        let known = CollectedFact.known(besides: declared)
        #expect(known == Set(CollectedFact.allCases).subtracting([.userKey]))
        #expect(!Self.matches(isAnna, parameters: parameters, known: known))
        #expect(
            Self.matches(.compare("userKey", .equal, .text("bob")), parameters: parameters, known: known))
        // A parameter with a similar name is not affected.
        #expect(Self.matches(.compare("language", .equal, .text("de")), parameters: parameters))
        #expect(!Self.matches(.compare("osLanguage", .equal, .text("de")), parameters: parameters))
        // A fact needs no parameters.
        #expect(Self.matches(isAnna, parameters: "not json"))
    }

    @Test func `a fact that the device did not report is missing`() {
        #expect(Self.matches(.exists("deviceModel", false)))
        #expect(Self.matches(.exists("osName", true)) && Self.matches(.exists("createdAt", true)))
        #expect(Self.matches(.compare("deviceModel", .different, .text("x"))))
        #expect(!Self.matches(.compare("deviceModel", .contains, .text("x"))))
    }

    @Test(
        arguments: [
            ("iOS 16.4", TargetComparison.greaterOrEqual, "16.4", true),
            ("iOS 16.4", .greater, "16.4", false),
            ("iOS 9", .less, "16", true), ("iOS 16.10", .greater, "16.9", true),
            ("iOS 16", .greaterOrEqual, "16.0.0", true), ("Android 13", .lessOrEqual, "Android 13", true),
            ("13", .less, "14", true), ("none", .less, "14", false), ("", .less, "14", false),
            ("iOS 16.4", .startsWith, "iOS 16", true), ("iOS 16.4", .equal, "16.4", false),
        ])
    func `versions are ordered by their numbers`(
        version: String, comparison: TargetComparison, wanted: String, isMatch: Bool
    ) {
        let facts = Self.facts { $0.device.osVersion = version }
        #expect(Self.matches(.compare("osVersion", comparison, .text(wanted)), facts) == isMatch)
    }

    @Test func `dates relative to the start cover whole days, and hours are exact`() throws {
        func registered(_ comparison: TargetComparison, _ date: String) throws -> Bool {
            Self.matches(.compare("registeredAt", comparison, try Self.date(date)))
        }
        for (comparison, date) in [
            (.greaterOrEqual, "-7d"), (.equal, "-7d"), (.equal, "-1w"), (.lessOrEqual, "-7d"), (.less, "-6d"),
            (.greater, "-8d"), (.different, "-8d"), (.equal, "2026-11-14"), (.less, "2026-11-15"),
            (.lessOrEqual, "2026-11-14"), (.equal, "2026-11-14T10:30:00Z"), (.equal, "-168h"), (.less, "0d"),
            (.less, "+3d"),
        ] as [(TargetComparison, String)] {
            #expect(try registered(comparison, date), "\(comparison) \(date)")
        }
        for (comparison, date) in [
            (.greater, "-7d"), (.less, "-7d"), (.equal, "-6d"), (.greaterOrEqual, "-6d"), (.equal, "-167h"),
            (.different, "-7d"), (.contains, "-7d"),
        ] as [(TargetComparison, String)] {
            #expect(try !registered(comparison, date), "\(comparison) \(date)")
        }
    }

    @Test func `a parameter is compared with a date if it is a date`() throws {
        func since(_ value: String, _ comparison: TargetComparison, _ date: String) throws -> Bool {
            Self.matches(
                .compare("since", comparison, try Self.date(date)), parameters: #"{"since":"\#(value)"}"#)
        }
        #expect(try since("2026-11-14", .greaterOrEqual, "-7d") && since("2026-11-14", .lessOrEqual, "-7d"))
        #expect(try since("2026-11-14T23:59:59Z", .lessOrEqual, "-7d"))
        #expect(try !since("2026-11-13", .greaterOrEqual, "-7d"))
        #expect(try since("1905-02-28", .less, "1905-03-01") && !since("1905-03-01", .less, "1905-03-01"))
        #expect(try !since("last week", .less, "0d") && since("last week", .different, "0d"))
        #expect(!Self.matches(.compare("since", .less, try Self.date("0d"))))
    }

    @Test(arguments: [
        "", "d", "-d", "7d", "-7", "-7m", "-7D", "- 7d", "-123456d", "--7d", "2026-02-30", "2026-1-1",
        "today",
        "2026-11-21T10:30:00", "0000-01-01",
    ])
    func `other texts are not dates`(text: String) { #expect(TargetDate(text) == nil) }

    @Test func `texts are searched byte by byte, without special characters`() {
        func matches(_ value: String, _ comparison: TargetComparison, _ text: String) -> Bool {
            Self.matches(.compare("p", comparison, .text(text)), parameters: #"{"p":"\#(value)"}"#)
        }
        #expect(matches("50% off", .contains, "0% o") && matches("a_b", .contains, "_"))
        #expect(!matches("50 off", .contains, "%") && !matches("axb", .contains, "a_b"))
        #expect(matches("ababac", .contains, "abac") && matches("Paris", .contains, "s"))
        #expect(!matches("Paris", .contains, "PARIS") && !matches("Par", .contains, "Paris"))
        #expect(matches("Köln", .startsWith, "Kö") && !matches("Köln", .startsWith, "kö"))
        #expect(!matches("e\u{301}", .contains, "\u{e9}") && matches("xe\u{301}", .contains, "\u{301}"))
    }

    @Test func `the facts in a content are found in placeholders only`() {
        let content =
            #"{"title":"{{ userKey }}","body":"{{#osName}}x{{/osName}}{{^deviceModel}}{{x|userKey}}"}"#
        #expect(MessageFilling.facts(in: content.utf8) == [.userKey, .osName, .deviceModel])
        #expect(MessageFilling.facts(in: "{{createdAt:date}}{{registeredAt|never}}".utf8).count == 2)
        for text in ["userKey", "{{userKeys}}", "{{language}}", "{{user}}", "{{", "{userKey}", ""] {
            #expect(MessageFilling.facts(in: text.utf8) == [], "\(text)")
        }
        let filling = MessageFilling.bytes(
            language: "fr", parameters: Array("{}".utf8),
            facts: MessageFilling.object([.osVersion, .userKey, .createdAt], of: Self.facts()))
        #expect(
            String(decoding: filling, as: UTF8.self)
                == "\nfr\n{}"
                + #"{"userKey":"anna","osVersion":"iOS 16.4","createdAt":"2026-10-12T10:30:00Z"}"#)
    }

    @Test func `the documentation lists exactly these facts`() throws {
        let page = try String(contentsOf: Repository.file("Docs/Send/Content.md"), encoding: .utf8)
        let part = try #require(page.components(separatedBy: "\n## Facts about subscribers\n").last)
        let rows = part.split(separator: "\n").filter { $0.hasPrefix("| `") }.prefix(
            CollectedFact.allCases.count)
        #expect(
            rows.map(String.init)
                == CollectedFact.allCases.map { "| `\($0.rawValue)` | \($0.kind.rawValue) | \($0.meaning) |" }
        )
        #expect(part.split(separator: "\n## ")[0].matches(of: #/(?m)^\| `/#).count == rows.count)
    }
}
