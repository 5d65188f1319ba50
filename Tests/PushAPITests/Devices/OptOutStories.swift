import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import TestSupport
import Testing

@Suite struct OptOutStories {
    private static func body(_ number: Int, user: String = "", _ more: String = "") -> [UInt8] {
        let token = TestInstance.token(number)
        let user = user.isEmpty ? "" : "&userKey=\(user)"
        return Array("registrationToken=\(token)&mobileAppUuid=key%20of%20ios\(user)\(more)".utf8)
    }

    private func expectState(_ state: String, of user: String, _ devices: DeviceInstance) throws {
        let found = try devices.operations.everySubscriber(.userKey(user))
        #expect(found.map(\.state) == [state])
    }

    @Test func `a device opts out with a form or JSON, and a dry run counts it on its own`() async throws {
        let devices = try DeviceInstance()
        for number in 1...3 {
            let form = DeviceInstance.form(number, user: "user\(number)")
            #expect(await devices.register.perform(body: form, platform: .ios) == nil)
        }
        #expect(await devices.register.perform(.optOut, body: Self.body(1), platform: .ios) == nil)
        let token = TestInstance.token(2)
        let json = #" {"registrationToken": "\#(token)", "mobileAppUuid": "key of ios", "n": 1, "x": null}"#
        #expect(await devices.register.perform(.optOut, body: Array(json.utf8), platform: .ios) == nil)
        let submission = try TestInstance.submission()
        let view = try devices.operations.carryOut(
            DryRunDelivery(document: submission.document, documentName: "sale.json"))
        #expect(view.targeted == 1 && view.excluded == 2)
        #expect(view.exclusions.map(\.reason) == ["opted out"] && view.exclusions.map(\.count) == [2])
        let id = try devices.operations.carryOut(submission).id
        try devices.instance.prepare(id)
        let shown = try devices.operations.carryOut(ShowDelivery(id: id)).outcome
        #expect(shown?.exclusions.map(\.providerReason) == ["opted out"])
        let counts = try #require(try devices.operations.carryOut(CountSubscribers(app: "ios")).first)
        #expect(counts.valid == 1 && counts.optedOut == 2 && counts.subscribers == 3)
        let listed = try devices.operations.carryOut(ShowSubscribers(allOf: "ios", state: .optedOut))
        #expect(listed.items.map(\.optedOutBy) == ["device", "device"])
        // The registration at the next start of the app.
        let form = DeviceInstance.form(1, user: "user1")
        #expect(await devices.register.perform(body: form, platform: .ios) == nil)
        try expectState("optedOut", of: "user1", devices)
        #expect(
            await devices.register.perform(
                body: Self.body(1, user: "user1", "&optIn=true"), platform: .ios) == nil)
        try expectState("valid", of: "user1", devices)
    }

    @Test func `many registrations and opt-outs at the same time leave every device opted out`()
        async throws
    {
        let devices = try DeviceInstance()
        let register = devices.register
        await withTaskGroup(of: RegistrationRefusal?.self) { group in
            for number in 1...50 {
                let form = DeviceInstance.form(number, user: "user\(number)")
                for step in 0..<4 {
                    group.addTask {
                        step == 1
                            ? await register.perform(.optOut, body: Self.body(number), platform: .ios)
                            : await register.perform(body: form, platform: .ios)
                    }
                }
            }
            for await refusal in group { #expect(refusal == nil) }
        }
        let counts = try #require(try devices.operations.carryOut(CountSubscribers(app: "ios")).first)
        #expect(counts.optedOut == 50 && counts.valid == 0)
    }

    @Test func `an operator sets and lifts an opt-out, and each change is audited`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        let operations = instance.operations
        func set(_ state: SetSubscriberState.State, _ who: SubscriberName) throws -> [Int] {
            let done = try operations.carryOut(SetSubscriberState(who, to: state))
            return [done.changed, done.unchanged]
        }
        #expect(try set(.optedOut, .userKey("user1")) == [1, 0])
        #expect(try set(.optedOut, .userKey("user1")) == [0, 1])
        #expect(try operations.everySubscriber(.userKey("user1")).first?.optedOutBy == "operator")
        #expect(try set(.valid, .token(TestInstance.token(1))) == [1, 0])
        #expect(try operations.everySubscriber(.userKey("user1")).first?.state == "valid")
        // The opt-out of a removed device remains until it is lifted by its token.
        #expect(try set(.optedOut, .userKey("user2")) == [1, 0])
        _ = try operations.carryOut(RemoveSubscribers(.userKey("user2")))
        try instance.subscribe(2)
        #expect(try operations.everySubscriber(.userKey("user2")).first?.state == "optedOut")
        _ = try operations.carryOut(RemoveSubscribers(.userKey("user2")))
        #expect(try set(.valid, .token(TestInstance.token(2))) == [1, 0])
        for (who, kind) in [
            (SubscriberName.token(TestInstance.token(2)), OperationError.Kind.noMatch),
            (.userKey("nobody"), .noMatch), (.userKey(""), .usage),
        ] {
            let error = failure { () throws(OperationError) in
                _ = try operations.carryOut(SetSubscriberState(who, to: .valid))
            }
            #expect(error?.kind == kind)
        }
        let named = failure { () throws(OperationError) in
            _ = try operations.carryOut(
                SetSubscriberState(.userKey("user1"), to: .optedOut, reason: "letter of user1"))
        }
        #expect(named?.kind == .refused)
        let lines = try instance.store.audit.page(limit: 100).filter { $0.action == "subscribers.set" }
        #expect(lines.first?.what == "this token of all apps to valid")
    }

    @Test func `subscribers show explains which token replaces which`() async throws {
        let devices = try DeviceInstance()
        let model = "&deviceModel=iPhone&osName=iOS&osVersion=iOS%2018"
        for number in [1, 2] {
            let body = Self.body(number, user: "anna", model)
            #expect(await devices.register.perform(body: body, platform: .ios) == nil)
        }
        let shown = try devices.operations.everySubscriber(.userKey("anna"))
        #expect(shown.map(\.recognisedBy) == ["token", "token"])
        #expect(shown.first?.replacement.contains("may be the same device with its old token") == true)
        #expect(shown.last?.replacement.contains("may be the same") == false)
        let body = Self.body(3, user: "bert", "&deviceImei=a1b2c3d4")
        #expect(await devices.register.perform(body: body, platform: .ios) == nil)
        #expect(try devices.operations.everySubscriber(.userKey("bert")).first?.recognisedBy == "id")
        try devices.instance.subscribe(9)
        #expect(try devices.operations.everySubscriber(.userKey("user9")).first?.recognisedBy == "none")
    }

    @Test func `unknown keys are listed with platform, count and time, and an app's key is left out`()
        async throws
    {
        let devices = try DeviceInstance()
        for (key, platform) in [("com.example.wrong", Platform.ios), ("key of android", .ios)] {
            let form = DeviceInstance.form(1, key: key)
            #expect(await devices.register.perform(body: form, platform: platform)?.httpStatus == 404)
            // Only the first registration is written at once: the test's clock does not advance.
        }
        try await eventually("the key is counted") {
            try !devices.operations.carryOut(ListUnknownKeys()).isEmpty
        }
        let first = try #require(try devices.operations.carryOut(ListUnknownKeys()).first)
        #expect(first.integrationKey == "com.example.wrong" && first.platform == "ios")
        #expect(first.registrations == 1 && first.lastAt == TestInstance.noon.time)
        _ = try devices.operations.carryOut(
            CreateApp(
                name: "new", service: "neotrips", platform: .ios, integrationKey: "com.example.wrong",
                connector: "stub"))
        // A key that an app had before, and still accepts, is not unknown either.
        var update = UpdateApp(name: "new")
        update.addedIntegrationKey = "com.example.newer"
        _ = try devices.operations.carryOut(update)
        let left = try devices.operations.carryOut(ListUnknownKeys())
        #expect(!left.contains { $0.integrationKey == "com.example.wrong" })
    }
}
