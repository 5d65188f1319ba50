import Testing
import pushsink

@Suite struct DistinctCounterTests {
    @Test func `a repeated value counts once, whatever the number of values`() {
        var counter = DistinctCounter()
        var expected: Set<UInt64> = []
        for _ in 0..<50_000 {
            let hash = UInt64.random(in: 1...30_000)
            counter.insert(Bytes.mixed(hash))
            expected.insert(Bytes.mixed(hash))
        }
        #expect(counter.count == expected.count)
    }

    @Test func `hashes of similar texts are different`() {
        var seen: Set<UInt64> = []
        for number in 0..<20_000 { seen.insert(String(number).asBytes { $0.hash64 }) }
        for count in 0..<64 { seen.insert([UInt8](repeating: 0, count: count).asBytes { $0.hash64 }) }
        #expect(seen.count == 20_064)
    }
}
