import PushTransport
import Testing

@Suite struct PeerAllowanceTests {
    private static let second: Int64 = 1_000_000_000

    private func allowance(streams: Int = 100) -> PeerAllowance {
        PeerAllowance(PeerLimits(), streams: streams, now: 0)
    }

    @Test func `ordinary answers never exceed the allowance, whatever their number`() throws {
        var allowance = allowance(streams: 1_000)
        for read in 0..<100_000 {
            let excess = allowance.received(
                answers: 100, frames: 1_000, bytes: 60_000, at: Int64(read) * 1_000)
            try #require(excess == nil, "read \(read)")
        }
    }

    @Test func `a thousand answers with ten frames each can all be incomplete together`() {
        var allowance = allowance(streams: 1_000)
        for _ in 0..<1_000 {
            #expect(allowance.received(answers: 0, frames: 9, bytes: 16 << 10, at: 0) == nil)
        }
    }

    @Test func `frames without answers exceed the allowance after a known number, however reads are split`() {
        let most = 4_096 + 16 * 100
        for each in [7, 50, 500] {
            var allowance = allowance()
            var frames = 0
            while frames < 1_000_000 {
                frames += each
                if allowance.received(answers: 0, frames: each, bytes: 9 * each, at: 0) != nil { break }
            }
            #expect((most + 1...most + each).contains(frames))
        }
    }

    @Test func `bytes without answers exceed the allowance too, and a one-byte read has a minimum cost`() {
        var allowance = allowance()
        var reads = 0
        while reads < 1_000_000, allowance.received(answers: 0, frames: 0, bytes: 1, at: 0) == nil {
            reads += 1
        }
        #expect(reads == ((1 << 20) + 100 * (16 << 10)) / PeerLimits.minRead)
    }

    @Test func `a quiet connection can be sent PING frames indefinitely`() throws {
        var allowance = allowance()
        for moment in 0..<200_000 {
            let now = Int64(moment) * Self.second / 50
            try #require(
                allowance.received(answers: 0, frames: 1, bytes: 17, at: now) == nil, "after \(moment) PINGs")
        }
    }

    @Test func `neither a stopped clock nor a jumping clock grants more than the full credit`() {
        var allowance = allowance()
        #expect(allowance.received(answers: 0, frames: 5_000, bytes: 0, at: -5) == nil)
        #expect(allowance.received(answers: 0, frames: 5_000, bytes: 0, at: .max / 2) == nil)
        #expect(allowance.received(answers: 0, frames: 5_000, bytes: 0, at: .max / 2) == .frames)
    }
}
