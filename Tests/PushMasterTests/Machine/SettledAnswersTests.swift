import PushMaster
import PushModel
import Testing

/// Tests which answers the master counts as evidence about an account.
@Suite struct SettledAnswersTests {
    private static let account = AccountKey(rawValue: "account 1")

    @Test func `the answers for a grant are written with the frame that settles its last message`() {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        #expect(world.grants.map(\.count) == [10])
        world.accept(of: 1, most: 9)
        #expect(world.answers == [])
        world.accept(of: 1)
        #expect(world.answers == [AccountAnswers(account: Self.account, accepted: 10)])
    }

    @Test func `answers wait for those of an earlier grant, and returned messages do not count`() {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        world.find(part: 101, of: 2)
        #expect(world.grants.map(\.count) == [10, 10])
        world.accept(of: 2)
        #expect(world.answers == [])
        world.accept(of: 1, most: 4)
        #expect(world.answers == [])
        world.process(.threadEvent(.deliveryPaused(DeliveryID(rawValue: 1))))
        world.giveBack(of: 1)
        // None of these answers has been recorded. The next frame that is recorded contains them too.
        world.find(part: 201, of: 2)
        world.accept(of: 2)
        let sum = world.answers.reduce(into: AccountAnswers(account: Self.account)) { $0 += $1 }
        #expect(sum == AccountAnswers(account: Self.account, accepted: 4 + 2 * 10))
    }

    @Test func `answers that are settled when a child is lost are written even if no outcome follows`() {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        world.accept(of: 1, most: 6)
        #expect(world.answers == [])
        world.childEnds()
        world.second()
        #expect(world.answers == [AccountAnswers(account: Self.account, accepted: 6)])
    }
}
