import PushAPI
import PushModel
import PushStore
import PushWire
import TestSupport
import Testing

@Suite struct SendMessagesTests {
    private func send(
        _ instance: TestInstance, _ json: String, caller: String = "a", key: String? = nil
    ) throws -> [SentMessage] {
        let order = SendMessages(document: Array(json.utf8), caller: caller, idempotencyKey: key)
        do throws(OperationError) { return try instance.operations.carryOut(order).messages } catch {
            return [SentMessage(index: 0, refused: error)]
        }
    }

    @Test func `one message is accepted, and can be found by its id`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let sent = try send(
            instance, #"{"app": "ios", "userKey": "user2", "content": {"title": "Hello"}, "validity": "1h"}"#)
        let message = try #require(sent.first)
        #expect(message.fault == nil && message.devices.count == 1 && message.devices[0].state == "pending")
        #expect(instance.engine.wakeUps == 1)
        let shown = try instance.operations.carryOut(ShowMessage(id: message.devices[0].id))
        #expect(shown.userKey == "user2" && shown.state == "pending" && shown.delivery == message.delivery)
        #expect(shown.expiresAt.seconds(since: TestInstance.noon.time) == 3_600)
        let delivery = try instance.operations.carryOut(ShowDelivery(id: try #require(message.delivery)))
        #expect(delivery.order?.target.hasPrefix("single messages, accepted until") == true)
    }

    @Test
    func `each of several messages is accepted or refused separately, with its position and all reasons`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let sent = try send(
            instance,
            #"""
            [{"app": "ios", "userKey": "user1", "content": {"title": "Hello"}},
             {"app": "other", "userKey": "user1", "content": {"title": "Hello"}},
             {"app": "ios", "userKey": "nobody", "content": {"title": "Hello"}},
             {"app": "ios", "service": "neotrips", "content": {"titel": "Hello"}, "priority": "urgent"},
             {"app": "ios", "userKey": "user1", "content": {"body": "\#(String(repeating: "x", count: 6_000))"}},
             7,
             {"service": "neotrips", "token": "\#(TestInstance.token(2))", "content": {"title": "Hello"}}]
            """#)
        #expect(sent.map(\.index) == Array(0...6))
        #expect(
            sent.map(\.fault) == [nil, .refused, .noMatch, .refused, .refused, .refused, nil])
        #expect(sent[1].reasons == ["there is no app other; existing apps: ios"])
        #expect(sent[3].reasons.count == 4)
        #expect(sent[3].reasons.contains { $0.hasPrefix("content.titel: unknown") })
        #expect(sent[0].delivery == sent[6].delivery)
    }

    @Test func `a token finds its subscriber in each spelling, and a placeholder matches no subscriber`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let token = TestInstance.token(2)
        for spelled in [token, token.uppercased(), "<\(token.prefix(8)) \(token.dropFirst(8))>"] {
            let sent = try send(
                instance, #"{"app": "ios", "token": "\#(spelled)", "content": {"title": "Hello"}}"#)
            #expect(sent.map(\.fault) == [nil])
            #expect(
                try instance.operations.everySubscriber(.token(spelled), app: "ios").map(\.userKey)
                    == ["user2"])
        }
        let sent = try send(instance, #"{"app": "ios", "token": "(null)", "content": {"title": "Hello"}}"#)
        #expect(sent.map(\.fault) == [.refused])
    }

    @Test func `a key belongs to its caller, and is bound to the body of the request`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        func message(_ title: String) -> String {
            #"{"app": "ios", "userKey": "user1", "content": {"title": "\#(title)"}, "idempotencyKey": "k"}"#
        }
        let first = try send(instance, message("A"))
        let again = try send(instance, message("A"))
        #expect(again[0].devices == first[0].devices && again[0].isRepeated && !first[0].isRepeated)
        #expect(try send(instance, message("B"))[0].fault == .conflict)
        #expect(try send(instance, message("B"), caller: "b")[0].fault == nil)
    }

    @Test func `the same message is recognised in any notation of its JSON`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let written = [
            #"{"app": "ios", "userKey": "user1", "content": {"title": "A", "custom": {"n": 1, "t": "é"}}}"#,
            #"{"content":{"custom":{"t":"\u00e9","n":1.0},"title":"\u0041"},"userKey":"user1","app":"ios"}"#,
            #" [ { "userKey" : "user1", "content" : {"custom": {"n":1e0,"t":"é"}, "title":"A"}, "app":"ios" } ] "#,
        ]
        let first = try send(instance, written[0], key: "k")
        #expect(first[0].fault == nil && !first[0].isRepeated)
        for text in written.dropFirst() {
            let again = try send(instance, text, key: "k")
            #expect(again[0].isRepeated && again[0].devices == first[0].devices, "\(again)")
        }
        for other in [
            written[0].replacing("\"n\": 1", with: "\"n\": 2"),
            written[0].replacing("\"n\": 1", with: "\"n\": \"1\""),
        ] {
            #expect(try send(instance, other, key: "k")[0].fault == .conflict)
        }
    }

    @Test func `a message that an earlier version accepted is recognised by its original JSON text`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let written = #"{"userKey":"user1","app":"ios","content":{"title":"A","custom":{"n":1.5,"m":2}}}"#
        let app = try #require(try instance.store.catalogue.app(named: "ios"))
        var earlier = NewMessage(
            service: try #require(try instance.store.catalogue.service(app.service)),
            apps: [NewMessage.Addressee(app)], recipient: .userKey("user1"),
            content: MessageContent(json: Array(#"{"title":"A"}"#.utf8)))
        let first = try send(instance, written, key: "other")
        #expect(first[0].fault == nil)
        earlier.idempotency = IdempotencyKey(
            scope: "a", key: "k", body: Array(written.utf8))
        let accepted = try instance.store.accept([earlier], at: TestInstance.noon)[0].get()
        let again = try send(instance, written.replacing(":", with: " : "), key: "k")
        #expect(again[0].isRepeated && again[0].delivery == accepted.delivery && again[0].fault == nil)
        #expect(try send(instance, written.replacing("1.5", with: "2.5"), key: "k")[0].fault == .conflict)
    }

    @Test
    func `a key has at most 255 bytes, whether for one message, for each of several or for all of them`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let longest = String(repeating: "k", count: 255)
        let hello = #"{"app": "ios", "userKey": "user1", "content": {"title": "A"}}"#
        let many = "[\(hello), \(hello)]"
        for text in [hello, many] {
            let (sent, again) = (
                try send(instance, text, key: longest), try send(instance, text, key: longest)
            )
            #expect(sent.allSatisfy { $0.fault == nil && !$0.isRepeated })
            #expect(again.allSatisfy(\.isRepeated) && again.map(\.devices) == sent.map(\.devices))
            #expect(try send(instance, text, key: longest + "k").map(\.fault) == [.refused])
        }
        func own(_ key: String) -> String {
            hello.replacing(#"{"app""#, with: #"{"idempotencyKey": "\#(key)", "app""#)
        }
        let another = String(repeating: "j", count: 255)
        #expect(try send(instance, own(another))[0].fault == nil)
        #expect(try send(instance, own(another + "j"))[0].fault == .refused)
    }

    @Test func `if an app has changed since it was looked up, it is looked up again`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let hello = #"{"app": "ios", "userKey": "user1", "content": {"title": "A", "variables": {"x": "1"}}}"#
        #expect(try send(instance, hello)[0].fault == nil)
        let app = try #require(try instance.store.catalogue.app(named: "ios"))
        var settings = app.settings
        settings.variables = [AppVariable(name: "y", defaultValue: nil)]
        let writer = instance.store.catalogueWriter(key: try instance.store.instanceKey())
        _ = try writer.updateApp(app.id, to: settings, credential: nil)
        // The cache's clock does not advance, so the cache still contains the app's earlier state.
        let sent = try send(instance, hello)
        #expect(sent[0].fault == .refused && sent[0].reasons[0].contains("\"x\""))
    }

    @Test
    func `content that cannot arrive as intended causes a warning, or a refusal if no app can show it`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let sound =
            #"{"app": "ios", "userKey": "user1", "content": {"title": "A", "ios": {"sound": "chime"}}}"#
        for _ in 0..<2 {
            let sent = try send(instance, sound)
            #expect(sent[0].fault == nil && sent[0].warnings.count == 1)
            #expect(sent[0].warnings.first?.hasPrefix("app ios: sound \"chime\" is neither") == true)
        }
        let plain = try send(instance, sound.replacing("chime", with: "default"))
        #expect(plain[0].fault == nil && plain[0].warnings.isEmpty)
        for _ in 0..<2 {
            let silent = try send(
                instance,
                #"{"app": "ios", "userKey": "user1", "content": {"title": "A", "ios": {"type": "silent"}}}"#)
            #expect(silent[0].fault == .refused && silent[0].warnings.isEmpty)
            #expect(silent[0].reasons.first?.hasPrefix("content.title: a silent push is not shown") == true)
        }
    }

    @Test(arguments: ["", "{", "[]", "nonsense", "[[]]"])
    func `an invalid message is refused`(text: String) throws {
        let instance = try TestInstance.withApp()
        let sent = try? send(instance, text)
        #expect(sent?.allSatisfy { $0.fault == .refused } ?? true)
    }

    @Test(arguments: [
        "", "x", "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ])
    func `an invalid message id is refused`(id: String) throws {
        let instance = try TestInstance.withApp()
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(ShowMessage(id: id))
        }
        #expect(error?.kind == .absent)
    }
}
