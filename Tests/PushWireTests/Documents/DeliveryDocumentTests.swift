import GatewayAPNs
import GatewayFCM
import PushModel
import PushWire
import TestContents
import Testing

@Suite struct DeliveryDocumentTests {
    /// The members that every document requires.
    private let least =
        #""label":"Spring","service":"neotrips","apps":["neotrips-ios"],"content":{"body":"x"}"#

    private func parse(
        _ text: String, target: DeliveryDocument.TargetSource = .document
    ) throws(WireError) -> DeliveryDocument {
        try DeliveryDocument.parse(Array(text.utf8), target: target)
    }

    private func findings(_ text: String, target: DeliveryDocument.TargetSource = .document) -> [String] {
        do {
            _ = try parse(text, target: target)
            return []
        } catch {
            return error.lines
        }
    }

    @Test func `a complete document is parsed`() throws {
        let document = try parse(
            #"""
            { "label": "Spring sale", "service": "neotrips", "apps": ["neotrips-ios", "other"],
              "target": {"all": true},
              "content": {
                "title": "Hello", "body": "Paris from 99 EUR", "variables": {"VAR": "x", "url": "u"},
                "ios": {"type": "alert", "subtitle": "s", "badge": 3, "sound": "default", "category": "image",
                        "mutableContent": true},
                "android": {"type": "data", "channelId": "c", "priority": "high"} },
              "schedule": {"start": "2026-11-21T10:00:00Z", "validity": "5d", "priority": "low", "ratePerSecond": 10},
              "retry": {"count": 5, "period": "1h"}, "tracking": false }
            """#)
        #expect(document.label == "Spring sale")
        #expect(document.service == "neotrips")
        #expect(document.apps == ["neotrips-ios", "other"])
        #expect(document.target == .all)
        #expect(document.content.ios.badge == 3)
        #expect(document.content.android.channelID == "c")
        #expect(document.schedule.start == WallTime(secondsSince1970: 1_795_255_200))
        #expect(document.schedule.validitySeconds == 432_000)
        #expect(document.schedule.priority == .low)
        #expect(document.schedule.ratePerSecond == 10)
        #expect(document.retry == RetryOverride(count: 5, periodSeconds: 3_600))
        #expect(!document.tracking)
        #expect(try ContentDocument.decode(document.contentJSON) == document.content)
    }

    @Test func `environments are listed by name, each at most once`() throws {
        let target = #","target":{"all":true}"#
        func environments(_ json: String) throws -> [PushEnvironment] {
            try parse("{\(least)\(target),\"environments\":\(json)}").environments
        }
        #expect(try parse("{\(least)\(target)}").environments.isEmpty)
        #expect(try environments(#"["sandbox"]"#) == [.sandbox])
        #expect(try environments(#"["production","sandbox"]"#) == [.production, .sandbox])
        for (json, finding) in [
            (#"["test"]"#, "environments[0]: must be one of sandbox, production, not \"test\""),
            (#"["sandbox","sandbox"]"#, "environments[1]: given twice"),
            (#"[]"#, "environments: must have 1 to 2 entries, not 0"),
            (#""sandbox""#, #"environments: must be an array of strings, not "sandbox""#),
        ] {
            #expect(findings("{\(least)\(target),\"environments\":\(json)}") == [finding])
        }
    }

    @Test func `members that a document omits have their default values`() throws {
        let document = try parse("{\(least),\"target\":{\"all\":true}}")
        #expect(document.schedule == DeliverySchedule())
        #expect(document.retry == RetryOverride())
        #expect(document.tracking)
        #expect(!document.allowsEmptyTarget && !document.ignoresFrequencyCap)
        let short =
            #"{"label":"l","service":"s","target":{"all":true},"allowEmpty":true,"content":{"body":"x"}}"#
        #expect(try parse(short).apps == [])
        #expect(try parse(short).allowsEmptyTarget)
    }

    @Test func `a target is all subscribers, a list or an expression over parameters`() throws {
        func target(_ text: String) throws -> Target? { try parse("{\(least),\"target\":\(text)}").target }
        #expect(try target(#"{"all":true}"#) == .all)
        #expect(try target(#"{"userKeys":["a","b"]}"#) == .userKeys(["a", "b"]))
        #expect(try target(#"{"tokens":["ab"]}"#) == .tokens(["ab"]))
        #expect(
            try target(#"{"where":{"lang":"en","city":"Paris"}}"#)
                == .parameters(["lang": "en", "city": "Paris"]))
    }

    @Test func `a target from another source replaces the target in the document`() throws {
        #expect(try parse("{\(least)}", target: .elsewhere).target == nil)
        #expect(
            findings("{\(least),\"target\":{\"all\":true}}", target: .elsewhere)
                == [
                    "target: the recipients are already given outside the document; remove one of the two; to "
                        + "leave out some of the recipients, use exclude, such as "
                        + #"{"exclude": {"not": {"where": {…}}}}"#
                ])
    }

    @Test(arguments: [
        (
            #"{}"#,
            "target: must have exactly one of all, userKeys, tokens, recipients, where, recipientsOf, openersOf, nonOpenersOf, and, or, not"
        ),
        (
            #"{"all":true,"tokens":["a"]}"#,
            "target: must have exactly one of all, userKeys, tokens, recipients, where, recipientsOf, openersOf, nonOpenersOf, and, or, not; to combine several, use {\"and\": […]} or {\"or\": […]}"
        ),
        (#"{"all":false}"#, "target.all: must be true, not false"),
        (#"{"all":"yes"}"#, "target.all: must be true or false, not a string"),
        (#"{"userKeys":[]}"#, "target.userKeys: must have 1 to 10000 entries, not 0"),
        (#"{"userKeys":"a"}"#, "target.userKeys: must be an array of strings, not a string"),
        (#"{"userKeys":["a",7]}"#, "target.userKeys[1]: must be a string, not an integer"),
        (#"{"userKeys":["a","a"]}"#, "target.userKeys[1]: given twice"),
        (#"{"tokens":[""]}"#, "target.tokens[0]: must not be empty"),
        (
            #"{"where":{}}"#,
            #"target.where: does not name a parameter; to select all subscribers, use {"all": true}"#
        ),
        (
            #"{"where":{"age":null}}"#,
            "target.where.age: must be a string, a number or a boolean, not null"
        ),
        (
            #"{"all":true,"some":1}"#,
            "target.some: unknown; allowed: all, userKeys, tokens, recipients, where, recipientsOf, openersOf, nonOpenersOf, and, or, not, exclude, sample, oncePerUser"
        ),
    ])
    func `an invalid target is refused`(target: String, finding: String) {
        #expect(findings("{\(least),\"target\":\(target)}") == [finding])
    }

    @Test(arguments: ["0", #""0""#, #""0s""#, #""0d""#])
    func `a validity of 0 means now or never`(zero: String) throws {
        let text = #"{\#(least),"target":{"all":true},"schedule":{"validity":\#(zero)}}"#
        let schedule = try DeliveryDocument.parse(Array(text.utf8)).schedule
        #expect(schedule.isNowOrNever && schedule.sendingSeconds == 3_600)
        let message = #"{"app": "a", "token": "ab", "content": {"title": "Hi"}, "validity": \#(zero)}"#
        let value = try #require(try MessageDocument.values(of: Array(message.utf8)).first)
        let read = try MessageDocument.read(value) { value throws(WireError) in
            try ContentDocument.read(value)
        }
        #expect(read.message.validitySeconds == 0)
    }

    @Test(arguments: [
        (
            #""schedule":{"startAt":"tomorrow"}"#,
            "schedule.startAt: must be \(WallTime.allowed), not \"tomorrow\""
        ),
        (#""schedule":{"startAt":5}"#, "schedule.startAt: must be \(WallTime.allowed), not 5"),
        (#""schedule":{"validity":-1}"#, "schedule.validity: must be a duration from 0s to 366d, not -1"),
        (
            #""schedule":{"validity":"9999d"}"#,
            #"schedule.validity: must be a duration from 0s to 366d, not "9999d""#
        ),
        (
            #""schedule":{"validity":0,"localTime":"10:00"}"#,
            "schedule.validity: 0 means a single attempt at once, which excludes waves, local time and quiet hours; set a validity, "
                + "or remove those"
        ),
        (
            #""schedule":{"validity":"soon"}"#,
            "schedule.validity: must be \(DurationText.allowed), not \"soon\""
        ),
        (
            #""schedule":{"validity":true}"#,
            "schedule.validity: must be \(DurationText.allowed), not true"
        ),
        (
            #""schedule":{"priority":"urgent"}"#,
            #"schedule.priority: must be one of veryLow, low, normal, high, veryHigh, not "urgent""#
        ),
        (
            #""schedule":{"ratePerSecond":-1}"#,
            "schedule.ratePerSecond: must be an integer from 0 to 1000000, not -1"
        ),
        (#""schedule":[]"#, "schedule: must be an object, not an array"),
        (#""retry":{"count":101}"#, "retry.count: must be an integer from 0 to 100, not 101"),
        (#""retry":{"period":-5}"#, "retry.period: must be a duration from 1s to 366d, not -5"),
        (
            #""ignoreFrequencyCap":1"#,
            "ignoreFrequencyCap: must be true or false, not 1"
        ),
        (#""tracking":"no""#, #"tracking: must be true or false, not "no""#),
        (
            #""contents":{}"#,
            "contents: unknown; allowed: label, service, template, apps, environments, target, allowEmpty, content, schedule, retry, tracking, ignoreFrequencyCap"
        ),
    ])
    func `an error states its path, the found value and the allowed values`(
        member: String, finding: String
    ) {
        #expect(findings("{\(least),\"target\":{\"all\":true},\(member)}") == [finding])
    }

    @Test func `a number of seconds may be written without a unit`() throws {
        let document = try parse(
            "{\(least),\"target\":{\"all\":true},\"schedule\":{\"validity\":90},\"retry\":{\"period\":\"90\"}}"
        )
        #expect(document.schedule.validitySeconds == 90)
        #expect(document.retry.periodSeconds == 90)
    }

    @Test func `all missing members are reported together`() {
        #expect(
            findings("{}") == [
                "label: missing", "service: missing", #"content: missing; for example {"title": "Hello"}"#,
                #"target: missing; for example {"userKeys": ["anna@example.com"]}, "#
                    + #"or {"all": true} for all subscribers"#,
            ])
        // The examples are valid.
        for target in [#"{"userKeys": ["anna@example.com"]}"#, #"{"all": true}"#] {
            let content = #""content": {"title": "Hello"}"#
            #expect(findings(#"{"label": "l", "service": "s", \#(content), "target": \#(target)}"#) == [])
        }
    }

    @Test func `apps are listed by name, each at most once`() {
        let target = #""target":{"all":true},"content":{},"label":"l","service":"s""#
        #expect(findings("{\(target),\"apps\":[]}") == ["apps: must have 1 to 100 entries, not 0"])
        #expect(findings("{\(target),\"apps\":[\"a\",\"a\"]}") == ["apps[1]: given twice"])
        #expect(
            findings("{\(target),\"apps\":\"a\"}") == [#"apps: must be an array of strings, not "a""#]
        )
    }

    @Test func `a list with ten thousand entries is accepted, and one more entry is refused`() throws {
        let keys = (0..<Target.maximumListed).map { "\"k\($0)\"" }.joined(separator: ",")
        #expect(throws: Never.self) { try parse("{\(least),\"target\":{\"userKeys\":[\(keys)]}}") }
        #expect(
            findings("{\(least),\"target\":{\"userKeys\":[\(keys),\"one more\"]}}")
                == ["target.userKeys: must have 1 to 10000 entries, not 10001"])
    }

    @Test func `a document larger than a megabyte is refused without parsing`() {
        let document = "{\(least)}" + String(repeating: " ", count: DeliveryDocument.maximumBytes)
        #expect(findings(document).count == 1)
        #expect(findings(document)[0].contains("the maximum is 1048576"))
    }

    @Test func `a document that uses the former name of the start is parsed as before`() throws {
        func document(_ schedule: String) -> String {
            #"{"label":"a","service":"s","target":{"all":true},"content":{"title":"t"},"schedule":{\#(schedule)}}"#
        }
        let time = "\"2026-11-21T12:00:00+02:00\""
        let (old, new) = (document("\"start\":\(time)"), document("\"startAt\":\(time)"))
        let read = try DeliveryDocument.parse(Array(new.utf8))
        #expect(read.schedule.start == WallTime(secondsSince1970: 1_795_255_200))
        #expect(try DeliveryDocument.parse(Array(old.utf8)) == read)
        #expect(
            findings(document("\"startAt\":\(time),\"start\":\(time)"))
                == ["schedule.start: an earlier name of startAt; use only one of the two"])
    }

    @Test func `a text that is not a JSON object is refused in one line`() {
        #expect(findings("[]") == ["the document must be an object, not an array"])
        #expect(findings("hello") == ["not JSON: line 1, column 1: a value is expected"])
    }

    @Test func `findings repeat neither a document's recipients nor its contents`() {
        let secret = "SECRETVALUE"
        let text =
            #"{"label":["\#(secret)"],"service":{"a":"\#(secret)"},"apps":["\#(secret)","\#(secret)"],"#
            + #""target":{"tokens":["\#(secret)","\#(secret)"]},"#
            + #""content":{"title":"{{\#(secret)","ios":{"type":"\#(secret)"}},"#
            + #""schedule":{"startAt":true,"validity":true}}"#
        let findings = findings(text)
        #expect(findings.count == 8)
        for finding in findings { #expect(!finding.contains(secret), "\(finding)") }
    }
}
