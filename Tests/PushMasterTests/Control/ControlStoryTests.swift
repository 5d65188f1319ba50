import TestSupport
import Testing

/// Deliveries under control, made up: they are submitted, paused, resumed, stopped and sent again where they
/// failed, in any order, while children and masters are killed. The store, its write service, the reading half of
/// the master and its machine are the real ones; children and gateway are simulated, and know what they began.
@Suite struct ControlStoryTests {
    /// `make chaos` asks for a thousand.
    static let seeds = Environment.number("PUSHMTA_CONTROL_SEEDS") ?? 100

    @Test(arguments: 0..<seeds) func `nothing is lost, and nothing is sent after a stop has answered`(
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
