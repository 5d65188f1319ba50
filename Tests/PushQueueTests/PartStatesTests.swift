import PushModel
import PushQueue
import TestSupport
import Testing

@Suite struct PartStatesTests {
    private func states(_ runs: (MessageStatus, Int)...) throws -> PartStates {
        try PartStates(runs.map { (status: $0.0, count: $0.1) })
    }

    @Test func `states are encoded in the stored format`() throws {
        let fresh = try PartStates(pending: 4_900, since: noon)
        #expect(fresh.encoded == [1, 0x22, 0xA0, 0x26, 0x80, 0xC4, 0x9F, 0xD5, 0x0C])
        let mixed = try states(
            (MessageStatus(.sent, isTried: true, since: noon), 3),
            (MessageStatus(.failed, isTried: true, cause: .bad, since: after(2)), 1),
            (MessageStatus(.excluded, isTried: false, cause: .disabled, since: after(2)), 4),
            (MessageStatus(.retrying, isTried: false, cause: .busy, since: after(-62)), 2),
            (MessageStatus(.cancelled, isTried: false, cause: .expired, since: noon), 140))
        #expect(
            mixed.encoded == [
                1, 0xEC, 0x80, 0xC4, 0x9F, 0xD5, 0x0C, 0x7D, 17, 4, 0x17, 0, 4, 0xB3, 18, 0x7F, 0x36, 0x88, 1,
                1,
                0x7C,
            ])
        #expect(try PartStates(decoding: mixed.encoded, count: 150) == mixed)
        #expect(mixed.runCount == 5)
    }

    @Test func `neighbouring messages with the same status form one run`() throws {
        let (one, other) = (
            MessageStatus(.sent, isTried: true, since: noon),
            MessageStatus(.sent, isTried: true, since: after(1))
        )
        let states = try states((one, 2), (one, 1), (other, 0), (one, 4), (other, 1))
        #expect(states.runCount == 2)
        #expect(states.count == 8)
    }

    @Test func `the state of any message can be found`() throws {
        var random = SeededRandom(seed: 3)
        let all = MessageState.allCases
        let list = (0..<1_000).map { _ in
            MessageStatus(
                all[random.below(6)], isTried: random.one(in: 2), since: after(Int64(random.below(2))))
        }
        let states = try PartStates(list.map { (status: $0, count: 1) })
        for (index, status) in list.enumerated() { #expect(states.status(at: index) == status) }
        #expect(states.status(at: 1_000) == nil)
        #expect(states.status(at: -1) == nil)
        var walked: [MessageStatus] = []
        states.forEachRun(in: 100..<900) { walked += Array(repeating: $1, count: $0.count) }
        #expect(walked == Array(list[100..<900]))
        #expect(states.counts().sent == list.count { $0.state == .sent })
        #expect(states.counts() == states.tally().counts)
    }

    @Test func `a status keeps its values, and its seconds are limited to 32 bits`() {
        let status = MessageStatus(.excluded, isTried: true, cause: CauseCode(rawValue: 255), since: after(9))
        #expect(status.state == .excluded && status.isTried && status.since == after(9))
        #expect(status.cause == CauseCode(rawValue: 255))
        let past = MessageStatus(.sent, isTried: true, since: WallTime(secondsSince1970: -5))
        #expect(past.since == WallTime(secondsSince1970: 0))
        let future = MessageStatus(.sent, isTried: true, since: WallTime(secondsSince1970: .max))
        #expect(future.since == WallTime(secondsSince1970: Int64(UInt32.max)))
    }

    @Test func `the largest possible part takes a few bytes per message`() throws {
        let worst = try PartStates(
            (0..<PartLimits.messages).map {
                let cause = CauseCode(rawValue: UInt8(17 + $0 % 200))
                let status = MessageStatus(.failed, isTried: true, cause: cause, since: after(Int64($0)))
                return (status: status, count: 1)
            })
        #expect(worst.runCount == PartLimits.messages)
        #expect(worst.encoded.count < PartLimits.messages * 3 + 10)
        #expect(try PartStates(decoding: worst.encoded, count: PartLimits.messages) == worst)
    }

    @Test func `a count above the limit of a part is refused`() {
        #expect(throws: PartDamage(.states, .tooMany)) {
            try PartStates(pending: PartLimits.messages + 1, since: noon)
        }
    }

    @Test(
        arguments: [
            ([], 1, PartDamage.Fault.truncated), ([2, 0x42], 1, .unknownLayout), ([1], 1, .count),
            ([1, 0x42], 2, .count),
            ([1, 0x82], 1, .count), ([1, 0x41], 1, .state), ([1, 0x40], 1, .state), ([1, 0x52, 0], 1, .form),
            ([1, 0x52], 1, .truncated), ([1, 0x62, 0], 1, .form), ([1, 0x62, 1], 1, .number),
            ([1, 0x62, 0x82, 0], 1, .number), ([1, 0x42, 0x42], 2, .form),
            ([1, 0x02, 0xFF, 0xFF, 3], 4_900, .tooMany),
            ([1, 0x62, 0x80, 0x80, 0x80, 0x80, 0x20], 1, .number), ([1, 0x42], -1, .tooMany),
            ([1], 4_901, .tooMany),
        ] as [([UInt8], Int, PartDamage.Fault)])
    func `each kind of damage is distinguished`(bytes: [UInt8], count: Int, fault: PartDamage.Fault) {
        let damage = #expect(throws: PartDamage.self) { try PartStates(decoding: bytes, count: count) }
        #expect(damage?.fault == fault)
    }

    @Test func `an error about damage states its kind and position`() {
        let damage = PartDamage(.states, .state, at: 12)
        #expect("\(damage)" == "a damaged part (states, byte 12): an unknown message state")
    }
}
