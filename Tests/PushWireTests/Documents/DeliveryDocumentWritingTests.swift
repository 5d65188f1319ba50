import PushModel
import PushWire
import TestContents
import Testing

@Suite struct DeliveryDocumentWritingTests {
    /// Returns a delivery with this document as the store has it.
    private static func order(_ document: DeliveryDocument) -> DeliveryOrder {
        var target = document.target ?? Target(.list(RecipientList(kind: .userKeys, count: 9, pages: 1)))
        if document.target == nil { target = target.refined(by: document.refinement) }
        target.ignoresFrequencyCap = document.ignoresFrequencyCap
        return DeliveryOrder(
            label: document.label, service: ServiceID(rawValue: 1), apps: [], target: target,
            schedule: document.schedule, retry: document.retry, tracking: document.tracking,
            contentJSON: document.contentJSON)
    }

    private static func written(_ document: DeliveryDocument) throws -> JSONValue {
        let variables = document.target?.variables
        let listed = (document.target?.listed ?? []).map {
            ListedRecipient($0, variables: variables?.byRecipient[ExactText($0)] ?? [])
        }
        return try DeliveryDocument.json(
            of: order(document), service: document.service, apps: document.apps, listed: listed)
    }

    private static func document(_ members: String) -> String {
        #"{"label": "Spring \"sale\"", "service": "neotrips", "apps": ["a", "b"], \#(members)}"#
    }

    private static let content = #""content": {"title": "Hello", "ios": {"badge": 3}}"#

    @Test(arguments: [
        #""target": {"all": true}"#,
        #""target": {"all": true, "oncePerUser": true, "exclude": {"userKeys": ["x"], "tokens": ["t"]}}"#,
        #""target": {"userKeys": ["anna", "bert"], "sample": 0.25}"#,
        #""target": {"tokens": ["a1"], "exclude": {"tokens": ["t"]}}"#,
        #""target": {"all": true, "sample": {"share": 0.000001, "seed": 7, "from": 0.5}}, "tracking": false"#,
        #""target": {"recipients": [{"userKey": "anna", "variables": {"a": "1", "b": "\u00e9"}}, {"userKey": "bert"}]}"#,
        #""target": {"recipients": [{"token": "a1", "variables": {"a": "1"}}]}, "ignoreFrequencyCap": true"#,
        #""target": {"where": {"city": "Paris", "and": "x"}}"#,
        #""target": {"recipientsOf": 7}"#, #""target": {"openersOf": 7}"#, #""target": {"nonOpenersOf": 7}"#,
        #""target": {"where": {"age": {">=": 18, "<": 65}, "vip": true, "not": {"city": {"in": ["Paris", 7, 1.5]}}}}"#,
        #""target": {"where": {"osName": "iOS", "a": {"contains": "%", "between": ["a", "b"]}}}"#,
        #""target": {"where": {"not": {"registeredAt": {"between": ["-7d", "0d"]}}, "b": {"startsWith": "x"}}}"#,
        #""target": {"where": {"or": [{"a": {"exists": false}}, {"and": [{"a": 1}, {"a": 2}]}, {"in": {"!=": "x"}}]}}"#,
        #""target": {"where": {"and": [{"not": {"a": "x"}}, {"not": {"b": "x"}}, {"not": "x"}, {"or": {"=": "x"}}]}}"#,
        #""target": {"and": [{"where": {"city": "Paris"}}, {"not": {"openersOf": 7}}], "exclude": {"tokens": ["t"], "where": {"age": {"<": 18}}, "recipientsOf": 8}}"#,
        #""target": {"or": [{"userKeys": ["a", "b"]}, {"and": [{"all": true}, {"tokens": ["t"]}, {"where": {"a": 1, "b": {"=": "x"}}}]}]}, "tracking": false"#,
        #""target": {"recipients": [{"userKey": "anna", "variables": {"a": "1"}}], "exclude": {"not": {"nonOpenersOf": 7}}}"#,
        #""target": {"all": true}, "schedule": {"start": "2026-11-21T10:00:00Z", "validity": "2h", "priority": "low", "ratePerSecond": 10, "retentionDays": 0}, "retry": {"count": 0, "period": "1h"}"#,
        #""target": {"all": true}, "schedule": {"validity": 0}"#,
        #""target": {"all": true}, "schedule": {"waves": [{"share": 0.1}, {"after": "1h", "share": 0.333333}, {"after": 7}]}"#,
        #""target": {"all": true}, "schedule": {"waves": [{"size": 100}, {"after": "1h"}], "localTime": "00:00", "quietHours": {"from": "00:30", "to": "07:00"}, "timeZone": "Europe/Paris"}"#,
    ])
    func `a document that is written again has the same effect`(members: String) throws {
        let text = Self.document(members + ", " + Self.content)
        let document = try DeliveryDocument.parse(Array(text.utf8))
        let written = try Self.written(document)
        #expect(try DeliveryDocument.read(written) == document, "\(written.text)")
        // Normalising a normal form changes nothing.
        #expect(try Self.written(DeliveryDocument.read(written)) == written)
    }

    @Test func `recipients that are given in addition to the document are not written into it`() throws {
        for members in [
            Self.content,
            Self.content + #", "target": {"exclude": {"userKeys": ["x"]}, "oncePerUser": true}"#,
            Self.content + #", "target": {"exclude": {"or": [{"openersOf": 7}, {"where": {"a": "x"}}]}}"#,
        ] {
            let document = try DeliveryDocument.parse(
                Array(Self.document(members).utf8), target: .elsewhere)
            let written = try Self.written(document)
            #expect(try DeliveryDocument.read(written, target: .elsewhere) == document, "\(written.text)")
        }
    }

    /// When it is written again, a comparison of many parameters has as many nodes as before.
    @Test func `an expression at the size limit does not exceed the limit when it is written again`() throws {
        let many = (1...TargetExpression.maximumNodes).map { #""p\#($0)": {"=": "x"}"# }.joined(
            separator: ",")
        var deep = #"{"p": {">": 1}}"#
        for _ in 1..<TargetExpression.maximumDepth { deep = #"{"not": \#(deep)}"# }
        for target in ["{\(many)}", deep] {
            let text = Self.document(#""target": {"where": \#(target)}, "# + Self.content)
            let document = try DeliveryDocument.parse(Array(text.utf8))
            #expect(try DeliveryDocument.read(Self.written(document)) == document)
        }
    }
}
