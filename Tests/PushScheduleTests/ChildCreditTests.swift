import PushModel
import PushSchedule
import TestSupport
import Testing

@Suite struct ChildCreditTests {
    private func share(_ account: UInt32, isUrgent: Bool = false, isShared: Bool = true) -> ChildCredit.Share
    {
        ChildCredit.Share(account: AccountID(rawValue: account), isUrgent: isUrgent, isShared: isShared)
    }

    private func credit(_ child: ChildCredit, _ account: UInt32, isUrgent: Bool = false, own: Int? = nil)
        -> Int
    {
        child.credit(of: AccountID(rawValue: account), ownCapacity: own, isUrgent: isUrgent)
    }

    @Test func `one account gets half of the capacity, and any number of accounts leaves an eighth free`() {
        var child = ChildCredit(capacity: 800)
        #expect(credit(child, 1) == 400)
        for account in UInt32(1)...50 {
            while case let count = credit(child, account), count > 0 { child.take(count, share(account)) }
        }
        #expect(child.outstanding == 700)
        #expect(credit(child, 51) == 0)
        #expect(credit(child, 51, isUrgent: true) == 50)
        #expect(credit(child, 1, isUrgent: true) == 50, "what it holds of normal priority does not count")
    }

    @Test func `each further account gets half of the remaining capacity, and the last eighth stays free`() {
        var child = ChildCredit(capacity: 800)
        var shares: [Int] = []
        for account in UInt32(1)...8 {
            while case let count = credit(child, account), count > 0 { child.take(count, share(account)) }
            shares.append(child.outstanding(of: AccountID(rawValue: account)))
        }
        #expect(shares == [400, 200, 50, 25, 13, 6, 3, 2])
    }

    @Test func `urgent messages may also use the capacity that is kept for other accounts`() {
        var child = ChildCredit(capacity: 800)
        child.take(credit(child, 1, isUrgent: true), share(1, isUrgent: true))
        #expect(child.outstanding == 400)
        #expect(credit(child, 2) == 200)
    }

    @Test func `an eighth of an account's own capacity is reserved too, regardless of other accounts`() {
        var child = ChildCredit(capacity: 80)
        child.take(credit(child, 1, own: 800), share(1, isShared: false))
        #expect(child.outstanding == 700)
        #expect(credit(child, 1, own: 800) == 0)
        #expect(credit(child, 1, isUrgent: true, own: 800) == 100)
        #expect(credit(child, 2) == 40)
    }

    @Test func `a child with a capacity of one can be used`() {
        #expect(credit(ChildCredit(capacity: 1), 1) == 1)
        #expect(credit(ChildCredit(capacity: 0), 1, isUrgent: true) == 1)
    }

    @Test func `a removed account is forgotten, unless some of its messages are outstanding`() {
        var child = ChildCredit(capacity: 80)
        child.take(5, share(1))
        child.forget(AccountID(rawValue: 1))
        #expect(child.outstanding(of: AccountID(rawValue: 1)) == 5)
        child.giveBack(5, share(1))
        child.forget(AccountID(rawValue: 1))
        #expect(!child.knows(AccountID(rawValue: 1)))
    }

    @Test(arguments: 0..<30)
    func `no limit is exceeded, and an urgent message finds room if few other urgent messages are in flight`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        let capacity = random.below(500) + 1
        var child = ChildCredit(capacity: capacity)
        var held: [(count: Int, share: ChildCredit.Share)] = []
        for _ in 0..<500 {
            if random.below(3) < 2 {
                let share = share(UInt32(random.below(20)), isUrgent: random.below(4) == 0)
                let credit = child.credit(of: share.account, ownCapacity: nil, isUrgent: share.isUrgent)
                guard credit > 0 else { continue }
                let count = random.below(credit) + 1
                child.take(count, share)
                held.append((count, share))
            } else if !held.isEmpty {
                let back = held.remove(at: random.below(held.count))
                child.giveBack(back.count, back.share)
            }
            let ordinary = held.reduce(0) { $0 + ($1.share.isUrgent ? 0 : $1.count) }
            let urgent = held.reduce(0) { $0 + $1.count } - ordinary
            #expect(child.outstanding == ordinary + urgent && child.outstanding <= capacity)
            #expect(ordinary <= capacity - DeliveryPriority.reserve(of: capacity))
            if capacity >= 8, urgent == 0 { #expect(credit(child, 77, isUrgent: true) > 0) }
        }
    }
}
