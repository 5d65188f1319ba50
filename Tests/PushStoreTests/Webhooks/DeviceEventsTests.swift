import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct DeviceEventsTests {
    private static let noon = TemporaryStore.noon

    private func record(
        _ number: Int, _ app: App, user: String = "anna", _ purpose: RegistrationRecord.Purpose = .register
    ) -> RegistrationRecord {
        var record = TemporaryStore.registration(number, with: app, user: user)
        record.purpose = purpose
        return record
    }

    @Test func `devices that register, unregister and opt out cause events, each once`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let crm = try fixture.webhook([.registered, .unregistered, .optedOut])
            let writer = fixture.store.registrations
            for request in [
                record(1, app), record(2, app, user: ""),
                // A repeated registration causes no event; a login causes one.
                record(1, app), record(2, app, user: "bert"),
                record(1, app, .optOut), record(1, app, .optOut),
                record(2, app, .unregister), record(2, app, .unregister),
            ] { _ = try writer.register([request]) }
            let bert = try fixture.store.subscriberFinder.find(userKey: "anna", in: app.id)
            _ = try fixture.store.optOutWriter.set(false, of: bert.map(\.subscription), at: Self.noon)
            _ = try fixture.store.optOutWriter.set(true, of: bert.map(\.subscription), at: Self.noon)
            let page = try fixture.events(for: crm)
            #expect(page.missing == 0)
            #expect(
                page.events.map { "\($0.kind.name) \($0.userKey) \($0.source ?? "")" } == [
                    "registered anna ", "registered bert ", "registered bert ", "optedOut anna device",
                    "unregistered bert ", "optedOut anna operator",
                ])
            #expect(page.events.allSatisfy { $0.app == app.name && $0.message == nil && $0.delivery == nil })
        }
    }

    @Test func `without a webhook that wants them, no event is written`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            _ = try fixture.webhook([.sent, .quarantined])
            _ = try fixture.store.registrations.register([record(1, app), record(1, app, .optOut)])
            #expect(try fixture.query("SELECT count(*) FROM webhook_event") == ["0"])
        }
    }

    @Test func `registrations of one transaction are one record`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let crm = try fixture.webhook([.registered])
            _ = try fixture.store.registrations.register(
                (1...300).map { record($0, app, user: "user-\($0)") })
            #expect(try fixture.query("SELECT count(*) FROM webhook_event") == ["1"])
            let page = try fixture.events(for: crm)
            #expect(Set(page.events.map(\.userKey)).count == 300)
        }
    }
}
