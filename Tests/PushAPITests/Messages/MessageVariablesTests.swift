import PushAPI
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests single messages whose content or template has placeholders.
@Suite struct MessageVariablesTests {
    private static let template = #"""
        {"content": {"title": "{{name|Hello}}", "body": "{{code}} at {{day:date}}"}}
        """#

    private func instance(parameters: String? = nil) throws -> TestInstance {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2, parameters: parameters)
        return instance
    }

    private func send(
        _ instance: TestInstance, _ members: String, app: String = "ios"
    ) throws -> SentMessage {
        let json = #"[{"app": "\#(app)", "userKey": "user1", \#(members)}]"#
        let order = SendMessages(document: Array(json.utf8), caller: "a")
        return try #require(try instance.operations.carryOut(order).messages.first)
    }

    /// Returns the values of the newest message, as they are added to the subscriber's parameters.
    private func filling(_ instance: TestInstance) throws -> String? {
        let parts = try instance.store.work.openParts(limit: 5_000).parts
        guard let part = parts.max(by: { $0.id.rawValue < $1.id.rawValue }) else { return nil }
        var extent = MessageReader.Extent.parameters
        extent.hasVariables = try instance.store.deliveries.sendingTerms(
            of: part.delivery, part.content, to: part.app
        ).hasVariables
        var found: String?
        try instance.store.messageReader().pending(in: part, range: part.messages, reading: extent) {
            _, _, _, parameters in
            found = String(decoding: (0..<parameters.count).map { parameters[$0] }, as: UTF8.self)
        }
        return found
    }

    @Test func `values fill the placeholders of a template, and missing ones are named`() throws {
        let instance = try instance()
        try instance.save(Self.template, as: "code")
        let lacking = try send(instance, #""template": "code""#)
        #expect(lacking.fault == .refused && lacking.devices.isEmpty)
        let reason =
            "variables: no value for {{code}}, {{day}}; give each value in variables, or write a default "
            + "into the text, such as {{name|default}}"
        #expect(lacking.reasons == [reason])
        let wrong = try send(
            instance, #""template": "code", "variables": {"code": "x", "day": "tomorrow"}"#)
        #expect(wrong.reasons.first?.hasPrefix("variables: no value for {{day:date}}; ") == true)
        let sent = try send(
            instance, #""template": "code", "variables": {"code": 7, "day": "2026-11-21", "extra": true}"#)
        #expect(sent.fault == nil && sent.devices.map(\.state) == ["pending"])
        #expect(
            sent.warnings == [
                "variables: neither a text of the content nor an application variable uses \"extra\""
            ])
        let filling = try #require(try self.filling(instance))
        for member in [#""name":"""#, #""code":"7""#, #""day":"2026-11-21""#] {
            #expect(filling.contains(member), "\(filling)")
        }
    }

    @Test func `facts about the subscriber count as values, and a fact that is missing is named`() throws {
        let instance = try instance()
        #expect(try send(instance, #""content": {"body": "{{userKey}}"}"#).fault == nil)
        #expect(try filling(instance)?.hasSuffix(#"{"userKey":"user1"}"#) == true)
        let lacking = try send(instance, #""content": {"body": "{{osName}}"}"#)
        #expect(lacking.fault == .refused)
        #expect(lacking.reasons.first?.hasPrefix("variables: no value for {{osName}}; ") == true)
    }

    @Test func `parameters of the subscriber count as values, and the message's own values come first`()
        throws
    {
        let instance = try instance(parameters: #"{"code":"8","day":"2026-11-20"}"#)
        try instance.save(Self.template, as: "code")
        #expect(try send(instance, #""template": "code""#).fault == nil)
        // The parameters are followed by the values that the message keeps.
        #expect(try filling(instance)?.split(separator: "}{").last?.contains(#""code":"8""#) == true)
        #expect(
            try send(instance, #""content": {"body": "{{code}}"}, "variables": {"code": "9"}"#).fault == nil)
        #expect(try filling(instance)?.hasSuffix(#"{"code":"9"}"#) == true)
    }

    @Test func `a name that no app declares is refused, unless the message or its template gives it a value`()
        throws
    {
        let instance = try instance()
        var declaring = TestInstance.stubApp("declaring")
        declaring.parameters = [.init(name: "city", kind: .text)]
        declaring.variables = [AppVariable(name: "screen", defaultValue: nil)]
        _ = try instance.operations.carryOut(declaring)
        try instance.subscribe(1, to: "declaring")
        let text = #""content": {"body": "{{code|none}}", "variables": {"screen": "x"}}"#
        let refused = try send(instance, text, app: "declaring")
        #expect(refused.fault == .refused && refused.reasons.first?.contains(#"a parameter "code""#) == true)
        #expect(refused.reasons.first?.contains("give its value in variables") == true)
        for _ in 0..<2 {
            let sent = try send(instance, text + #", "variables": {"code": "7"}"#, app: "declaring")
            #expect(sent.fault == nil && sent.warnings.isEmpty, "\(sent)")
        }
        let saved = try instance.save(
            #"{"content": {"body": "{{code|none}} {{number}}", "variables": {"screen": "x"}}}"#, as: "code")
        #expect(saved.warnings.contains { $0.contains(#""number""#) })
        let lacking = try send(instance, #""template": "code""#, app: "declaring")
        #expect(lacking.fault == .refused && lacking.reasons.first?.contains("number") == true)
        let number = #""template": "code", "variables": {"number": 1}"#
        #expect(try send(instance, number, app: "declaring").fault == nil)
    }

    @Test func `values are also those of application variables that the content does not give`() throws {
        let instance = try instance()
        var declaring = TestInstance.stubApp("declaring")
        declaring.variables = [
            AppVariable(name: "order", defaultValue: nil), AppVariable(name: "screen", defaultValue: "home"),
        ]
        _ = try instance.operations.carryOut(declaring)
        try instance.subscribe(1, to: "declaring")
        let lacking = try send(instance, #""content": {"title": "x"}"#, app: "declaring")
        #expect(lacking.fault == .refused && lacking.reasons.first?.contains("order") == true)
        let sent = try send(
            instance, #""content": {"title": "x"}, "variables": {"order": 77, "screen": "cart"}"#,
            app: "declaring")
        #expect(sent.fault == nil && sent.warnings.isEmpty, "\(sent)")
        let filling = try #require(try self.filling(instance))
        #expect(filling.contains(#""order":"77""#) && filling.contains(#""screen":"cart""#))
        // The content's own value is used.
        let own = try send(
            instance,
            #""content": {"title": "x", "variables": {"order": "1"}}, "variables": {"order": 2}"#,
            app: "declaring")
        #expect(own.fault == nil && own.warnings.count == 1)
        #expect(try self.filling(instance) == "")
    }

    @Test func `the variables belong to the request that an idempotency key identifies`() throws {
        let instance = try instance()
        func send(_ code: String) throws -> SentMessage {
            try self.send(
                instance,
                #""content": {"body": "{{code}}"}, "variables": {"code": "\#(code)"}, "idempotencyKey": "k""#)
        }
        let first = try send("7")
        let again = try send("7")
        #expect(again.isRepeated && again.devices == first.devices)
        #expect(try send("8").fault == .conflict)
    }

    @Test(arguments: [
        (#"{"": "x"}"#, "variables: a variable has no name"),
        (#"{"code": [1]}"#, "variables.code: must be a string, an integer or a boolean"),
        (#"{"code": 1.5}"#, "variables.code: a fraction; write it as a string with the exact digits"),
        ("[]", "variables: must be an object"), ("7", "variables: must be an object"),
    ])
    func `variables of the wrong kind are refused, and the error does not contain their values`(
        variables: String, reason: String
    ) throws {
        let sent = try send(
            try instance(), #""content": {"body": "{{code|x}}"}, "variables": \#(variables)"#)
        #expect(sent.fault == .refused && sent.devices.isEmpty)
        #expect(sent.reasons.first?.hasPrefix(reason) == true, "\(sent.reasons)")
    }

    @Test func `variables that are too long are refused`() throws {
        let long = String(repeating: "x", count: 4_096)
        let sent = try send(
            try instance(), #""content": {"body": "{{code}}"}, "variables": {"code": "\#(long)"}"#)
        #expect(sent.fault == .refused)
        #expect(sent.reasons.first?.hasPrefix("variables: must have at most 4096 bytes") == true)
        #expect(sent.reasons.first?.contains("xxx") == false)
    }
}
