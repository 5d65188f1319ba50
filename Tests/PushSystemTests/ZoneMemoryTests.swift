import PushModel
import PushSystem
import Testing

struct ZoneMemoryTests {
    private let begin = ContinuousClock.now

    @Test func `the names of unknown zones are cached for a minute, like the names of known zones`() {
        var memory = ZoneMemory()
        #expect(memory.zone(named: "UTC", at: begin) == .unknown)
        memory.note(.utc, named: "UTC", at: begin)
        memory.note(nil, named: "Nowhere/Atall", at: begin)
        let late = begin.advanced(by: .seconds(59))
        #expect(memory.zone(named: "UTC", at: late) == .zone(.utc))
        #expect(memory.zone(named: "Nowhere/Atall", at: late) == .none)
        #expect(memory.zone(named: "Nowhere/Else", at: late) == .unknown)
        memory.note(.utc, named: "GMT", at: late)
        let later = begin.advanced(by: .seconds(60))
        #expect(memory.zone(named: "Nowhere/Atall", at: later) == .unknown && memory.count == 0)
        memory.note(.utc, named: "Nowhere/Atall", at: later)
        #expect(memory.zone(named: "Nowhere/Atall", at: later) == .zone(.utc))
    }

    @Test func `invented names do not fill the cache and remove no zone from it`() {
        var memory = ZoneMemory()
        memory.note(.utc, named: "UTC", at: begin)
        for number in 0..<ZoneMemory.maxAbsent * 3 + 5 { memory.note(nil, named: "No/\(number)", at: begin) }
        #expect(memory.count == 6)
        #expect(memory.zone(named: "UTC", at: begin) == .zone(.utc))
        for number in 0..<ZoneMemory.maxKnown * 2 { memory.note(.utc, named: "Zone/\(number)", at: begin) }
        #expect(memory.count <= ZoneMemory.maxKnown + 5)
    }
}
