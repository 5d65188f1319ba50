import PushTransport
import TestSupport
import Testing

/// Tests with bytes that no server would send. Their meaning is tested elsewhere. Here, no input may trap,
/// and no request may end twice.
@Suite struct HTTP2SessionFuzzTests {
    private typealias Wire = WireFrame

    /// An ordinary exchange, and some rare frames.
    private static let spoken: [[UInt8]] = [
        Wire.settings([(1, 100), (3, 10), (4, 1_000), (5, 20_000)]),
        Wire.headers(1, [(":status", "200"), ("content-length", "3")]), Wire.data(1, "abc", ends: true),
        Wire.frame(1, flags: 5, 3, [0x88, 0x40, 1, 0x78, 1, 0x79]), Wire.frame(1, flags: 1, 5, [0x88]),
        Wire.frame(9, flags: 4, 5, [0xBE]), Wire.frame(0, flags: 9, 7, [2, 0x61, 0, 0]),
        Wire.windowUpdate(0, 70_000), Wire.windowUpdate(9, 5), Wire.reset(11, 7), Wire.goAway(13),
        Wire.frame(6, 0, Array(1...8)), Wire.frame(2, 13, [0, 0, 0, 0, 1]), Wire.frame(0xBB, 1, [1, 2, 3]),
        Wire.headers(13, [(":status", "103")]), Wire.headers(13, [(":status", "503")], ends: true),
    ]

    @Test(arguments: 1...8) func `no input crashes the session or ends a request twice`(seed: UInt64) throws {
        var chance = SeededRandom(seed: seed)
        var mutation = Mutation(seed: seed)
        for _ in 0..<400 {
            let fixture = try SessionFixture(room: 2_000)
            if chance.below(4) != 0 { fixture.greet() }
            var submitted: UInt64 = 0
            while submitted < 20 {
                fixture.submit(submitted, body: String(repeating: "x", count: chance.below(900)))
                submitted += 1
            }
            _ = fixture.send()
            for _ in 0..<30 {
                let frame = Self.spoken[chance.below(Self.spoken.count)]
                fixture.receive(chance.below(3) == 0 ? mutation.mutated(frame) : frame)
                if chance.below(3) == 0 { _ = fixture.send(atMost: chance.below(2_000)) }
                if chance.below(5) == 0 { fixture.cancel(UInt64(chance.below(20))) }
                if chance.below(5) == 0, fixture.submit(submitted) { submitted += 1 }
            }
            #expect(
                fixture.strayEndings == 0 && fixture.ended.count + fixture.session.inUse == Int(submitted))
        }
    }
}
