import PushAPI
import PushModel
import PushStore
import Testing

struct QuarantineOperationsTests {
    private static func storm(_ subscribers: Int) throws -> TestInstance {
        let instance = try TestInstance.withApp()
        try instance.subscribe(subscribers)
        try instance.refuse(try instance.operations.carryOut(try TestInstance.submission()).id)
        return instance
    }

    @Test func `a storm is shown with its subject, and is confirmed by its app's name`() throws {
        let instance = try Self.storm(4)
        let storms = try instance.operations.carryOut(ShowStorms())
        #expect(storms.map(\.held) == [4])
        #expect(storms[0].apps == ["ios"] && storms[0].deliveries == [DeliveryID(rawValue: 1)])
        let wakeUps = instance.engine.wakeUps
        let decided = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        #expect(decided.quarantined == 4 && decided.judged == 4)
        #expect(instance.engine.wakeUps == wakeUps + 1)
        #expect(try instance.operations.carryOut(ShowStorms()).isEmpty)
        let listing = try instance.operations.carryOut(ListQuarantine(app: "ios", state: .quarantined))
        #expect(listing.items.count == 4 && listing.next == nil)
        #expect(listing.items.allSatisfy { $0.app == "ios" && $0.reason == "Unregistered" })
        #expect(try instance.operations.carryOut(ListQuarantine(state: .disabled)).items.isEmpty)
    }

    @Test func `a discarded storm affects no token`() throws {
        let instance = try Self.storm(4)
        let account = try instance.operations.carryOut(ShowStorms())[0].account
        let decided = try instance.operations.carryOut(DecideStorm(storm: account, judgement: .discard))
        #expect(decided.discarded == 4)
        #expect(try instance.operations.carryOut(ListQuarantine()).items.isEmpty)
    }

    @Test func `a decision that matches no storm fails, and the error names the existing storms`() throws {
        let calm = try TestInstance.withApp()
        let nothing = failure { () throws(OperationError) in
            _ = try calm.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        }
        #expect(nothing == .noMatch("no storm waits for a decision"))
        let instance = try Self.storm(1)
        let other = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(DecideStorm(storm: "droid", judgement: .confirm))
        }
        #expect(other?.kind == .noMatch)
        #expect(other?.description.contains("stub production") == true)
    }

    @Test(arguments: [
        (ReleaseFromQuarantine(app: "ios", tokens: [TestInstance.token(1)]), 1),
        (ReleaseFromQuarantine(app: "ios", userKey: "user2"), 1), (ReleaseFromQuarantine(allOf: "ios"), 4),
        (ReleaseFromQuarantine(app: "ios", tokens: ["00"]), 0),
    ])
    func `a release applies to the named devices`(release: ReleaseFromQuarantine, count: Int) throws {
        let instance = try Self.storm(4)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        let done = try instance.operations.carryOut(release)
        #expect(done.released == count && done.forgiven == 0)
        #expect(try instance.operations.carryOut(ListQuarantine()).items.count == 4 - count)
    }

    private static func add(
        _ token: String, app: String = "ios", reason: String = "a test device", to instance: TestInstance
    ) throws -> QuarantinedDevice {
        try instance.operations.carryOut(AddToQuarantine(app: app, token: token, reason: reason))
    }

    @Test func `a device that an operator quarantines is excluded from deliveries until it registers again`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(15)
        // Apple's documentation writes tokens in upper case.
        let device = try Self.add(TestInstance.token(15).uppercased(), to: instance)
        #expect(device.changed && device.userKey == "user15" && device.state == .quarantined)
        #expect(try !Self.add(TestInstance.token(15), reason: "another reason", to: instance).changed)
        let entry = try #require(try instance.operations.carryOut(ListQuarantine(app: "ios")).items.first)
        #expect(entry.token == TestInstance.token(15) && entry.reason == "a test device")
        #expect(entry.source == .byHand && entry.errors == 0 && entry.delivery == nil)
        #expect(try instance.operations.carryOut(CountSubscribers(app: "ios"))[0].quarantined == 1)
        let dryRun = try DryRunDelivery.request(
            names: [:], query: [:], body: try TestInstance.submission().document)
        #expect(try instance.operations.carryOut(dryRun).excluded == 1)
        try instance.subscribe(15)
        #expect(try instance.operations.carryOut(ListQuarantine()).items.isEmpty)
    }

    @Test(arguments: [
        ("xyz", "ios", "why", OperationError.Kind.refused), ("", "ios", "why", .refused),
        (TestInstance.token(1), "none", "why", .absent), (TestInstance.token(2), "ios", "why", .noMatch),
        (TestInstance.token(1), "ios", "", .refused), (TestInstance.token(1), "ios", "two\nlines", .refused),
        (TestInstance.token(1), "ios", "token \(TestInstance.token(1).uppercased())", .refused),
    ])
    func `a device that cannot be quarantined is refused, and the error does not contain the token`(
        token: String, app: String, reason: String, kind: OperationError.Kind
    ) throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(AddToQuarantine(app: app, token: token, reason: reason))
        }
        #expect(error?.kind == kind)
        #expect(token.isEmpty || error?.description.lowercased().contains(token) == false)
        #expect(try instance.operations.carryOut(ListQuarantine()).items.isEmpty)
    }

    @Test func `a release requires exactly one selection, and limits the number of tokens`() throws {
        let instance = try TestInstance.withApp()
        for release in [
            ReleaseFromQuarantine(app: "ios", tokens: []),
            ReleaseFromQuarantine(
                app: "ios", tokens: Array(repeating: "00", count: ReleaseFromQuarantine.maxTokens + 1)),
        ] {
            let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(release) }
            #expect(error?.kind == .refused && error?.description.hasPrefix("tokens: must be 1 to ") == true)
        }
    }
}
