import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

/// Tests how submission checks conditions and texts that use collected facts and declared parameters.
struct FactSubmissionTests {
    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        var app = TestInstance.stubApp("declaring")
        app.parameters = [
            .init(name: "points", kind: .number), .init(name: "since", kind: .date),
            .init(name: "vip", kind: .boolean), .init(name: "language", kind: .text),
        ]
        _ = try instance.operations.carryOut(app)
        try instance.subscribe(
            2, to: "declaring",
            parameters: #"{"points":"20","since":"2026-11-20","vip":"true","language":"French"}"#)
        try instance.subscribe(2)
        return instance
    }

    private static func submit(
        _ condition: String, to apps: [String] = ["declaring"], body: String = "x", in instance: TestInstance
    ) throws -> DeliveryID {
        let value = try JSONSerialization.jsonObject(with: Data(condition.utf8))
        return try instance.operations.carryOut(
            try TestInstance.submission([
                "apps": apps, "target": ["where": value], "content": ["body": body], "allowEmpty": false,
            ])
        ).id
    }

    private static func refusal(
        _ condition: String, to apps: [String] = ["declaring"], in instance: TestInstance
    ) -> [String] {
        do {
            _ = try submit(condition, to: apps, in: instance)
            return []
        } catch { return (error as? OperationError)?.lines ?? ["\(error)"] }
    }

    @Test(arguments: [
        #"{"points": {"between": [10, 20.5]}}"#, #"{"points": "20"}"#, #"{"since": {">=": "-7d"}}"#,
        #"{"since": "2026-11-20"}"#, #"{"since": {"between": ["-30d", "0d"]}}"#, #"{"vip": true}"#,
        #"{"language": {"contains": "ench"}}"#, #"{"language": {"startsWith": "Fr"}}"#,
        #"{"registeredAt": {">=": "-7d"}}"#, #"{"userKey": {"in": ["user1"]}}"#,
        #"{"createdAt": {"<=": "2100-01-31"}, "osLanguage": {"exists": false}}"#,
        #"{"lastActiveAt": {">": "2020-01-01T00:00:00Z"}, "points": {"exists": true}}"#,
    ])
    func `a condition that suits the kinds of its values is accepted`(condition: String) throws {
        let instance = try Self.instance()
        let id = try Self.submit(condition, in: instance)
        // The document of the delivery can be submitted again.
        let again = try instance.operations.carryOut(ShowDeliveryDocument(id: id))
        let text = try #require(try JSONValue(encoding: again)["document"]).text
        let repeated = try instance.operations.carryOut(
            SubmitDelivery(document: Array(text.utf8), documentName: "again.json"))
        #expect(repeated.id != id)
    }

    private static let order = "allowed operators: =, !=, <, <=, >, >=, between, in, exists"

    @Test(arguments: [
        (#"{"points": {"contains": "2"}}"#, "\"points\" is a number; \(order)"),
        (
            #"{"points": {">=": "10"}}"#,
            "\"points\" is a number; compare it with a number, such as 18, without quotation marks"
        ),
        (#"{"since": {"startsWith": "2026"}}"#, "\"since\" is a date; \(order)"),
        (#"{"registeredAt": {"contains": "2026"}}"#, "\"registeredAt\" is a date; \(order)"),
        (
            #"{"vip": {"between": ["a", "b"]}}"#,
            "\"vip\" is a boolean; allowed operators: =, !=, in, exists"
        ),
        (#"{"vip": "yes"}"#, "\"vip\" is a boolean; compare it with true or false"),
        (#"{"vip": {"in": [1]}}"#, "\"vip\" is a boolean; compare it with true or false"),
    ])
    func `a condition that does not suit the kind of its value is refused`(condition: String, why: String)
        throws
    {
        let instance = try Self.instance()
        #expect(Self.refusal(condition, in: instance) == ["sale.json: target.where: \(why)"])
    }

    @Test(arguments: [
        #"{"registeredAt": {">=": "yesterday"}}"#, #"{"registeredAt": {">=": 7}}"#,
        #"{"since": {"<": "7d"}}"#, #"{"since": {"=": true}}"#, #"{"not": {"createdAt": "last week"}}"#,
    ])
    func `a value that is not a date is refused without being repeated`(condition: String) throws {
        let instance = try Self.instance()
        let lines = Self.refusal(condition, in: instance)
        #expect(lines.count == 1)
        #expect(lines.first?.contains("is a date; compare it with a date, such as 2026-01-31 or") == true)
        #expect(lines.first?.contains("yesterday") == false && lines.first?.contains("week,") == false)
    }

    @Test func `all faults are reported together, with the app if there are several`() throws {
        let instance = try Self.instance()
        let lines = Self.refusal(
            #"{"or": [{"points": {"contains": "2"}}, {"osVersion": 16.4}, {"vip": 1}]}"#,
            to: ["declaring", "ios"], in: instance)
        #expect(lines.count == 3 && lines.allSatisfy { $0.hasSuffix(" (app declaring)") })
    }

    @Test func `a parameter that no app declares is compared with a date if the value is relative`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1, parameters: #"{"renewal":"2026-11-22","code":"-7d"}"#)
        for (condition, isMatch) in [
            (#"{"renewal": {">": "-1d"}}"#, true), (#"{"renewal": {"<": "-1d"}}"#, false),
            (#"{"code": "-7d"}"#, true), (#"{"code": {"startsWith": "-7"}}"#, true),
        ] {
            #expect(Self.refusal(condition, to: ["ios"], in: instance).isEmpty == isMatch, "\(condition)")
        }
    }

    @Test func `a text may use facts, and a similar parameter is not affected`() throws {
        let instance = try Self.instance()
        let body = "{{userKey}} {{osLanguage|none}} {{language}} {{registeredAt:date}} {{language:url}}"
        _ = try Self.submit(#"{"points": 20}"#, body: body, in: instance)
        let shown = try instance.operations.carryOut(
            PreviewDelivery(
                document: try TestInstance.submission([
                    "apps": ["declaring"], "content": ["body": body],
                    "target": ["where": ["registeredAt": ["<": "-1d"]]],
                ]).document, documentName: "sale.json", who: .userKey("user1")))
        let payload = try #require(shown.devices.first?.message?.payload)
        #expect(payload.contains("user1 none French 2026-"))
        #expect(payload.contains(" French\"}"))
        #expect(shown.warnings.contains { $0.contains("leaves out 1 device") })
        let dry = try instance.operations.carryOut(
            DryRunDelivery(
                document: try TestInstance.submission([
                    "apps": ["declaring"], "content": ["body": "{{userKey}} {{deviceModel}}"],
                ]).document, documentName: "sale.json"))
        #expect(dry.apps.first?.targeted == 2)
        #expect(dry.apps.first?.missingValues.map(\.name) == ["deviceModel"])
        let refused = #expect(throws: OperationError.self) {
            try Self.submit(#"{"points": 20}"#, body: "{{osLanguages}}", in: instance)
        }
        #expect(refused?.description.contains("no app of the delivery declares a parameter") == true)
    }

    @Test func `the name of a fact cannot be declared as a parameter`() throws {
        let instance = try TestInstance.withApp()
        var app = TestInstance.stubApp("other")
        app.parameters = [.init(name: "osLanguage", kind: .text)]
        let text =
            "parameter osLanguage has the name of a fact that the server collects; use the fact, or choose another name"
        let created = #expect(throws: OperationError.self) { try instance.operations.carryOut(app) }
        #expect(created?.description == text)
        let updated = #expect(throws: OperationError.self) {
            try instance.operations.carryOut(
                UpdateApp(name: "ios", parameters: [.init(name: "osLanguage", kind: .text)]))
        }
        #expect(updated?.description == text)
    }
}
