import PushModel
import PushOperations
import PushStore
import Testing

struct QuarantineOperationsTests {
    private static func storm(_ subscribers: Int) throws -> TestInstance {
        let instance = try TestInstance.withApp()
        try instance.subscribe(subscribers)
        try instance.refuse(try instance.operations.carryOut(try TestInstance.submission()).id)
        return instance
    }

    @Test func `a storm is shown with what it is about, and is confirmed by its app's name`() throws {
        let instance = try Self.storm(4)
        let storms = try instance.operations.carryOut(ShowStorms())
        #expect(storms.map(\.held) == [4])
        #expect(storms[0].apps == ["ios"] && storms[0].deliveries == [DeliveryID(rawValue: 1)])
        let nudges = instance.engine.nudges
        let decided = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        #expect(decided.quarantined == 4 && decided.judged == 4)
        #expect(instance.engine.nudges == nudges + 1)
        #expect(try instance.operations.carryOut(ShowStorms()).isEmpty)
        let listing = try instance.operations.carryOut(ListQuarantine(app: "ios", state: .quarantined))
        #expect(listing.items.count == 4 && listing.next == nil)
        #expect(listing.items.allSatisfy { $0.app == "ios" && $0.reason == "Unregistered" })
        #expect(try instance.operations.carryOut(ListQuarantine(state: .disabled)).items.isEmpty)
    }

    @Test func `a storm that is discarded touches no token`() throws {
        let instance = try Self.storm(4)
        let account = try instance.operations.carryOut(ShowStorms())[0].account
        let decided = try instance.operations.carryOut(DecideStorm(storm: account, judgement: .discard))
        #expect(decided.discarded == 4)
        #expect(try instance.operations.carryOut(ListQuarantine()).items.isEmpty)
    }

    @Test func `where there is nothing to decide it fails, with what there is`() throws {
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
        (ReleaseFromQuarantine.Subscribers.tokens([TestInstance.token(1)]), 1), (.userKey("user2"), 1),
        (.all, 4),
        (.tokens(["00"]), 0),
    ])
    func `who is named is released`(subscribers: ReleaseFromQuarantine.Subscribers, count: Int) throws {
        let instance = try Self.storm(4)
        _ = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        let done = try instance.operations.carryOut(
            ReleaseFromQuarantine(app: "ios", subscribers: subscribers))
        #expect(done.released == count && done.forgiven == 0)
        #expect(try instance.operations.carryOut(ListQuarantine()).items.count == 4 - count)
    }
}
