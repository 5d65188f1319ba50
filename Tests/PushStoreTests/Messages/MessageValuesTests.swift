import PushModel
import PushStore
import Testing

/// Tests the values with which single messages are accepted, and their times of sending.
@Suite(.eachEngine) struct MessageValuesTests {
    private let noon = TemporaryStore.noon

    private static func text(_ bytes: Span<UInt8>) -> String {
        String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
    }

    /// Returns a message whose content needs `code`, and uses `city` if there is one.
    private func message(
        to user: String, _ variables: [(String, String)], of app: App, in fixture: TemporaryStore
    ) throws -> NewMessage {
        var message = try fixture.message(to: .userKey(user), of: app, alert: "{{code}} {{city|}}")
        let need = NewMessage.Filling.Need(names: ["code", "city"]) { values in
            // The texts of these tests contain no escapes.
            String(decoding: values, as: UTF8.self).contains(#""code":"""#) ? ["code"] : []
        }
        message.filling = NewMessage.Filling(
            variables: variables.map { ContentVariable(name: $0.0, value: $0.1) }, needs: [app.id: need])
        return message
    }

    private func subscribe(_ users: [(String, String?)], to app: App, in fixture: TemporaryStore) throws {
        let records = users.enumerated().map {
            SubscriberRecord(token: TemporaryStore.token($0), userKey: $1.0, parametersJSON: $1.1)
        }
        _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: noon)
    }

    /// Returns the fillings of all waiting messages, by user key.
    private func fillings(in fixture: TemporaryStore) throws -> [String: String] {
        let reader = try fixture.store.messageReader()
        var found: [String: String] = [:]
        for part in try fixture.openParts() {
            let terms = try fixture.store.deliveries.sendingTerms(
                of: part.delivery, part.content, to: part.app)
            var extent = MessageReader.Extent.person
            extent.hasVariables = terms.hasVariables
            try reader.pending(in: part, range: part.messages, reading: extent) { _, _, userKey, parameters in
                found[Self.text(userKey)] = Self.text(parameters)
            }
        }
        return found
    }

    @Test func `each message keeps its own values, also if parameters change or the store is reopened`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let users = (1...70).map { ("user-\($0)", #"{"city":"Ulm"}"# as String?) }
            try subscribe(users, to: app, in: fixture)
            var messages = try (1...70).map {
                try message(to: "user-\($0)", [("code", "\($0)")], of: app, in: fixture)
            }
            messages.append(try fixture.message(to: .userKey("user-1"), of: app, alert: "plain"))
            let accepted = try fixture.accept(messages)
            #expect(accepted.count == 71)
            // Messages with values share their content, and have another content than those without.
            #expect(try fixture.query("SELECT count(*) FROM message_content") == ["2"])
            let plain = accepted[70].devices[0].message
            let part = try #require(try fixture.openParts().first { $0.messages.contains(plain) })
            #expect(
                try !fixture.store.deliveries.sendingTerms(of: part.delivery, part.content, to: app.id)
                    .hasVariables)
            try fixture.accept([plain], of: accepted[70].delivery)
            try subscribe(users.map { ($0.0, #"{"city":"Bonn"}"#) }, to: app, in: fixture)
            let found = try fillings(in: fixture)
            #expect(found.count == 70)
            #expect(found["user-7"] == #"{"city":"Bonn"}{"code":"7","city":"Ulm"}"#)
            let more = try fixture.accept([
                try message(to: "user-7", [("code", "8")], of: app, in: fixture)
            ])
            #expect(more[0].delivery == accepted[0].delivery)
            #expect(try fixture.query("SELECT count(*) FROM message_content") == ["2"])
        }
    }

    @Test func `a message is refused if a device to which it would be sent lacks a value`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try subscribe(
                [("anna", nil), ("anna", #"{"code":"7"}"#), ("bob", #"{"code":"8"}"#)], to: app, in: fixture)
            func send(_ user: String, _ variables: [(String, String)]) throws -> MessageResult {
                fixture.store.accept(
                    [try message(to: user, variables, of: app, in: fixture)], at: noon)[0]
            }
            let refused = MessageResult.failure(.missing(names: ["code"], devices: 1, of: 2))
            #expect(try send("anna", []) == refused && send("anna", [("code", "")]) == refused)
            #expect(try send("bob", []).get().devices.count == 1)
            #expect(try fillings(in: fixture) == ["bob": #"{"code":"8"}{"code":"8","city":""}"#])
            #expect(try send("anna", [("code", "9")]).get().devices.count == 2)
            // A device in quarantine gets no message, so it needs no value.
            try fixture.alter(
                "UPDATE subscription SET disabled = 2 WHERE user_key = 'anna' AND parameters IS NULL")
            let sent = try send("anna", []).get()
            #expect(sent.devices.count { $0.exclusion == nil } == 1)
        }
    }

    @Test func `values are erased with a person, and if the device gets another user`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try subscribe([("anna", nil), ("bob", nil)], to: app, in: fixture)
            _ = try fixture.accept([
                try message(to: "anna", [("code", "secret-a")], of: app, in: fixture),
                try message(to: "bob", [("code", "secret-b")], of: app, in: fixture),
            ])
            #expect(try fillings(in: fixture)["anna"]?.contains("secret-a") == true)
            try subscribe([("eve", nil)], to: app, in: fixture)
            let found = try fillings(in: fixture)
            #expect(found["eve"] == "" && found["bob"]?.contains("secret-b") == true)
        }
    }

    @Test func `a time that has passed or is too far ahead is refused, but not if a request is repeated`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            func send(in seconds: Int64, key: String? = nil, at now: WallMoment) throws -> MessageResult {
                var message = try fixture.message(to: .userKey("user-1"), of: app, key: key)
                message.start = noon.time.advanced(bySeconds: seconds)
                return fixture.store.accept([message], at: now)[0]
            }
            let start = noon.time
            #expect(
                try send(in: -61, at: noon)
                    == .failure(.past(start.advanced(bySeconds: -61), now: noon.time)))
            #expect(try send(in: -60, at: noon).get().devices.count == 1)
            let most = NewMessage.maxDaysAhead * 86_400
            #expect(try send(in: most, at: noon).get().devices.count == 1)
            #expect(
                try send(in: most + 1, at: noon)
                    == .failure(
                        .tooFarAhead(
                            start.advanced(bySeconds: most + 1), latest: start.advanced(bySeconds: most))))
            let first = try send(in: 60, key: "k", at: noon).get()
            let again = try send(in: 60, key: "k", at: noon.later(seconds: 3_600)).get()
            #expect(again.isRepeated && again.devices == first.devices)
        }
    }
}
