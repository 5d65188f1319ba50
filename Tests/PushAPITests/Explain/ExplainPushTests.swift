import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

@Suite struct ExplainPushTests {
    private typealias Code = PushExplanation.Code

    private static func explain(
        _ instance: TestInstance, _ who: SubscriberName, of delivery: DeliveryID? = nil, app: String? = nil
    ) throws(OperationError) -> PushExplanation {
        try instance.operations.carryOut(ExplainPush(who, app: app, delivery: delivery))
    }

    private static func codes(_ explanation: PushExplanation) -> [Code] { explanation.findings.map(\.code) }

    private static func withApp(_ count: Int = 2) throws -> TestInstance {
        let instance = try TestInstance.withApp()
        try instance.subscribe(count)
        return instance
    }

    @Test func `an unknown person is not registered, and a name may be of another kind`() throws {
        let instance = try Self.withApp()
        // A user key can have the form of a token or of a message's id.
        let (id, compare) = ("f5e4d3c2-b1a0-8f9e-8d7c-6b5a49382716", "compare it with what the app sends")
        for (who, hint) in [
            (SubscriberName.userKey("nobody"), compare),
            (.token(String(repeating: "b2", count: 32)), compare),
            (
                .userKey(TestInstance.token(1)),
                "\(compare). If it is the token of a device, give it as a token"
            ),
            (.token(id), "\(compare). If it is the id of a message, show the message"),
            (.userKey(id), "\(compare). If it is the id of a message, show the message"),
        ] {
            let explanation = try Self.explain(instance, who)
            #expect(!explanation.registered && explanation.deviceCount == 0 && explanation.messages.isEmpty)
            #expect(Self.codes(explanation) == [.notRegistered])
            #expect(explanation.findings.first?.advice?.hasSuffix(hint) == true, "\(explanation.findings)")
        }
        for who in [SubscriberName.userKey(""), .token("")] {
            let error = failure { () throws(OperationError) in _ = try Self.explain(instance, who) }
            #expect(error?.kind == .usage)
        }
        let absent = failure { () throws(OperationError) in
            _ = try Self.explain(instance, .userKey("user1"), of: DeliveryID(rawValue: 9))
        }
        #expect(absent?.kind == .absent)
    }

    @Test func `a message that the gateway refused is explained in its words, with their meaning`() throws {
        let instance = try Self.withApp()
        let operations = instance.operations
        let id = try operations.carryOut(try TestInstance.submission()).id
        try instance.refuse(id)
        for delivery in [nil, id] {
            let explanation = try Self.explain(instance, .userKey("user1"), of: delivery)
            #expect(explanation.registered && explanation.targeted == (delivery == nil ? nil : true))
            let message = try #require(explanation.messages.first)
            #expect(message.message.state == "failed" && message.message.attempts == 1)
            #expect(message.message.providerReason == "Unregistered")
            #expect(message.meaning?.isEmpty == false && message.advice?.isEmpty == false)
            #expect(message.section?.contains("Reference/GatewayAnswers.md#") == true)
            let failed = try #require(explanation.findings.first { $0.code == .failed })
            #expect(failed.finding.contains("User unknown, Unregistered ("))
        }
        // The storm is confirmed, which puts the tokens into quarantine.
        _ = try operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        let next = try operations.carryOut(try TestInstance.submission()).id
        try instance.prepare(next)
        let excluded = try Self.explain(instance, .userKey("user1"), of: next)
        #expect(Self.codes(excluded).contains(.excluded) && Self.codes(excluded).contains(.deviceExcluded))
        #expect(excluded.devices.map(\.state) == ["quarantined"])
        #expect(excluded.devices.first?.quarantine?.delivery == id)
        #expect(excluded.messages.first?.meaning?.contains("in quarantine") == true)
        let device = try #require(excluded.findings.first { $0.code == .deviceExcluded })
        #expect(
            device.finding.contains("because of Unregistered") && device.finding.contains("delivery \(id)"))
    }

    @Test func `a device is shown with the reason for its quarantine, and found by a token with spaces`()
        throws
    {
        let instance = try Self.withApp()
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.refuse(id)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        let digits = Array(TestInstance.token(1))
        let spaced = "<\(String(digits[..<8])) \(String(digits[8...]))> "
        let found = try instance.operations.carryOut(ShowSubscribers(.token(spaced))).items
        let quarantine = try #require(found.first?.quarantine)
        #expect(found.first?.userKey == "user1" && quarantine.reason == "Unregistered")
        #expect(quarantine.source == .answer && quarantine.delivery == id)
        #expect(quarantine.meaning != nil && quarantine.section != nil)
        #expect(try Self.explain(instance, .token(spaced)).deviceCount == 1)
        _ = try instance.operations.carryOut(
            ReleaseFromQuarantine(app: "ios", userKey: "user1"), watchedBy: Watch())
        let released = try instance.operations.carryOut(ShowSubscribers(.token(spaced))).items
        #expect(released.first?.quarantine == nil && released.first?.state == "valid")
    }

    @Test func `a device that has no message of the delivery is explained by its app, time or target`() throws
    {
        let instance = try Self.withApp(3)
        let operations = instance.operations
        _ = try operations.carryOut(TestInstance.stubApp("other"))
        let chosen = try operations.carryOut(
            try TestInstance.submission(["target": ["userKeys": ["user1"]]])
        ).id
        let waiting = try Self.explain(instance, .userKey("user2"), of: chosen)
        #expect(waiting.targeted == false && Self.codes(waiting).contains(.notStarted))
        try instance.accept(chosen)
        let missed = try Self.explain(instance, .userKey("user2"), of: chosen)
        #expect(missed.targeted == false && Self.codes(missed) == [.notSelected])
        #expect(missed.findings[0].finding.contains("1 user key"))
        let reached = try Self.explain(instance, .userKey("user1"), of: chosen)
        #expect(reached.targeted == true && !Self.codes(reached).contains(.notSelected))

        try instance.subscribe(4, to: "other")
        let elsewhere = try Self.explain(instance, .userKey("user4"), of: chosen)
        #expect(Self.codes(elsewhere) == [.otherApps])
        #expect(elsewhere.findings[0].finding.contains("not sent to other"))
        try instance.add(
            [SubscriberRecord(token: TestInstance.token(9), userKey: "late", parametersJSON: nil)],
            at: WallMoment(TestInstance.noon.time.advanced(bySeconds: 60)))
        #expect(
            Self.codes(try Self.explain(instance, .userKey("late"), of: chosen)) == [.registeredLater])
        #expect(Self.codes(try Self.explain(instance, .userKey("late"))) == [.noMessages])
    }

    @Test func `a message that waits or was sent is explained by what holds it up or what was reported`()
        throws
    {
        let instance = try Self.withApp()
        let operations = instance.operations
        let id = try operations.carryOut(try TestInstance.submission()).id
        try instance.prepare(id)
        let waiting = try Self.explain(instance, .userKey("user1"), of: id)
        #expect(Self.codes(waiting).contains(.waiting) && Self.codes(waiting).contains(.noService))
        _ = try operations.carryOut(PauseDelivery(id: id))
        #expect(Self.codes(try Self.explain(instance, .userKey("user1"), of: id)).contains(.paused))

        // The connector stub sends nothing, so an accepted message counts as a rehearsal.
        let sent = try operations.carryOut(try TestInstance.submission()).id
        try instance.accept(sent)
        #expect(
            Self.codes(try Self.explain(instance, .userKey("user1"), of: sent)) == [.rehearsal])
        _ = try operations.carryOut(RemoveSubscribers(.userKey("user1")))
        let removed = try Self.explain(instance, .userKey("user1"), of: sent)
        #expect(!removed.registered && removed.removedDevices == 1 && removed.messages.count == 1)
        #expect(Self.codes(removed).first == .onlyRemovedDevices)
    }

    @Test func `a person with a thousand devices has a short explanation`() throws {
        let instance = try TestInstance.withApp()
        let records = (1...1_000).map {
            SubscriberRecord(token: TestInstance.token($0), userKey: "till", parametersJSON: nil)
        }
        try instance.add(records)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.accept(id)
        for delivery in [nil, id] {
            let explanation = try Self.explain(instance, .userKey("till"), of: delivery)
            #expect(explanation.deviceCount == 1_000)
            #expect(explanation.devices.count == 20 && explanation.messages.count == 20)
            #expect(explanation.findings.count == 1)
        }
    }
}
