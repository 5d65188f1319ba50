import PushModel
import PushQueue
import TestSupport
import Testing

@Suite struct DeadSinceTimesTests {
    private func times(_ times: Int64?...) -> ContiguousArray<WallMoment?> {
        ContiguousArray(times.map { $0.map(WallMoment.init(millisecondsSince1970:)) })
    }

    @Test func `dead-since times are encoded in the stored format`() {
        #expect(DeadSinceTimes.encode(times(1)) == [3])
        #expect(DeadSinceTimes.encode(times(nil, 5, nil, 4, 4)) == [0, 11, 0, 2, 1])
        #expect(DeadSinceTimes.encode(times(-64, 64)) == [0x80, 1, 0x81, 2])
        #expect(DeadSinceTimes.encode(times()) == nil && DeadSinceTimes.encode(times(nil, nil)) == nil)
    }

    @Test func `dead-since times are unchanged after encoding and decoding`() throws {
        var random = SeededRandom(seed: 3)
        for count in [1, 2, 100, 1_000] {
            var all = ContiguousArray(
                (0..<count).map { _ -> WallMoment? in
                    let shift = Int64(3 + random.below(60))
                    return random.one(in: 3)
                        ? nil
                        : WallMoment(
                            millisecondsSince1970: Int64.random(in: .min...(.max), using: &random) >> shift)
                })
            all[0] = TemporaryTime.noon
            let bytes = try #require(DeadSinceTimes.encode(all))
            #expect(try DeadSinceTimes.decode(bytes, count: count) == all)
        }
    }

    @Test func `a time that the clock cannot represent becomes the latest possible time`() throws {
        for (given, kept) in [(Int64.max, 1 << 60), (.min, -1 << 60)] as [(Int64, Int64)] {
            let bytes = try #require(DeadSinceTimes.encode(times(given, -1, given)))
            #expect(try DeadSinceTimes.decode(bytes, count: 3) == times(kept, -1, kept))
        }
    }

    @Test(
        arguments: [
            ([3], 2, PartDamage.Fault.truncated), ([3, 0, 0], 2, .trailing), ([0x83, 0], 1, .number),
            ([0, 0], 2, .form),
            ([], 0, .form), ([3], -1, .tooMany), ([3], .max, .tooMany), ([0x83], 1, .truncated),
            (Array(repeating: 0xFF, count: 9) + [1], 1, .number),
            (Array(repeating: 0xFF, count: 9) + [2], 1, .number),
        ] as [([UInt8], Int, PartDamage.Fault)])
    func `each kind of damage is distinguished`(bytes: [UInt8], count: Int, fault: PartDamage.Fault) {
        let damage = #expect(throws: PartDamage.self) { try DeadSinceTimes.decode(bytes, count: count) }
        #expect(damage?.fault == fault && damage?.piece == .deadSince)
    }

    @Test(arguments: 0..<4) func `any bytes are either damaged or a valid encoding`(seed: UInt64) {
        var random = SeededRandom(seed: 200 + seed)
        var valid = 0
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(12)).map { _ in UInt8(random.below(random.one(in: 2) ? 8 : 256)) }
            guard let times = try? DeadSinceTimes.decode(bytes, count: random.below(8)) else { continue }
            valid += 1
            #expect(DeadSinceTimes.encode(times) == bytes)
        }
        #expect(valid > 10)
    }
}

private enum TemporaryTime {
    static let noon = WallMoment(WallTime(secondsSince1970: 1_795_262_400))
}
