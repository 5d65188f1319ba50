import PushModel
import PushSchedule
import TestSupport
import Testing

@Suite struct AlarmsTests {
    private func moment(_ nanoseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(nanoseconds))
    }

    @Test func `the earliest alarm comes first, and the latest setting for a member counts`() {
        var alarms = Alarms<Int>()
        alarms.set(1, moment(30))
        alarms.set(2, moment(20))
        alarms.set(1, moment(10))
        #expect(alarms.first == moment(10) && alarms.count == 2)
        alarms.set(1, nil)
        #expect(alarms.first == moment(20))
        let early = alarms.takeDue(at: moment(19))
        let due = alarms.takeDue(at: moment(20))
        #expect(early == nil && due == 2 && alarms.first == nil)
    }

    @Test(arguments: 0..<20) func `the alarm queue returns the same results as a plain table`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var alarms = Alarms<Int>()
        var plain: [Int: Int] = [:]
        for _ in 0..<2_000 {
            let member = random.below(30)
            switch random.below(4) {
            case 0:
                alarms.set(member, nil)
                plain[member] = nil
            case 1:
                let now = random.below(100)
                while let due = alarms.takeDue(at: moment(now)) {
                    #expect(plain.removeValue(forKey: due).map { $0 <= now } == true)
                }
                #expect(!plain.values.contains { $0 <= now })
            default:
                let time = random.below(100)
                alarms.set(member, moment(time))
                plain[member] = time
            }
            #expect(alarms.first == plain.values.min().map(moment) && alarms.count == plain.count)
        }
    }
}
