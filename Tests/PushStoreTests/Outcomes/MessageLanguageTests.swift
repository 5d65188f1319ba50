import PushModel
import PushStore
import Testing

/// Tests the values with which messages are filled if their content depends on the device's language.
@Suite(.eachEngine) struct MessageLanguageTests {
    private func text(_ bytes: Span<UInt8>) -> String {
        String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
    }

    private func register(_ number: Int, _ app: App, language: String, parameters: String?)
        -> RegistrationRecord
    {
        var facts = DeviceFacts()
        facts.language = language
        return TemporaryStore.registration(
            number, with: app, user: "anna", parameters: parameters, device: facts)
    }

    @Test func `the device's language precedes its parameters, and is empty if the device reported none`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            _ = try fixture.store.registrations.register([
                register(1, app, language: "fr-FR", parameters: #"{"city":"Paris"}"#),
                register(2, app, language: "", parameters: nil),
            ])
            _ = try fixture.subscribe(3...3, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            var fillings: [String] = []
            let reader = try fixture.store.messageReader()
            for _ in 0..<2 {
                // The second pass reads the part that was read last.
                try reader.pending(in: part, range: part.messages, reading: .filling(withLanguage: true)) {
                    _, token, userKey, filling in
                    #expect(!token.isEmpty && userKey.isEmpty)
                    fillings.append(text(filling))
                }
            }
            #expect(fillings.count == 6 && fillings.prefix(3) == fillings.suffix(3))
            #expect(fillings[0] == "\nfr-FR\n" + #"{"city":"Paris"}"#)
            #expect(fillings[1] == "\n\n" && fillings[2].hasPrefix("\n\n"))
            var plain: [String] = []
            try reader.pending(in: part, range: part.messages, reading: .parameters) { _, _, _, parameters in
                plain.append(text(parameters))
            }
            #expect(plain[0] == #"{"city":"Paris"}"#)
            let found = try fixture.store.subscriberFinder.find(token: TemporaryStore.token(1), in: app.id)
            #expect(found.first?.device.language == "fr-FR")
        }
    }

    @Test func `a line feed in a language does not corrupt the parameters`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            _ = try fixture.store.registrations.register([
                register(1, app, language: "fr", parameters: #"{"city":"Paris"}"#)
            ])
            try fixture.alter("UPDATE device SET language = 'fr\n{\"city\":\"x\"}'")
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            var fillings: [String] = []
            try fixture.store.messageReader().pending(
                in: part, range: part.messages, reading: .filling(withLanguage: true)
            ) { _, _, _, filling in fillings.append(text(filling)) }
            #expect(fillings == ["\nfr {\"city\":\"x\"}\n" + #"{"city":"Paris"}"#])
        }
    }

    @Test func `a target is read with languages if requested`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            _ = try fixture.store.registrations.register([
                register(1, app, language: "de_AT", parameters: #"{"a":"1"}"#)
            ])
            var fillings: [String] = []
            try fixture.store.targetWalk.forEachPage(
                of: fixture.order(.all, apps: [app]), at: TemporaryStore.noon.time,
                wanting: { _ in .everybody }, withLanguage: true
            ) { page in
                fillings += page.recipients.map { String(decoding: $0.parameters, as: UTF8.self) }
            }
            #expect(fillings == ["\nde_AT\n" + #"{"a":"1"}"#])
        }
    }
}
