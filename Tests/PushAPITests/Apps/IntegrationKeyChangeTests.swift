import PushAPI
import PushModel
import PushStore
import TestRequests
import Testing

/// Tests of the second integration key of an app, as use cases change and show it.
@Suite struct IntegrationKeyChangeTests {
    private static func update(
        _ name: String = "ios", add: String? = nil, retire: String? = nil, replace: String? = nil
    ) -> UpdateApp {
        var update = UpdateApp(name: name, integrationKey: replace)
        (update.addedIntegrationKey, update.retiredIntegrationKey) = (add, retire)
        return update
    }

    private static func register(_ number: Int, key: String, with devices: DeviceInstance) async -> Bool {
        await devices.register.perform(
            body: DeviceInstance.form(number, key: key, user: "user\(number)"), platform: .ios) == nil
    }

    @Test func `devices register with both keys, and each key shows its registrations`() async throws {
        let devices = try DeviceInstance()
        #expect(await Self.register(1, key: "key of ios", with: devices))
        let change = try devices.operations.carryOut(Self.update(add: "new"))
        #expect(change.app.integrationKey == "new" && change.app.formerIntegrationKey == "key of ios")
        #expect(change.warnings == [])
        for (number, key) in [(1, "key of ios"), (2, "key of ios"), (3, "new")] {
            #expect(await Self.register(number, key: key, with: devices))
        }
        let keys = try devices.operations.carryOut(ShowApp(name: "ios")).integrationKeys
        #expect(keys.map(\.key) == ["new", "key of ios"] && keys.map(\.registrations) == [1, 2])
        #expect(keys.allSatisfy { $0.isInUse && $0.lastAt == TestInstance.noon.time })

        let retired = try devices.operations.carryOut(Self.update(retire: "key of ios"))
        #expect(retired.app.formerIntegrationKey == nil && retired.warnings.count == 1)
        #expect(retired.warnings.first?.contains("2 registrations since") == true, "\(retired.warnings)")
        #expect(await !Self.register(1, key: "key of ios", with: devices))
        #expect(await Self.register(1, key: "new", with: devices))
        let shown = try devices.operations.carryOut(ShowApp(name: "ios"))
        #expect(shown.integrationKeys == [] && shown.subscribers == 3)
    }

    @Test func `a key without a registration for 30 days can be retired without a warning`() async throws {
        let devices = try DeviceInstance()
        _ = try devices.operations.carryOut(Self.update(add: "new"))
        #expect(await Self.register(1, key: "key of ios", with: devices))
        func operations(afterDays days: Int64) -> Operations {
            let present = devices.operations
            return Operations(
                configuration: present.configuration, store: present.store, engine: present.engine,
                clock: OperationsClock(
                    moment: { WallMoment(TestInstance.noon.time.advanced(bySeconds: days * 86_400)) },
                    monotonic: { MonotonicTime(nanoseconds: 0) }),
                caller: "a test")
        }
        func former(afterDays days: Int64) throws -> IntegrationKeyState? {
            try operations(afterDays: days).carryOut(ShowApp(name: "ios")).integrationKeys.last
        }
        #expect(try former(afterDays: 29)?.isInUse == true)
        #expect(try former(afterDays: 30)?.isInUse == false)
        #expect(
            try operations(afterDays: 30).carryOut(Self.update(retire: "key of ios")).warnings == [])
    }

    @Test func `the new key can be retired instead, and one request can retire one key and add another`()
        throws
    {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(Self.update(add: "new"))
        let back = try instance.operations.carryOut(Self.update(retire: "new")).app
        #expect(back.integrationKey == "key of ios" && back.formerIntegrationKey == nil)
        _ = try instance.operations.carryOut(Self.update(add: "second"))
        let third = try instance.operations.carryOut(Self.update(add: "third", retire: "key of ios")).app
        #expect(third.integrationKey == "third" && third.formerIntegrationKey == "second")
        let replaced = try instance.operations.carryOut(Self.update(replace: "fourth")).app
        #expect(replaced.integrationKey == "fourth" && replaced.formerIntegrationKey == "second")
    }

    @Test func `an impossible change of keys is refused and changes nothing`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        _ = try instance.operations.carryOut(Self.update(add: "new"))
        let before = try instance.operations.carryOut(ShowApp(name: "ios"))
        for (update, kind, words) in [
            (Self.update(add: "third"), OperationError.Kind.conflict, "app ios already has two"),
            (Self.update(retire: "other"), .refused, "app ios has no integration key other"),
            (Self.update(replace: "key of ios"), .conflict, "app ios already has the integration key"),
            (Self.update(replace: "key of droid"), .conflict, "app droid already has this integration key"),
            (Self.update("droid", add: "key of droid"), .conflict, "app droid already has the integration"),
            (Self.update("droid", add: "key of ios"), .conflict, "app ios already has this integration key"),
            (Self.update("droid", add: "two\nlines"), .refused, "the integration key"),
            (Self.update("droid", retire: "key of droid"), .conflict, "key of droid is the only integration"),
        ] {
            let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(update) }
            #expect(error?.kind == kind && error?.lines.count == 1)
            #expect(error?.description.hasPrefix(words) == true, "\(String(describing: error))")
        }
        #expect(try instance.operations.carryOut(ShowApp(name: "ios")) == before)
    }
}
