import PushModel
import PushQueue
import TestSupport
import Testing

@Suite struct EndedMessagesTests {
    @Test
    func `adjacent runs with the same cause are merged, and runs are unchanged after encoding and decoding`()
        throws
    {
        var dice = SeededRandom(seed: 3)
        for _ in 0..<200 {
            var ended = EndedMessages()
            var messages: [(MessageID, CauseCode)] = []
            var number = Int64(dice.below(1 << 40)) + 1
            for _ in 0..<dice.below(40) {
                number += dice.one(in: 3) ? Int64(dice.below(1_000)) - 300 : 0
                number = max(number, 1)
                let run = EndedMessages.Run(
                    first: MessageID(rawValue: number), count: 1 + dice.below(5),
                    cause: CauseCode(rawValue: UInt8(dice.below(3))))
                ended.append(run)
                for index in 0..<run.count {
                    messages.append((MessageID(rawValue: number + Int64(index)), run.cause))
                }
                number += Int64(run.count)
            }
            #expect(ended.count == messages.count)
            let read = try EndedMessages(decoding: ended.encoded, count: ended.count)
            #expect(read == ended)
            let expanded = read.runs.flatMap { run in
                (0..<run.count).map { (run.first.rawValue + Int64($0), run.cause) }
            }
            #expect(expanded.map(\.0) == messages.map(\.0.rawValue) && expanded.map(\.1) == messages.map(\.1))
        }
    }

    @Test func `any invalid bytes are reported as damage`() {
        var dice = SeededRandom(seed: 4)
        var ended = EndedMessages()
        ended.append(.init(first: MessageID(rawValue: 900), count: 300, cause: .none))
        ended.append(.init(first: MessageID(rawValue: 1_500), count: 2, cause: .childLost))
        var marked = MarkedNumbers()
        marked.entries = [
            .init(number: 7, millisecondsSince1970: 1_000), .init(number: 3, millisecondsSince1970: 999),
        ]
        for _ in 0..<3_000 {
            var bytes = dice.one(in: 2) ? ended.encoded : marked.encoded
            for _ in 0...dice.below(2) { bytes[dice.below(bytes.count)] = UInt8(dice.below(256)) }
            if dice.one(in: 4) { bytes.removeLast(dice.below(bytes.count) + 1) }
            if let read = try? EndedMessages(decoding: bytes, count: 302) { #expect(read.count == 302) }
            if let read = try? MarkedNumbers(decoding: bytes, count: 2) { #expect(read.entries.count == 2) }
        }
        #expect(throws: PartDamage.self) { try EndedMessages(decoding: ended.encoded, count: 301) }
        #expect(throws: PartDamage.self) { try EndedMessages(decoding: [], count: 0) }
        #expect(throws: PartDamage.self) { try MarkedNumbers(decoding: [2], count: 0) }
        #expect((try? MarkedNumbers(decoding: marked.encoded, count: 2)) == marked)
    }

    @Test func `differences between two states of a part are listed for each range`() throws {
        var dice = SeededRandom(seed: 5)
        func states() throws -> PartStates {
            try PartStates(
                (0..<30).map { _ in
                    let state: MessageState = [.pending, .sent, .failed].randomElement(using: &dice) ?? .sent
                    return (
                        status: MessageStatus(state, isTried: true, since: WallTime(secondsSince1970: 5)),
                        count: 1
                    )
                })
        }
        for _ in 0..<200 {
            let (old, new) = (try states(), try states())
            var changed: [Int] = []
            new.forEachChange(from: old) { range, before, after in
                #expect(before != after)
                for index in range {
                    #expect(old.status(at: index) == before && new.status(at: index) == after)
                    changed.append(index)
                }
            }
            #expect(changed == (0..<30).filter { old.status(at: $0) != new.status(at: $0) })
        }
    }
}
