import TestSupport
import Testing

/// Tests random sequences of orders for deliveries: they are submitted, paused, resumed, stopped, and sent
/// again if they failed, in any order, while children and masters are killed. The store, its write service,
/// the reading half of the master and the master's machine are the real ones. The children and the gateway
/// are simulated, and record which requests they began.
@Suite struct ControlStoryTests {
    /// `make chaos` sets this to a thousand.
    static let seeds = Environment.number("PUSHMTA_CONTROL_SEEDS") ?? 100

    @Test(arguments: 0..<seeds) func `no message is lost, and no message is sent after a stop is answered`(
        seed: Int
    ) throws {
        try MasterFixture.with { fixture in
            var story = try ControlStory(fixture, seed: UInt64(seed))
            for _ in 0..<250 where story.complaints.isEmpty { try story.turn() }
            try story.finish()
            try story.check()
            story.leave()
            #expect(story.complaints == [], "seed \(seed)")
        }
    }
}
