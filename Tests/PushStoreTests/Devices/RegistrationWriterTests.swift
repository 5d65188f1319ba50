import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct RegistrationWriterTests {
    private static let noon = TemporaryStore.noon

    private func registration(
        _ number: Int, _ app: App, user: String = "anna", device: String = "",
        parameters: String?? = .none, after seconds: Int64 = 0
    ) -> RegistrationRecord {
        var facts = DeviceFacts()
        facts.id = device
        facts.osName = "android"
        facts.osVersion = "Android 13"
        facts.language = "fr-FR"
        return RegistrationRecord(
            app: app.id, token: TemporaryStore.token(number), userKey: user,
            parametersJSON: parameters ?? nil, replacesParameters: parameters != nil, device: facts,
            at: Self.noon.later(seconds: seconds))
    }

    private func subscriber(_ number: Int, _ app: App, _ fixture: TemporaryStore) throws -> SubscriberFacts? {
        try fixture.store.subscriberFinder.find(token: TemporaryStore.token(number), in: app.id).first
    }

    @Test func `a new token is inserted, and a known token is updated`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let writer = fixture.store.registrations
            #expect(
                try writer.register([registration(1, app, parameters: #"{"city":"Paris"}"#)]) == [.inserted])
            let first = try #require(try subscriber(1, app, fixture))
            #expect(first.userKey == "anna" && first.parametersJSON == #"{"city":"Paris"}"#)
            // The registration contains no parameters, so the stored ones remain.
            #expect(try writer.register([registration(1, app, after: 60)]) == [.updated])
            let second = try #require(try subscriber(1, app, fixture))
            #expect(second.userKey == "anna" && second.parametersJSON == #"{"city":"Paris"}"#)
            #expect(second.subscription == first.subscription && second.created == first.created)
            #expect(second.registered.seconds(since: first.registered) == 60)
            // The registration states that the device has none.
            #expect(
                try writer.register([registration(1, app, user: "", parameters: .some(nil))]) == [.updated])
            let third = try #require(try subscriber(1, app, fixture))
            #expect(third.userKey == "" && third.parametersJSON == nil)
            #expect(try fixture.store.subscriberFinder.find(userKey: "anna", in: app.id) == [])
            #expect(try fixture.store.subscriberFinder.find(userKey: "bert", in: app.id) == [])
            #expect(try fixture.rows("user_key") == 0)
        }
    }

    @Test func `a known device with another token keeps its subscription`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let writer = fixture.store.registrations
            #expect(try writer.register([registration(1, app, device: "a1b2c3d4")]) == [.inserted])
            let before = try #require(try subscriber(1, app, fixture))
            #expect(try writer.register([registration(2, app, user: "bert", device: "a1b2c3d4")]) == [.moved])
            let after = try #require(try subscriber(2, app, fixture))
            #expect(after.subscription == before.subscription && after.userKey == "bert")
            #expect(try subscriber(1, app, fixture) == nil)
            #expect(try fixture.store.subscriberFinder.find(userKey: "bert", in: app.id).count == 1)
            #expect(try fixture.store.subscriberFinder.find(userKey: "anna", in: app.id) == [])
            // Another device sends the earlier token, and becomes another subscription.
            #expect(try writer.register([registration(1, app, device: "e5f6a7b8")]) == [.inserted])
            // Then this device states that it is the first device.
            #expect(try writer.register([registration(1, app, device: "a1b2c3d4")]) == [.updated])
            #expect(try fixture.store.subscribers.count(of: app.id) == 1)
            #expect(try fixture.rows("device") == 1)
        }
    }

    @Test func `a missing id, a shared id and an id from another app do not identify a device`() throws {
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("one"), try fixture.app("two")]
            let writer = fixture.store.registrations
            for (index, device) in [
                "", "", "unknown", "UNKNOWN", "0000000000000000", "000", "0000000000000000",
                "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000",
                "02:00:00:00:00:00", "02:00:00:00:00:00", "abc", "abc",
            ]
            .enumerated() {
                #expect(try writer.register([registration(index, apps[0], device: device)]) == [.inserted])
            }
            #expect(try writer.register([registration(20, apps[0], device: "a1b2c3d4")]) == [.inserted])
            #expect(try writer.register([registration(21, apps[1], device: "a1b2c3d4")]) == [.inserted])
            #expect(try fixture.store.subscribers.count(of: apps[0].id) == 14)
        }
    }

    @Test func `a registration ends quarantine, even for a device with a new token`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            _ = try fixture.store.registrations.register([
                registration(1, app), registration(2, app, device: "a1b2c3d4"), registration(3, app),
            ])
            let (id, _) = try fixture.deliver(to: app)
            let messages = try fixture.log(id).map(\.message)
            try fixture.record(messages.map { TemporaryStore.bad($0) }, accepted: 1_000, of: id)
            try fixture.believe()
            let step = try fixture.store.verdicts.settleCleared(
                TemporaryStore.mark, rules: TemporaryStore.rules, at: Self.noon)
            #expect(step.quarantined == 3)
            _ = try fixture.store.registrations.register([
                registration(1, app, after: 60), registration(4, app, device: "a1b2c3d4", after: 60),
            ])
            #expect(try subscriber(1, app, fixture)?.state == nil)
            #expect(try subscriber(4, app, fixture)?.state == nil)
            #expect(try subscriber(3, app, fixture)?.state == .quarantined)
            #expect(try fixture.rows("quarantine") == 1)
        }
    }

    @Test func `a deleted app accepts no registration, and none of its devices remain`() throws {
        try TemporaryStore.with { fixture in
            let (app, other) = (try fixture.app("one"), try fixture.app("two"))
            _ = try fixture.store.registrations.register(
                (1...5).map { registration($0, app, device: "dev-\($0)") })
            try fixture.writer.deleteApp(app.id, at: Self.noon)
            #expect(try fixture.rows("device") == 0)
            let ends = try fixture.store.registrations.register([
                registration(6, app), registration(7, other), registration(1, app, device: "dev-1"),
            ])
            #expect(ends == [.noApp, .inserted, .noApp])
            #expect(try fixture.rows("subscription") == 1 && fixture.rows("device") == 1)
        }
    }

    @Test func `removing a subscriber also removes its device`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            _ = try fixture.store.registrations.register([registration(1, app, device: "a1b2c3d4")])
            let found = try #require(try subscriber(1, app, fixture))
            _ = try fixture.store.subscriberRemover.remove([found.subscription], at: Self.noon)
            #expect(try fixture.rows("device") == 0)
            #expect(
                try fixture.store.registrations.register([registration(2, app, device: "a1b2c3d4")]) == [
                    .inserted
                ])
        }
    }

    /// Registrations arrive in arbitrary pages. The stored data must match the last registration for each
    /// token, and no device may have two tokens.
    @Test func `registering devices in pages has the same result as registering them one by one`() throws {
        var dice = SeededRandom(seed: 17)
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("one"), try fixture.app("two")]
            var model = Model()
            for _ in 0..<25 {
                let page = (0..<dice.below(40)).map { _ in
                    registration(
                        dice.below(30), apps[dice.below(2)],
                        user: dice.one(in: 5) ? "" : "user-\(dice.below(4))",
                        device: dice.one(in: 3) ? "" : "device-\(dice.below(12))",
                        parameters: dice.one(in: 2) ? .none : .some(#"{"n":"\#(dice.below(9))"}"#))
                }
                let ends = try fixture.store.registrations.register(page)
                for registration in page { model.register(registration) }
                #expect(!ends.contains(.noApp))
            }
            var userKeys = 0
            for app in apps {
                let found = try fixture.store.subscribers.page(of: app.id).records
                #expect(Set(found.map(\.token)) == model.tokens(of: app.id))
                for record in found {
                    let wanted = model.rows[app.id]?[record.token]
                    #expect(record.userKey == wanted?.userKey && record.parametersJSON == wanted?.parameters)
                    guard !record.userKey.isEmpty else { continue }
                    userKeys += 1
                    #expect(
                        try fixture.store.subscriberFinder.find(userKey: record.userKey, in: app.id)
                            .contains { $0.token == record.token })
                }
            }
            #expect(try fixture.rows("device") == fixture.rows("subscription"))
            #expect(try fixture.rows("user_key") == userKeys)
        }
    }

    /// The result that the rule requires, calculated only with dictionaries.
    private struct Model {
        struct Subscriber {
            var userKey: String
            var parameters: String?
            var device: String
        }
        var rows: [AppID: [String: Subscriber]] = [:]

        func tokens(of app: AppID) -> Set<String> { Set(rows[app]?.keys.map(\.self) ?? []) }

        mutating func register(_ registration: RegistrationRecord) {
            var all = rows[registration.app] ?? [:]
            let device = registration.device.id
            let same =
                device.isEmpty ? nil : all.first { $0.value.device == device && $0.key != registration.token }
            let known = all[registration.token] ?? same?.value
            if let same { all[same.key] = nil }
            all[registration.token] = Subscriber(
                userKey: registration.userKey,
                parameters: registration.replacesParameters
                    ? registration.parametersJSON
                    : known.flatMap {
                        ["", registration.userKey].contains($0.userKey) ? $0.parameters : nil
                    },
                device: device)
            rows[registration.app] = all
        }
    }
}
