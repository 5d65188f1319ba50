import PushModel
import PushStore
import TestSupport
import Testing

/// Tests which stored parameters a registration or an import keeps, and how names that an app does not
/// declare are counted.
@Suite(.eachEngine) struct ParametersOfUserTests {
    private static let noon = TemporaryStore.noon

    private func registration(
        _ number: Int, _ app: App, user: String = "ada", device: String = "", parameters: String? = nil,
        changes: [RegistrationParameter] = [], undeclared: [String] = []
    ) -> RegistrationRecord {
        var facts = DeviceFacts()
        facts.id = device
        var record = TemporaryStore.registration(
            number, with: app, user: user, parameters: parameters, device: facts)
        record.parameterChanges = changes
        record.undeclaredNames = undeclared
        return record
    }

    private func parameters(_ number: Int, _ app: App, _ fixture: TemporaryStore) throws -> String? {
        let found = try fixture.store.subscriberFinder.find(token: TemporaryStore.token(number), in: app.id)
        return try #require(found.first).parametersJSON
    }

    @Test(arguments: [
        ("ada", #"{"firstName":"Ada"}"#), ("bob", nil), ("", nil), ("Ada", nil),
    ])
    func `a device's new user does not inherit the parameters of the previous user`(
        user: String, kept: String?
    ) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let writer = fixture.store.registrations
            let ada = #"{"firstName":"Ada"}"#
            _ = try writer.register([
                registration(1, app, parameters: ada),
                registration(2, app, device: "device-2", parameters: ada),
            ])
            #expect(try writer.register([registration(1, app, user: user)]) == [.updated])
            #expect(try parameters(1, app, fixture) == kept)
            // The device has another token, and its parameters are found by its id.
            #expect(
                try writer.register([registration(3, app, user: user, device: "device-2")]) == [.moved])
            #expect(try parameters(3, app, fixture) == kept)
        }
    }

    @Test func `parameters that were stored without a user key belong to the device's first user`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let writer = fixture.store.registrations
            _ = try writer.register([registration(1, app, user: "", parameters: #"{"city":"Rome"}"#)])
            _ = try writer.register([registration(1, app, user: "ada")])
            #expect(try parameters(1, app, fixture) == #"{"city":"Rome"}"#)
            _ = try writer.register([registration(1, app, user: "bob")])
            #expect(try parameters(1, app, fixture) == nil)
        }
    }

    @Test func `an import that assigns a device to another user also erases the device's parameters`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let ada = #"{"firstName":"Ada"}"#
            func row(_ number: Int, _ user: String, _ parameters: String? = nil) -> SubscriberRecord {
                SubscriberRecord(
                    token: TemporaryStore.token(number), userKey: user, parametersJSON: parameters)
            }
            let importer = fixture.store.subscriberImporter
            _ = try importer.upsert((1...4).map { row($0, "ada", ada) }, into: app.id, at: Self.noon)
            let rows = [row(1, "ada"), row(2, "bob"), row(3, "bob", #"{"firstName":"Bob"}"#), row(4, "")]
            for registers in [false, true] {
                let counts = try importer.upsert(rows, into: app.id, at: Self.noon, registers: registers)
                #expect(counts.inserted == 0)
                let found = try (1...4).map { try parameters($0, app, fixture) }
                #expect(found == [ada, nil, #"{"firstName":"Bob"}"#, nil])
            }
        }
    }

    @Test func `changing single parameters keeps the other parameters, unless they belong to another user`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let writer = fixture.store.registrations
            let stored = #"{"city":"Rome","firstName":"Ada","points":"7"}"#
            let changes = [
                RegistrationParameter(name: "city", value: "Évry \"2\""),
                RegistrationParameter(name: "points", value: ""),
            ]
            _ = try writer.register([
                registration(1, app, parameters: stored),
                registration(2, app, device: "device-2", parameters: stored),
            ])
            _ = try writer.register([
                registration(1, app, changes: changes),
                registration(3, app, device: "device-2", changes: changes),
                registration(4, app, changes: changes),
            ])
            let changed = #"{"city":"Évry \"2\"","firstName":"Ada"}"#
            #expect(try parameters(1, app, fixture) == changed)
            #expect(try parameters(3, app, fixture) == changed)
            let alone = #"{"city":"Évry \"2\""}"#
            #expect(try parameters(4, app, fixture) == alone)
            _ = try writer.register([registration(1, app, user: "bob", changes: changes)])
            #expect(try parameters(1, app, fixture) == alone)
        }
    }

    @Test func `undeclared names are counted up to a limit`() throws {
        try TemporaryStore.with { fixture in
            let (app, other) = (try fixture.app("one"), try fixture.app("two"))
            let writer = fixture.store.registrations
            func names(_ app: App) throws -> [String] {
                try fixture.store.catalogue.undeclaredParameters(of: app).map {
                    "\($0.name ?? "-") \($0.registrations)"
                }
            }
            #expect(try names(app) == [])
            _ = try writer.register(
                [registration(1, app, undeclared: ["shoe", "fristName"])]
                    + (2...3).map { registration($0, app, undeclared: ["fristName"]) }
                    + [registration(4, other, undeclared: ["hat\n"])])
            #expect(try names(app) == ["fristName 3", "shoe 1"])
            #expect(try names(other) == [#"hat\n 1"#])
            _ = try writer.register(
                (0..<30).map { registration($0, app, undeclared: ["name-\($0)", "shoe"]) })
            let many = try names(app)
            // 20 names, and one row for the other 30 - 18.
            #expect(many.count == 21 && many.prefix(2) == ["shoe 31", "fristName 3"])
            #expect(many.last == "- \(30 - 18)")
            let long = (0..<100).map { String(repeating: "x", count: 5_000) + "\($0)" }
            _ = try writer.register([registration(1, other, undeclared: long)])
            #expect(try names(other).count == 3)
        }
    }

    @Test func `counts of undeclared names restart when the declared parameters change`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            _ = try fixture.store.registrations.register([registration(1, app, undeclared: ["shoe"])])
            _ = try fixture.writer.updateApp(app.id, to: app.settings, credential: nil)
            #expect(try fixture.store.catalogue.undeclaredParameters(of: app).count == 1)
            var settings = app.settings
            settings.parameters = [ParameterDeclaration(name: "shoe", kind: .number)]
            let changed = try fixture.writer.updateApp(app.id, to: settings, credential: nil)
            #expect(try fixture.rows("undeclared_parameter") == 0)
            // Another host that has not read the change yet.
            _ = try fixture.store.registrations.register([registration(1, app, undeclared: ["shoe", "cap"])])
            #expect(try fixture.store.catalogue.undeclaredParameters(of: changed).map(\.name) == ["cap"])
            _ = try fixture.store.registrations.register([registration(1, app, undeclared: ["hat"])])
            try fixture.writer.deleteApp(app.id, at: Self.noon)
            #expect(try fixture.rows("undeclared_parameter") == 0)
        }
    }
}
