import PushModel
import PushQueue
import TestSupport
import Testing

/// Tests with arbitrary bytes: they are either reported as damaged, or represent a part that is encoded as
/// exactly these bytes.
@Suite struct PartBytesFuzzTests {
    @Test(arguments: 0..<4) func `random bytes are either damaged or a valid encoding`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var valid = 0
        for _ in 0..<20_000 {
            var bytes = (0..<random.below(12)).map { _ in UInt8(random.below(random.one(in: 2) ? 8 : 256)) }
            valid += readsBack(members: bytes, count: random.below(8))
            if random.one(in: 2) { bytes.insert(1, at: 0) }
            valid += readsBack(states: bytes, count: random.below(16))
        }
        #expect(valid > 10)
    }

    @Test(arguments: 0..<4) func `damage anywhere in a part is detected, or yields another valid part`(
        seed: UInt64
    )
        throws
    {
        var random = SeededRandom(seed: 100 + seed)
        var valid = 0
        for _ in 0..<2_000 {
            let count = 1 + random.below(300)
            let members = try PartMembers(
                (0..<count).map { _ in SubscriptionID(rawValue: Int64(random.below(90))) })
            let states = try PartStates((0..<count).map { _ in (status: random.status(), count: 1) })
            #expect(readsBack(members: members.bytes, count: count) == 1)
            #expect(readsBack(states: states.encoded, count: count) == 1)
            for _ in 0..<10 {
                valid += readsBack(members: random.mutate(members.bytes), count: count)
                valid += readsBack(states: random.mutate(states.encoded), count: count)
            }
        }
        #expect(valid > 10)
    }

    @Test func `a row whose columns contradict each other is reported as damage`() throws {
        var part = Recorded(try .fresh(5))
        part.apply(.of(1, .retrying(due: after(90), .busy)))
        let row = part.progress.row
        #expect(try PartProgress(row, count: 5) == part.progress)
        func damage(_ column: String, _ body: (inout PartProgress.Row) -> Void) {
            var row = row
            body(&row)
            #expect(throws: PartDamage(.progress, .disagrees(column: column))) {
                try PartProgress(row, count: 5)
            }
        }
        damage("waiting") { $0.waiting = 4 }
        damage("waiting") { $0.waiting = .min }
        damage("open") { $0.isOpen = false }
        damage("next due") { $0.nextDue = nil }
        #expect(throws: PartDamage.self) { try PartProgress(row, count: 6) }
    }

    private func readsBack(members bytes: [UInt8], count: Int) -> Int {
        guard let members = try? PartMembers(decoding: bytes, count: count) else { return 0 }
        #expect((try? PartMembers(members.subscriptions))?.bytes == bytes)
        #expect(members.subscriptions.count == count)
        return 1
    }

    private func readsBack(states bytes: [UInt8], count: Int) -> Int {
        guard let states = try? PartStates(decoding: bytes, count: count) else { return 0 }
        #expect(states.encoded == bytes)
        #expect(states.count == count)
        return 1
    }
}

extension SeededRandom {
    fileprivate mutating func status() -> MessageStatus {
        let cause = CauseCode(rawValue: one(in: 2) ? 0 : UInt8(below(256)))
        return MessageStatus(
            MessageState.allCases[below(6)], isTried: one(in: 2), cause: cause,
            since: after(Int64(below(100)) - 50))
    }

    /// Returns the bytes after some of them were changed, removed, inserted or cut off.
    fileprivate mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...below(3) where !bytes.isEmpty {
            let place = below(bytes.count)
            switch below(5) {
            case 0: bytes[place] ^= 1 << UInt8(below(8))
            case 1: bytes[place] = UInt8(below(256))
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(UInt8(below(256)), at: place)
            default: bytes.removeLast(bytes.count - place)
            }
        }
        return bytes
    }
}
