import PushModel
import PushSchedule
import Testing

@Suite struct `The policy for the number of children` {
    let t0 = MonotonicTime(nanoseconds: 5_000_000_000)
    func at(_ milliseconds: Int64) -> MonotonicTime { t0.advanced(byMilliseconds: milliseconds) }
    func policy(start: Int = 0, minimum: Int = 0, maximum: Int = 2) -> ChildCountPolicy {
        ChildCountPolicy(.init(atStart: start, minimum: minimum, maximum: maximum))
    }

    @Test func `startSpareServers children start immediately, up to the maximum`() {
        var two = policy(start: 2)
        let spawns = two.spawns(for: .init(working: 0, lacksCredit: false), at: t0)
        #expect(spawns == 2)
        var five = policy(start: 5, maximum: 3)
        let spawnsOfFive = five.spawns(for: .init(working: 0, lacksCredit: false), at: t0)
        #expect(spawnsOfFive == 3)
    }

    @Test func `no child starts without work and without a minimum`() {
        var policy = policy()
        for second in 0..<10 {
            let spawns = policy.spawns(
                for: .init(working: 0, lacksCredit: false), at: at(Int64(second) * 1_000))
            #expect(spawns == 0)
        }
    }

    @Test func `one child per second starts while there is more work than capacity, up to the maximum`() {
        var policy = policy(maximum: 2)
        let first = policy.spawns(for: .init(working: 0, lacksCredit: true), at: t0)
        #expect(first == 1)
        let tooSoon = policy.spawns(for: .init(working: 1, lacksCredit: true), at: at(999))
        #expect(tooSoon == 0)
        let second = policy.spawns(for: .init(working: 1, lacksCredit: true), at: at(1_000))
        #expect(second == 1)
        let third = policy.spawns(for: .init(working: 2, lacksCredit: true), at: at(5_000))
        #expect(third == 0)
    }

    @Test func `children are started up to the minimum even without work`() {
        var policy = policy(start: 1, minimum: 2, maximum: 4)
        let atStart = policy.spawns(for: .init(working: 0, lacksCredit: false), at: t0)
        #expect(atStart == 2)
        let replacement = policy.spawns(for: .init(working: 1, lacksCredit: false), at: at(1_000))
        #expect(replacement == 1)
    }

    @Test func `early deaths of children increase the delay between starts, and are reported once`() {
        var policy = policy(start: 1)
        let atStart = policy.spawns(for: .init(working: 0, lacksCredit: true), at: t0)
        #expect(atStart == 1)
        var now = t0
        for (death, wait) in [Int64](arrayLiteral: 2, 4, 8, 16, 32, 60, 60).enumerated() {
            let isFirstSign = policy.died(wasUseful: false)
            #expect(isFirstSign == (death == 0))
            let justBefore = now.advanced(byMilliseconds: wait * 1_000 - 1)
            let tooSoon = policy.spawns(for: .init(working: 0, lacksCredit: true), at: justBefore)
            #expect(tooSoon == 0)
            now = now.advanced(bySeconds: wait)
            let spawns = policy.spawns(for: .init(working: 0, lacksCredit: true), at: now)
            #expect(spawns == 1)
        }
        #expect(policy.isThrottled)
        let isStructural = policy.died(wasUseful: true)
        #expect(!isStructural)
        #expect(!policy.isThrottled)
    }
}
