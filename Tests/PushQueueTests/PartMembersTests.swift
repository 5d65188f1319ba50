import PushModel
import PushQueue
import TestSupport
import Testing

@Suite struct PartMembersTests {
    private func members(_ ids: Int64...) throws(PartDamage) -> PartMembers {
        try PartMembers(ids.map(SubscriptionID.init(rawValue:)))
    }

    @Test func `members are encoded in the stored format`() throws {
        #expect(try members(5, 5, 8).bytes == [3, 5, 0, 3])
        #expect(try members(0).bytes == [1, 0])
        #expect(try members(9, 4, 4, 300).bytes == [1, 9, 3, 4, 0, 0xA8, 2])
        #expect(try members(1 << 40 + 1, 1 << 40 + 2).bytes == [2, 0x81, 0x80, 0x80, 0x80, 0x80, 0x20, 1])
        #expect(try members().bytes == [])
    }

    @Test func `members are unchanged after encoding and decoding in any order`() throws {
        var random = SeededRandom(seed: 1)
        for count in [1, 2, 100, PartLimits.messages] {
            for isSorted in [true, false] {
                var ids = (0..<count).map { _ in
                    Int64.random(in: 0...(.max), using: &random) >> random.below(60)
                }
                if isSorted { ids.sort() }
                let members = try PartMembers(ids.map(SubscriptionID.init(rawValue:)))
                let back = try PartMembers(decoding: members.bytes, count: count)
                #expect(back == members)
                #expect(back.subscriptions.map(\.rawValue) == ids)
            }
        }
    }

    @Test func `a sorted chunk of an app takes one byte per member`() throws {
        let ids = (0..<Int64(PartLimits.messages)).map { SubscriptionID(rawValue: 7 << 40 + $0 * 2) }
        #expect(try PartMembers(ids).bytes.count == PartLimits.messages + 8)
    }

    @Test func `members map a subscription to its messages, and a message to its subscription`() throws {
        let members = try members(4, 7, 7, 9, 2, 7)
        #expect(members.indices(of: SubscriptionID(rawValue: 7)) == [1, 2, 5])
        #expect(members.indices(of: SubscriptionID(rawValue: 2)) == [4])
        #expect(members.indices(of: Set([2, 7, 8].map(SubscriptionID.init(rawValue:)))) == [1, 2, 4, 5])
        #expect(members.indices(of: SubscriptionID(rawValue: 3)) == [])
        #expect(members.subscription(at: 3) == SubscriptionID(rawValue: 9))
        #expect(members.subscription(at: 5) == SubscriptionID(rawValue: 7))
        #expect(members.subscription(at: 6) == nil)
        #expect(members.subscription(at: -1) == nil)
        var seen: [Int] = []
        members.forEach(in: 2..<100) { index, _ in seen.append(index) }
        #expect(seen == [2, 3, 4, 5])
    }

    @Test func `a count above the limit of a part, or a negative number, is refused`() {
        #expect(throws: PartDamage(.members, .tooMany)) {
            try PartMembers(repeatElement(SubscriptionID(rawValue: 1), count: PartLimits.messages + 1))
        }
        #expect(throws: PartDamage(.members, .negative)) { try members(1, -1) }
    }

    @Test(
        arguments: [
            ([3, 5, 0], 3, PartDamage.Fault.truncated), ([3, 5, 0, 3, 0], 3, .trailing),
            ([4, 5, 0, 3, 1], 3, .count),
            ([2, 5, 0], 3, .truncated), ([0, 3, 5, 0, 3], 3, .form), ([2, 5, 0, 1, 5], 3, .form),
            ([3, 0x85, 0, 0, 3], 3, .number), ([1] + Array(repeating: 0xFF, count: 10), 1, .number),
            ([2] + Array(repeating: 0xFF, count: 8) + [0x7F, 1], 2, .number),
            ([2] + Array(repeating: 0xFF, count: 9) + [1, 1], 2, .number),
            ([], 1, .truncated), ([1, 5], 0, .trailing), ([1, 5], -1, .tooMany), ([], .max, .tooMany),
        ] as [([UInt8], Int, PartDamage.Fault)])
    func `each kind of damage is distinguished`(bytes: [UInt8], count: Int, fault: PartDamage.Fault) {
        let damage = #expect(throws: PartDamage.self) { try PartMembers(decoding: bytes, count: count) }
        #expect(damage?.fault == fault)
    }
}
