import PushModel
import Testing

struct DeliveryCalendarTests {
    private static func utc(_ text: String) throws -> WallTime { try #require(WallTime(utc: text)) }

    /// The offset in Paris: summer time lasts from 29 March to 25 October 2026, with both changes at 01:00
    /// UTC.
    private static func paris(_ moment: WallTime) -> Int {
        (1_774_746_000..<1_792_890_000).contains(moment.secondsSince1970) ? 7_200 : 3_600
    }

    // MARK: - Waves

    private static func calendar(_ waves: [DeliveryCalendar.Wave]) -> DeliveryCalendar {
        var calendar = DeliveryCalendar()
        calendar.waves = waves
        return calendar
    }

    @Test func `waves by share do not overlap, cover every subscription, and do not change`() {
        let calendar = Self.calendar([
            .init(share: 10_000), .init(after: 1_800, share: 100_000), .init(after: 7_200),
        ])
        var counts = [0, 0, 0]
        for number in 1...20_000 {
            let subscription = SubscriptionID(rawValue: Int64(number))
            let wave = calendar.wave(of: subscription, at: Int64(number), seed: -8)
            counts[wave] += 1
            #expect(calendar.wave(of: subscription, at: 0, seed: -8) == wave)
        }
        #expect((140...260).contains(counts[0]) && (1_800...2_200).contains(counts[1]), "\(counts)")
        let seeds = [1, 2].map { DeliveryCalendar.seed(of: DeliveryID(rawValue: $0)) }
        let firsts = seeds.map { seed in
            (1...20_000).filter {
                calendar.wave(of: SubscriptionID(rawValue: Int64($0)), at: 0, seed: seed) == 0
            }
        }
        #expect(firsts[0] != firsts[1])
        #expect((0...2).map(calendar.delay(ofWave:)) == [0, 1_800, 9_000])
    }

    @Test func `waves by size follow the order of subscriptions in the target`() {
        let calendar = Self.calendar([.init(size: 3), .init(after: 60, size: 2), .init(after: 60)])
        let waves = (0..<7).map { calendar.wave(of: SubscriptionID(rawValue: 9), at: $0, seed: 0) }
        #expect(waves == [0, 0, 0, 1, 1, 2, 2])
    }

    @Test func `with one wave or none, all subscriptions are in the first wave`() {
        for calendar in [Self.calendar([]), Self.calendar([.init(share: 1_000_000)])] {
            #expect(calendar.wave(of: SubscriptionID(rawValue: 5), at: 5, seed: 1) == 0)
        }
    }

    // MARK: - Times of the day

    @Test(arguments: [
        // Before the time, at the time, and after it: on the next day.
        ("2026-11-21T06:00:00Z", "2026-11-21T09:00:00Z"), ("2026-11-21T09:00:00Z", "2026-11-21T09:00:00Z"),
        ("2026-11-21T12:00:00Z", "2026-11-22T09:00:00Z"),
        // The offset is the one on the day in question.
        ("2026-03-28T12:00:00Z", "2026-03-29T08:00:00Z"), ("2026-10-24T12:00:00Z", "2026-10-25T09:00:00Z"),
    ])
    func `a time of day means its next occurrence, by the local clock on that day`(begin: String, due: String)
        throws
    {
        var calendar = DeliveryCalendar()
        calendar.localTime = 10 * 3_600
        let (begin, due) = (try Self.utc(begin), try Self.utc(due))
        #expect(calendar.due(wave: 0, begin: begin, now: begin, offset: Self.paris) == due)
    }

    @Test func `a time that passes during preparation stays valid for an hour`() throws {
        var calendar = DeliveryCalendar()
        calendar.localTime = 10 * 3_600
        let begin = try Self.utc("2026-11-21T06:00:00Z")
        for (now, due) in [
            ("2026-11-21T09:59:59Z", "2026-11-21T09:59:59Z"),
            ("2026-11-21T10:00:01Z", "2026-11-22T09:00:00Z"),
        ] {
            let (now, due) = (try Self.utc(now), try Self.utc(due))
            #expect(calendar.due(wave: 0, begin: begin, now: now, offset: Self.paris) == due)
        }
    }

    @Test
    func `a skipped local time means one hour later, and a repeated local time means the first occurrence`()
        throws
    {
        let half = 2 * 3_600 + 1_800
        let gap = try Self.utc("2026-03-28T12:00:00Z")
        let found = DayTime.next(half, from: gap, offset: Self.paris)
        #expect(try found == Self.utc("2026-03-29T01:30:00Z"))
        let overlap = try Self.utc("2026-10-24T12:00:00Z")
        let first = DayTime.next(half, from: overlap, offset: Self.paris)
        #expect(try first == Self.utc("2026-10-25T00:30:00Z"))
    }

    @Test(arguments: [-39_600, -12_600, 0, 20_700, 50_400])
    func `in every time zone, a time of day occurs within one day`(offset: Int) throws {
        let from = try Self.utc("2026-11-21T12:00:00Z")
        for seconds in stride(from: 0, to: DayTime.day, by: 4_567) {
            let moment = DayTime.next(seconds, from: from) { _ in offset }
            #expect(moment >= from && moment.seconds(since: from) < 86_400)
            #expect(DayTime.split(moment) { _ in offset }.seconds == seconds)
        }
    }

    @Test func `times of day are parsed strictly`() {
        #expect(DayTime.read("00:00") == 0 && DayTime.read("23:59") == 86_340)
        for text in ["", "24:00", "10:60", "1:00", "10.00", "10:0", "10:000", "-1:00", "１０:00", "10:00Z"] {
            #expect(DayTime.read(text) == nil, "\(text)")
        }
        #expect(DayTime.text(36_000) == "10:00" && DayTime.text(540) == "00:09")
    }

    // MARK: - Quiet hours

    @Test(arguments: [
        ("2026-11-21T20:59:59Z", nil), ("2026-11-21T21:00:00Z", "2026-11-22T07:00:00Z"),
        ("2026-11-22T06:59:59Z", "2026-11-22T07:00:00Z"), ("2026-11-22T07:00:00Z", nil),
        // The night is one hour shorter or longer.
        ("2026-03-28T22:00:00Z", "2026-03-29T06:00:00Z"), ("2026-10-24T21:00:00Z", "2026-10-25T07:00:00Z"),
    ])
    func `a message that is due in quiet hours waits until they end`(moment: String, end: String?) throws {
        let night = QuietHours(from: 22 * 3_600, to: 8 * 3_600)
        let found = night.end(at: try Self.utc(moment), offset: Self.paris)
        let wanted = try end.map(Self.utc)
        #expect(found == wanted)
    }

    @Test func `quiet hours that start and end on one day end on that day`() throws {
        let noon = QuietHours(from: 12 * 3_600, to: 14 * 3_600)
        let found = noon.end(at: try Self.utc("2026-11-21T11:30:00Z"), offset: Self.paris)
        #expect(try found == Self.utc("2026-11-21T13:00:00Z"))
        let over = try Self.utc("2026-11-21T13:00:00Z")
        #expect(noon.end(at: over, offset: Self.paris) == nil)
    }

    @Test func `if quiet hours end within a repeated hour, their end is never a day away`() throws {
        let night = QuietHours(from: 22 * 3_600, to: 2 * 3_600 + 1_800)
        // 02:15 in winter time, after the first 02:30.
        let moment = try Self.utc("2026-10-25T01:15:00Z")
        #expect(night.end(at: moment, offset: Self.paris) == moment.advanced(bySeconds: 900))
    }

    @Test func `a wave that begins during quiet hours is sent when they end`() throws {
        var calendar = Self.calendar([.init(share: 1_000), .init(after: 12 * 3_600)])
        calendar.quietHours = QuietHours(from: 22 * 3_600, to: 8 * 3_600)
        let begin = try Self.utc("2026-11-21T12:00:00Z")
        #expect(calendar.due(wave: 0, begin: begin, now: begin, offset: Self.paris) == begin)
        let morning = try Self.utc("2026-11-22T07:00:00Z")
        #expect(calendar.due(wave: 1, begin: begin, now: begin, offset: Self.paris) == morning)
    }
}
