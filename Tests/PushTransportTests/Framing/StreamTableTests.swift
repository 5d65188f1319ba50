import PushTransport
import TestSupport
import Testing

@Suite struct StreamTableTests {
    @Test(arguments: 1...10)
    func `the table returns the same results as a dictionary, however far apart the streams are`(
        seed: UInt64
    ) {
        var chance = SeededRandom(seed: seed)
        var table = StreamTable(maxStreams: 50)
        var model: [Int32: Int] = [:]
        var next: Int32 = 1
        for _ in 0..<20_000 {
            if model.count < 50, chance.below(2) == 0 {
                table.insert(next, slot: Int(next) % 1000)
                model[next] = Int(next) % 1000
                next += 2 * Int32(1 + chance.below(chance.below(20) == 0 ? 5_000 : 2))
            } else if let stream = model.keys.sorted().dropFirst(chance.below(max(1, model.count))).first {
                table.remove(stream)
                model[stream] = nil
                table.remove(stream)
            }
            let asked = Int32(1 + 2 * chance.below(Int(next) / 2 + 1))
            #expect(table.slot(of: asked) == model[asked])
        }
        for (stream, slot) in model { #expect(table.slot(of: stream) == slot) }
    }
}
