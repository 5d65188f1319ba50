import Testing
import pushload

extension EndToEnd.Chaos {
    @Test func `deliveries that are paused, stopped and sent again amid kills lose no message`() async throws
    {
        // `pushload control` runs the same scenario for longer, and `ControlStoryTests` runs many
        // simulations.
        try await expectThatAllHolds(
            in: try ControlScenario.with { ($0.seed, $0.devices, $0.steps) = (20_261_124, 1_000, 15) })
    }
}
