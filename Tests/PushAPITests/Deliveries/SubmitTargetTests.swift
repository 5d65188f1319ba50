import Foundation
import PushAPI
import PushModel
import PushStore
import TestRequests
import Testing

/// Tests what submission reports about targets other than all subscribers, lists and comparisons of texts.
struct SubmitTargetTests {
    private static func submit(
        _ target: String, allowEmpty: Bool = false, to instance: TestInstance
    ) throws -> SubmittedDelivery {
        let value = try JSONSerialization.jsonObject(with: Data(target.utf8))
        return try instance.operations.carryOut(
            try TestInstance.submission(["target": value, "allowEmpty": allowEmpty]))
    }

    private static func refusal(
        _ target: String, by instance: TestInstance
    ) -> OperationError? {
        let error = #expect(throws: OperationError.self) {
            try submit(target, allowEmpty: true, to: instance)
        }
        #expect(error?.kind == .refused && error?.lines.count == 1)
        return error
    }

    @Test(
        arguments: [
            (#"{"where": {"age": {">": 40}}}"#, []),
            (#"{"where": {"and": [{"city": "Paris"}, {"town": {"=": "x"}}]}}"#, ["town"]),
            (#"{"all": true, "exclude": {"userKeys": ["user1", "user2"]}}"#, []),
            (#"{"tokens": ["\#(TestInstance.token(1))"], "exclude": {"userKeys": ["user1"]}}"#, []),
            (#"{"userKeys": ["user1"], "exclude": {"tokens": ["\#(TestInstance.token(1))"]}}"#, []),
        ] as [(String, [String])])
    func `a target that matches nothing is refused, or accepted with a warning if the document allows it`(
        target: String, strange: [String]
    ) throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2, parameters: #"{"city":"Paris","age":"30"}"#)
        let error = #expect(throws: OperationError.self) { try Self.submit(target, to: instance) }
        #expect(error?.kind == .refused)
        #expect(error?.description.hasPrefix("sale.json: target: the target contains no subscriber") == true)
        #expect(error?.description.contains("no subscriber has a parameter") == !strange.isEmpty)
        for name in strange { #expect(error?.description.contains("\"\(name)\"") == true) }
        #expect(error?.description.contains("\"city\"") == false)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.isEmpty)
        #expect(try Self.submit(target, allowEmpty: true, to: instance).warnings.count == 1)
    }

    @Test(
        arguments: [
            (#"{"where": {"city": "Rome"}}"#, #": no subscriber matches the condition on "city""#),
            (
                #"{"where": {"city": "Paris", "age": "31"}}"#,
                #": no subscriber matches the condition on "age""#
            ),
            (
                #"{"where": {"city": "Rome", "age": {">": 40}}}"#,
                #": no subscriber matches the condition on "age", "city""#
            ),
            (
                #"{"where": {"not": {"city": {"exists": true}}}}"#,
                #": no subscriber matches the condition on "city""#
            ),
            // Each condition matches a subscriber, but not the same one.
            (#"{"where": {"city": "Paris", "age": "20"}}"#, ""),
        ])
    func `an empty target names the parameters whose condition no subscriber matches`(
        target: String, end: String
    ) throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2, parameters: #"{"city":"Paris","age":"30"}"#)
        // This replaces the parameters of the first subscriber.
        try instance.subscribe(1, parameters: #"{"city":"Ulm","age":"20"}"#)
        #expect(
            try Self.submit(target, allowEmpty: true, to: instance).warnings
                == ["the target contains no subscriber\(end)"])
    }

    @Test(arguments: [
        #"{"where": {"twon": "Paris"}}"#, #"{"where": {"twon": {"!=": "Paris"}}}"#,
        #"{"where": {"not": {"or": [{"town": "Ulm"}, {"twon": {"exists": true}}]}}}"#,
    ])
    func `a parameter in where that no app declares is refused, wherever it occurs`(target: String) throws {
        let instance = try TestInstance.withApp()
        var app = TestInstance.stubApp("declaring")
        app.parameters = [.init(name: "town", kind: .text), .init(name: "age", kind: .number)]
        _ = try instance.operations.carryOut(app)
        try instance.subscribe(2, to: "declaring", parameters: #"{"town":"Paris"}"#)
        let value = try JSONSerialization.jsonObject(with: Data(target.utf8))
        func submission(_ apps: [String]) throws -> SubmitDelivery {
            try TestInstance.submission(["apps": apps, "target": value])
        }
        let error = #expect(throws: OperationError.self) {
            try instance.operations.carryOut(try submission(["declaring"]))
        }
        #expect(error?.kind == .refused)
        #expect(
            error?.description
                == #"sale.json: target.where: no app of the delivery declares a parameter "twon" "#
                + #"(did you mean "town"?); declared: "age", "town""#)
        // Subscribers of an app that declares none may have any parameters.
        #expect(throws: Never.self) {
            try instance.operations.carryOut(try submission(["declaring", "ios"]))
        }
    }

    @Test func `a parameter that no subscriber has causes a warning, although the target has a match`() throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2, parameters: #"{"city":"Paris"}"#)
        for target in [
            #"{"where": {"ctiy": {"!=": "Paris"}}}"#, #"{"where": {"not": {"ctiy": "Paris"}}}"#,
            #"{"where": {"or": [{"city": "Paris"}, {"ctiy": "Ulm"}]}}"#,
        ] {
            let warnings = try Self.submit(target, to: instance).warnings
            #expect(warnings.count == 1)
            #expect(
                warnings.first?.hasPrefix(
                    #"target.where: no subscriber that was checked has a parameter "ctiy"; "#) == true)
        }
    }

    @Test(
        arguments: [
            (#"{"where": {"age": {">=": 30}}}"#, "age >= 30"),
            (
                #"{"where": {"or": [{"city": "Rome"}, {"city": {"in": ["Paris"]}}]}}"#,
                "city = Rome or city in (Paris)"
            ),
            (#"{"all": true, "exclude": {"userKeys": ["user1"]}}"#, "all, without 1 user key"),
            (
                #"{"userKeys": ["user1", "user2"], "exclude": {"tokens": ["\#(TestInstance.token(1))", "ab"]}}"#,
                "2 user keys, without 2 tokens"
            ),
            (
                #"{"all": true, "sample": {"share": 1, "seed": 7}}"#,
                "all, a sample of 100 % starting at 0 %, seed 7"
            ),
            (#"{"where": {"city": "Paris"}, "oncePerUser": true}"#, "city = Paris, once per user"),
            (#"{"all": true, "oncePerUser": false}"#, "all"),
        ] as [(String, String)])
    func `a target that matches something is accepted and described in words`(
        target: String, words: String
    ) throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2, parameters: #"{"city":"Paris","age":"30"}"#)
        let submitted = try Self.submit(target, to: instance)
        #expect(submitted.warnings.isEmpty)
        #expect(try instance.operations.carryOut(ShowDelivery(id: submitted.id)).order?.target == words)
    }

    private static let recipients = #"""
        {"recipients": [{"userKey": "user1", "variables": {"code": "A1", "city": "Ulm"}}, {"userKey": "user2"}]}
        """#

    @Test
    func `recipient variables need no declared parameter, and variables that no text uses cause a warning`()
        throws
    {
        let instance = try TestInstance.withApp()
        var app = TestInstance.stubApp("droid", platform: .android)
        app.parameters = [ParameterDeclaration(name: "city", kind: .text)]
        _ = try instance.operations.carryOut(app)
        try instance.subscribe(2, to: "droid")
        let target = try JSONSerialization.jsonObject(with: Data(Self.recipients.utf8))
        func submit(_ body: String) throws -> SubmittedDelivery {
            try instance.operations.carryOut(
                try TestInstance.submission(["apps": ["droid"], "target": target, "content": ["body": body]]))
        }
        let sent = try submit("{{code|-}} {{city}}")
        #expect(sent.warnings == [])
        let shown = try instance.operations.carryOut(ShowDelivery(id: sent.id)).order?.target
        #expect(shown == "2 user keys, each with city, code")
        #expect(
            try submit("{{city}}").warnings
                == ["recipients: no text of the content uses \"code\""])
        let error = #expect(throws: OperationError.self) { try submit("{{cod}}") }
        #expect(error?.description.contains("\"cod\"") == true)
    }

    @Test func `a dry run, a preview and a proof fill in each recipient's variables`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3, parameters: #"{"city":"Bonn"}"#)
        let target = try JSONSerialization.jsonObject(with: Data(Self.recipients.utf8))
        let changes: [String: Any] = ["target": target, "content": ["body": "{{code}} {{city}}"]]
        let document = try TestInstance.submission(changes).document
        let found = try instance.operations.carryOut(
            DryRunDelivery(document: document, documentName: "sale.json"))
        #expect(found.targeted == 2 && found.missingValues.map(\.name) == ["code"])
        #expect(found.apps.first?.sample?.payload.contains("A1 Ulm") == true)
        func preview(_ who: SubscriberName) throws -> String? {
            let preview = PreviewDelivery(document: document, documentName: "sale.json", who: who)
            let device = try instance.operations.carryOut(preview).devices.first
            return device?.message?.payload ?? device?.fault
        }
        #expect(try preview(.userKey("user1"))?.contains("A1 Ulm") == true)
        #expect(try preview(.userKey("user2")) == "no value for {{code}}")
        // For a device outside the target, the preview shows the first recipient's message.
        #expect(try preview(.token(TestInstance.token(3)))?.contains("A1 Ulm") == true)
        let proof = try instance.operations.carryOut(
            ProofDelivery(document: document, documentName: "sale.json", userKeys: ["user3", "user2"]))
        var fillings: [String] = []
        while true {
            let step = try instance.store.preparation.prepareChunk(of: proof.id, at: TestInstance.noon)
            if let part = step.part {
                var extent = MessageReader.Extent.parameters
                extent.hasVariables = true
                try instance.store.messageReader().pending(in: part, range: part.messages, reading: extent) {
                    _, _, _, filling in
                    fillings.append(String(decoding: (0..<filling.count).map { filling[$0] }, as: UTF8.self))
                }
            }
            if step.isComplete { break }
        }
        let city = #"{"city":"Bonn"}"#
        #expect(fillings.count == 2 && fillings.first == city)
        // A recipient's variables follow the parameters of their subscription.
        let own = try #require(fillings.last)
        #expect(own.hasPrefix(city))
        let said = try JSONSerialization.jsonObject(with: Data(own.dropFirst(city.count).utf8))
        #expect(said as? [String: String] == ["city": "Ulm", "code": "A1"])
    }

    @Test func `iOS tokens receive their variables whether their digits are upper or lower case`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(10)
        let token = TestInstance.token(10)
        let target: [String: Any] = [
            "recipients": [["token": token.uppercased(), "variables": ["code": "A1"]]]
        ]
        let changes: [String: Any] = ["target": target, "content": ["body": "{{code}}"]]
        let document = try TestInstance.submission(changes).document
        let found = try instance.operations.carryOut(
            DryRunDelivery(document: document, documentName: "sale.json"))
        #expect(found.targeted == 1 && found.missingValues.isEmpty)
        let seen = try instance.operations.carryOut(
            PreviewDelivery(document: document, documentName: "sale.json", who: .token(token)))
        #expect(seen.devices.first?.message?.payload.contains("A1") == true)
    }

    @Test func `a share is shown without superfluous digits, and a long expression is shortened`() throws {
        let instance = try TestInstance.withApp()
        func words(_ target: String) throws -> String? {
            let id = try Self.submit(target, allowEmpty: true, to: instance).id
            return try instance.operations.carryOut(ShowDelivery(id: id)).order?.target
        }
        #expect(
            try words(#"{"all": true, "sample": {"share": 0.125, "from": 0.000001}}"#)
                == "all, a sample of 12.5 % starting at 0.0001 %, seed 0")
        let cities = (1...200).map { #""Paris \#($0)""# }.joined(separator: ", ")
        let long = try words(#"{"where": {"city": {"in": [\#(cities)]}}}"#)
        #expect(long?.count == 401 && long?.hasSuffix("…") == true)
    }

    @Test func `iOS tokens are found whether their digits are upper or lower case`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(12)
        let spelled = TestInstance.token(10).uppercased()
        #expect(spelled != TestInstance.token(10))
        let rest = try Self.submit(
            #"{"all": true, "exclude": {"tokens": ["\#(spelled)"]}}"#, to: instance
        ).id
        try instance.accept(rest)
        let users = try instance.store.deliveries.log(of: rest).map(\.userKey)
        #expect(users.count == 11 && !users.contains("user10"))
        let one = try Self.submit(#"{"tokens": ["\#(spelled)"]}"#, to: instance).id
        try instance.accept(one)
        #expect(try instance.store.deliveries.log(of: one).map(\.userKey) == ["user10"])
    }

    @Test func `the devices that opened a delivery can be a target as soon as a device has opened it`() throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let first = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.accept(first)
        // The recipients of a delivery without tracking are known too.
        let untracked = try instance.operations.carryOut(
            try TestInstance.submission(["tracking": false])
        ).id
        try instance.accept(untracked)
        for source in [first, untracked] {
            let reached = try Self.submit(#"{"recipientsOf": \#(source)}"#, to: instance).id
            try instance.accept(reached)
            #expect(try instance.store.deliveries.log(of: reached).count == 3)
        }
        let nobody = try Self.submit(#"{"openersOf": \#(first)}"#, allowEmpty: true, to: instance)
        #expect(nobody.warnings == ["the target contains no subscriber"])
        let id = try Self.submit(#"{"nonOpenersOf": \#(first)}"#, to: instance).id
        #expect(
            try instance.operations.carryOut(ShowDelivery(id: id)).order?.target
                == "subscribers that have not opened a message of delivery \(first)")
        let app = try #require(try instance.store.catalogue.app(named: "ios"))
        let entry = try #require(try instance.store.deliveries.log(of: first).first)
        let hit = HitRecord(
            delivery: first, message: entry.message, number: entry.ordinal, app: app.id, kind: .clicked,
            at: TestInstance.noon)
        _ = try instance.store.hits.record([hit])
        let opened = try Self.submit(#"{"openersOf": \#(first)}"#, to: instance).id
        try instance.accept(opened)
        #expect(try instance.store.deliveries.log(of: opened).map(\.userKey) == [entry.userKey])
    }

    @Test
    func `a delivery that no device has opened is refused as a target, even if the target may be empty`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        #expect(
            Self.refusal(#"{"openersOf": 77}"#, by: instance)?.description
                == "sale.json: target.openersOf: there is no delivery 77")
        let untracked = try instance.operations.carryOut(
            try TestInstance.submission(["tracking": false])
        ).id
        #expect(
            Self.refusal(#"{"nonOpenersOf": \#(untracked)}"#, by: instance)?.description
                .hasPrefix("sale.json: target.nonOpenersOf: delivery \(untracked) was sent with") == true)
        _ = try instance.operations.carryOut(CreateService(name: "other"))
        let droid = TestInstance.stubApp("droid", platform: .android, service: "other")
        _ = try instance.operations.carryOut(droid)
        let other = try instance.operations.carryOut(
            try TestInstance.submission(["service": "other", "apps": ["droid"]])
        ).id
        #expect(
            Self.refusal(#"{"openersOf": \#(other)}"#, by: instance)?.description
                .contains("delivery \(other) belongs to another service") == true)
        #expect(try instance.operations.carryOut(ListDeliveries()).items.count == 2)
    }

    @Test func `a wrong expression is refused with its position`() throws {
        let instance = try TestInstance.withApp()
        #expect(
            Self.refusal(#"{"where": {"age": {"<": true}}}"#, by: instance)?.description
                == "sale.json: target.where.age.<: must be a string or a number, not a boolean")
        #expect(
            Self.refusal(#"{"all": true, "sample": 2}"#, by: instance)?.description
                .hasPrefix("sale.json: target.sample: must be a number greater than 0") == true)
    }
}
