import GatewayAPNsBinary
import GatewayKit
import PushConnectors
import TestSupport
import Testing

@Suite struct SentFramesTests {
    /// Removes the oldest frames and returns their tags.
    private func take(_ count: Int, from frames: inout SentFrames) -> [UInt64] {
        (0..<count).map { _ in frames.removeFirst() }
    }

    @Test func `a frame is found by its identifier only while it is kept`() {
        var frames = SentFrames(capacity: 4)
        #expect(frames.credit == 4)
        #expect(frames.index(of: 0) == nil)
        #expect(frames.index(of: 1) == nil)
        for tag in 0..<4 as Range<UInt64> {
            #expect(frames.nextIdentifier == UInt32(tag) + 1)
            frames.append(100 + tag, bytes: 10)
        }
        #expect(frames.credit == 0)
        #expect((0...5).map { frames.index(of: $0) } == [nil, 0, 1, 2, 3, nil])
        #expect(take(2, from: &frames) == [100, 101])
        frames.append(104, bytes: 10)
        #expect((0...6).map { frames.index(of: $0) } == [nil, nil, nil, 0, 1, 2, nil])
        #expect(take(3, from: &frames) == [102, 103, 104])
        #expect(frames.isEmpty)
    }

    @Test func `a frame counts as begun once one of its bytes might have been sent`() {
        var frames = SentFrames(capacity: 10)
        for (tag, bytes) in [5, 10, 1].enumerated() { frames.append(UInt64(tag), bytes: bytes) }
        let expected: [(UInt64, Int)] = [(0, 0), (1, 1), (5, 1), (6, 2), (15, 2), (16, 3), (1_000, 3)]
        for (byte, count) in expected { #expect(frames.count(begunBefore: byte) == count) }
        _ = frames.removeFirst()
        #expect(frames.count(begunBefore: 5) == 0)
        #expect(frames.count(begunBefore: 6) == 1)
    }

    @Test func `the age of a frame starts when all of its bytes have arrived`() {
        var frames = SentFrames(capacity: 10)
        for (tag, bytes) in [5, 10, 1].enumerated() { frames.append(UInt64(tag), bytes: bytes) }
        #expect(frames.count(arrivedBy: .max) == 0)
        #expect(frames.received(upTo: 4, at: 10) == false)
        #expect(frames.received(upTo: 14, at: 20) == true)
        #expect(frames.received(upTo: 14, at: 25) == false)
        #expect(frames.awaitsArrival)
        #expect(frames.received(upTo: 16, at: 30) == true)
        #expect(!frames.awaitsArrival)
        #expect([19, 20, 29, 30].map { frames.count(arrivedBy: $0) } == [0, 1, 1, 3])
        // An error packet ends a frame early, or before the sender checked whether the frame had arrived.
        #expect(take(2, from: &frames) == [0, 1])
        #expect(frames.count(arrivedBy: 29) == 0)
        #expect(frames.count(arrivedBy: 30) == 1)
        frames.append(3, bytes: 4)
        #expect(take(2, from: &frames) == [2, 3])
        #expect(!frames.awaitsArrival)
        frames.append(4, bytes: 2)
        #expect(frames.received(upTo: 21, at: 40) == false)
        #expect(frames.received(upTo: 22, at: 50) == true)
        #expect(frames.count(arrivedBy: 50) == 1)
    }

    @Test func `identifiers end at the maximum of the format, and then there is no more credit`() {
        var frames = SentFrames(capacity: 10, firstIdentifier: .max - 1)
        #expect(frames.nextIdentifier == UInt32.max - 1)
        frames.append(7, bytes: 1)
        #expect(frames.nextIdentifier == UInt32.max)
        #expect(frames.credit == 9)
        frames.append(8, bytes: 1)
        #expect(frames.isExhausted)
        #expect(frames.credit == 0)
        #expect(frames.index(of: UInt32.max) == 1)
        #expect(frames.index(of: 0) == nil)
        #expect(take(2, from: &frames) == [7, 8])
        #expect(frames.credit == 0)
    }

    @Test func `credit for many frames takes no memory until the frames exist, and no frame is lost`() {
        var frames = SentFrames(capacity: 10_000_000)
        #expect(frames.heldBytes < 64 << 10)
        #expect(frames.credit == 10_000_000)
        // The ring grows while its oldest frame is not at its beginning.
        for tag in 0..<1_000 as Range<UInt64> { frames.append(tag, bytes: 1) }
        #expect(take(700, from: &frames) == Array(0..<700))
        for tag in 1_000..<50_000 as Range<UInt64> { frames.append(tag, bytes: 1 + Int(tag % 3)) }
        #expect(frames.count == 49_300)
        #expect(frames.heldBytes < 4 << 20)
        #expect(frames.index(of: 50_000) == 49_299)
        #expect(frames.received(upTo: .max, at: 5) && frames.count(arrivedBy: 5) == 49_300)
        #expect(take(49_300, from: &frames) == Array(700..<50_000))
        #expect(frames.isEmpty)
    }

    @Test func `a random sequence of operations gives the same results as a plain list`() {
        struct Plain { var tag: UInt64, identifier: UInt32, start: UInt64, end: UInt64, arrived: Int64? }
        for seed in 0..<50 as Range<UInt64> {
            var dice = SeededRandom(seed: seed)
            var frames = SentFrames(
                capacity: Int.random(in: 1...40, using: &dice), slotsAtFirst: 1 + Int(seed % 4))
            var plain: [Plain] = []
            var (tag, written, received) = (0 as UInt64, 0 as UInt64, 0 as UInt64)
            for now in 0..<400 as Range<Int64> {
                switch Int.random(in: 0..<4, using: &dice) {
                case 0, 1:
                    guard frames.credit > 0 else { continue }
                    let bytes = UInt64.random(in: 1...50, using: &dice)
                    plain.append(
                        Plain(
                            tag: tag, identifier: frames.nextIdentifier, start: written, end: written + bytes,
                            arrived: nil))
                    frames.append(tag, bytes: Int(bytes))
                    (tag, written) = (tag + 1, written + bytes)
                case 2:
                    received = UInt64.random(in: received...written, using: &dice)
                    for index in plain.indices
                    where plain[index].arrived == nil && plain[index].end <= received {
                        plain[index].arrived = now
                    }
                    _ = frames.received(upTo: received, at: now)
                default:
                    for _ in 0..<Int.random(in: 0...min(5, plain.count), using: &dice) {
                        #expect(frames.removeFirst() == plain.removeFirst().tag)
                    }
                }
                #expect(frames.count == plain.count)
                #expect(frames.awaitsArrival == plain.contains { $0.arrived == nil })
                let moment = now - Int64.random(in: 0...20, using: &dice)
                #expect(
                    frames.count(arrivedBy: moment)
                        == plain.count { $0.arrived.map { $0 <= moment } ?? false })
                let byte = UInt64.random(in: 0...written + 1, using: &dice)
                #expect(frames.count(begunBefore: byte) == plain.count { $0.start < byte })
                let identifier = UInt32.random(in: 0...UInt32(tag) + 2, using: &dice)
                #expect(frames.index(of: identifier) == plain.firstIndex { $0.identifier == identifier })
            }
        }
    }
}
