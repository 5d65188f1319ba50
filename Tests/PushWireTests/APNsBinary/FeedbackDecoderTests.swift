import GatewayAPNsBinary
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct FeedbackDecoderTests {
    private static func bytes(of tuples: [FeedbackTuple]) -> [UInt8] {
        tuples.flatMap { tuple -> [UInt8] in
            let token = stride(from: 0, to: tuple.token.count, by: 2).compactMap { place in
                UInt8(tuple.token.dropFirst(place).prefix(2), radix: 16)
            }
            return big(UInt64(tuple.time.secondsSince1970), 4) + big(UInt64(token.count), 2) + token
        }
    }

    private static func big(_ value: UInt64, _ bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    private static func tuples(lengths: [Int], seed: UInt64) -> [FeedbackTuple] {
        var dice = SeededRandom(seed: seed)
        return lengths.map { length in
            FeedbackTuple(
                time: WallTime(secondsSince1970: Int64(UInt32.random(in: 0...UInt32.max, using: &dice))),
                token: (0..<2 * length).map { _ in
                    String(Int.random(in: 0..<16, using: &dice), radix: 16)
                }.joined())
        }
    }

    private func drain(_ decoder: inout FeedbackDecoder) throws -> [FeedbackTuple] {
        var tuples: [FeedbackTuple] = []
        while let tuple = try decoder.next() { tuples.append(tuple) }
        return tuples
    }

    @Test func `a tuple consists of seconds, length and token, and the token is lower-case hexadecimal`()
        throws
    {
        var decoder = FeedbackDecoder()
        decoder.feed([0x65, 0x43, 0x21, 0x00, 0, 3, 0x0A, 0xBC, 0xFF])
        #expect(
            try decoder.next()
                == FeedbackTuple(time: WallTime(secondsSince1970: 0x6543_2100), token: "0abcff"))
        #expect(try decoder.next() == nil)
        #expect(decoder.pendingBytes == 0)
    }

    @Test func `the tuples are the same wherever the stream is split`() throws {
        let tuples = Self.tuples(lengths: [32, 1, 100, 32], seed: 1)
        let bytes = Self.bytes(of: tuples)
        for split in 0...bytes.count {
            var decoder = FeedbackDecoder()
            decoder.feed(bytes[..<split])
            var found = try drain(&decoder)
            decoder.feed(bytes[split...])
            found += try drain(&decoder)
            #expect(found == tuples, "split at \(split)")
            #expect(decoder.pendingBytes == 0)
        }
        var decoder = FeedbackDecoder()
        var found: [FeedbackTuple] = []
        for byte in bytes {
            decoder.feed([byte])
            found += try drain(&decoder)
        }
        #expect(found == tuples)
    }

    @Test func `a truncated stream yields its complete tuples, and its truncation is reported`() throws {
        let tuples = Self.tuples(lengths: [32, 32, 7], seed: 2)
        let bytes = Self.bytes(of: tuples)
        let ends = [0, 38, 76, 89]
        for length in 0...bytes.count {
            var decoder = FeedbackDecoder()
            decoder.feed(bytes.prefix(length))
            let whole = ends.lastIndex { $0 <= length } ?? 0
            #expect(try drain(&decoder) == Array(tuples.prefix(whole)))
            #expect(decoder.pendingBytes == length - ends[whole])
        }
    }

    @Test func `a length that no token can have ends the stream permanently`() throws {
        for length in [0, 101, 255, 256, 32_768, 65_535] {
            let good = Self.tuples(lengths: [32], seed: UInt64(length))
            var decoder = FeedbackDecoder()
            decoder.feed(Self.bytes(of: good) + [0, 0, 0, 1] + Self.big(UInt64(length), 2) + [1, 2, 3])
            #expect(try decoder.next() == good[0])
            #expect(throws: FeedbackError.absurdTokenLength(length)) { try decoder.next() }
            decoder.feed(Self.bytes(of: good))
            #expect(throws: FeedbackError.absurdTokenLength(length)) { try decoder.next() }
        }
        #expect(FeedbackError.absurdTokenLength(0).description.contains("0 bytes"))
    }

    @Test func `any bytes are tuples, an incomplete tuple or an error, however they are split`() throws {
        var dice = SeededRandom(seed: 3)
        for _ in 0..<1_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...5, using: &dice) {
                let length = Int.random(in: 0...110, using: &dice)
                bytes += Self.big(UInt64.random(in: 0...UInt64(UInt32.max), using: &dice), 4)
                bytes += Self.big(UInt64(length), 2)
                bytes += (0..<length).map { _ in UInt8.random(in: 0...255, using: &dice) }
            }
            bytes.removeLast(Int.random(in: 0...min(40, bytes.count), using: &dice))
            func read(_ sizes: () -> Int) -> (tuples: [FeedbackTuple], pending: Int?, error: FeedbackError?) {
                var decoder = FeedbackDecoder()
                var tuples: [FeedbackTuple] = []
                var rest = bytes[...]
                do throws(FeedbackError) {
                    while !rest.isEmpty {
                        let count = min(sizes(), rest.count)
                        decoder.feed(rest.prefix(count))
                        rest = rest.dropFirst(count)
                        while let tuple = try decoder.next() { tuples.append(tuple) }
                    }
                    return (tuples, decoder.pendingBytes, nil)
                } catch {
                    return (tuples, nil, error)
                }
            }
            let whole = read { Int.max }
            let pieces = read { Int.random(in: 1...7, using: &dice) }
            #expect(whole == pieces)
            #expect(whole.tuples.allSatisfy { (2...200).contains($0.token.count) })
        }
    }
}
