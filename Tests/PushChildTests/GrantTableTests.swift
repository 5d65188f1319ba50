import GatewayKit
import PushChild
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct GrantTableTests {
    private static let now = MonotonicTime(nanoseconds: 0)

    private func frame(_ number: GrantID, messages: ClosedRange<Int64>) throws -> GrantFrame {
        var decoder = FrameDecoder()
        decoder.feed(MasterEnd.grant(number, messages: messages))
        return try GrantFrame(try #require(try decoder.next()))
    }

    /// Returns the tags of all entries of the grant at this index.
    private func tags(_ frame: GrantFrame, at place: Int) -> [UInt64] {
        var offset = GrantFrame.firstEntry
        return (0..<frame.count).map { _ in
            defer { offset = frame.entry(at: offset).next }
            return GrantRun.tag(place: place, offset: offset)
        }
    }

    @Test func `a tag identifies a slot and an offset, up to the largest values`() {
        for (place, offset) in [(0, 12), (1, 0), (70_000, 64 << 20), (Int(Int32.max), Int(UInt32.max))] {
            let tag = GrantRun.tag(place: place, offset: offset)
            #expect(GrantRun.place(of: tag) == place)
            #expect(GrantRun.offset(of: tag) == offset)
        }
    }

    @Test func `a grant is open until its last message has ended`() throws {
        var table = GrantTable()
        #expect(table.isEmpty)
        let frame = try frame(1, messages: 1...3)
        let place = table.add(frame, at: Self.now)
        let tags = tags(frame, at: place)
        #expect(table.openMessages == 3)
        for (index, tag) in tags.enumerated() {
            #expect(table.frame(of: tag)?.grant == 1)
            table.close(tag)
            #expect(table.openMessages == 2 - index)
        }
        #expect(table.isEmpty)
        #expect(table.frame(of: tags[0]) == nil)
    }

    @Test func `ending a message after the last one has ended changes nothing`() throws {
        var table = GrantTable()
        let frame = try frame(1, messages: 1...1)
        let place = table.add(frame, at: Self.now)
        let tag = tags(frame, at: place)[0]
        table.close(tag)
        table.close(tag)
        #expect(table.openMessages == 0)
    }

    @Test func `ending a tag identifies its message only once`() throws {
        var table = GrantTable()
        let frame = try frame(1, messages: 7...8)
        let place = table.add(frame, at: Self.now)
        let tags = tags(frame, at: place)
        let ended = tags.map { table.close($0) }
        #expect(ended.map { $0?.message.rawValue } == [7, 8])
        #expect(ended.allSatisfy { $0?.grant == 1 && $0?.job == frame.job })
        #expect(table.isEmpty && table.close(tags[1]) == nil)
    }

    @Test func `slots are reused, but only when they are free`() throws {
        var table = GrantTable()
        let frames = try (1...3).map { try frame(GrantID($0), messages: 1...2) }
        let places = frames.map { table.add($0, at: Self.now) }
        #expect(Set(places).count == 3)
        for tag in tags(frames[1], at: places[1]) { table.close(tag) }
        #expect(table.add(frames[1], at: Self.now) == places[1])
        #expect(!places.contains(table.add(frames[0], at: Self.now)))
        #expect(table.openMessages == 8)
    }
}
