import PushModel
import Testing

/// Tests with zone files that are generated here according to RFC 9636, so that no test depends on the files
/// on the machine.
struct ZoneRulesTests {
    private static func big(_ value: Int64, _ bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> Int64($0 * 8)) }
    }

    private static func header(_ times: Int, _ types: Int, _ letters: Int) -> [UInt8] {
        var bytes = Array("TZif2".utf8)
        bytes += [UInt8](repeating: 0, count: 15)
        for count in [0, 0, 0, times, types, letters] { bytes += big(Int64(count), 4) }
        return bytes
    }

    private static func file(
        _ transitions: [(time: Int64, type: UInt8)], types: [Int64], footer: String
    ) -> [UInt8] {
        // Readers of version 2 skip the first block.
        var bytes = header(0, 1, 4)
        bytes += [0, 0, 0, 0, 0, 0]
        bytes += Array("UTC\0".utf8)
        bytes += header(transitions.count, types.count, 4)
        for transition in transitions { bytes += big(transition.time, 8) }
        for transition in transitions { bytes.append(transition.type) }
        for type in types {
            bytes += big(type, 4)
            bytes += [0, 0]
        }
        bytes += Array("LMT\0\n\(footer)\n".utf8)
        return bytes
    }

    private static func utc(_ text: String) throws -> WallTime { try #require(WallTime(utc: text)) }

    @Test
    func `the transitions in the file apply, and after the last transition the rule in the file applies`()
        throws
    {
        let bytes = Self.file(
            [(-1_000_000, 1), (1_000_000, 2)], types: [561, 3_600, 7_200],
            footer: "CET-1CEST,M3.5.0,M10.5.0/3")
        let zone = try #require(ZoneRules(tzif: bytes))
        func offset(_ seconds: Int64) -> Int { zone.offset(at: WallTime(secondsSince1970: seconds)) }
        #expect(offset(.min) == 561 && offset(-1_000_001) == 561)
        #expect(offset(-1_000_000) == 3_600 && offset(999_999) == 3_600)
        for (moment, wanted) in [
            ("2026-03-29T00:59:59Z", 3_600), ("2026-03-29T01:00:00Z", 7_200), ("2026-10-25T00:59:59Z", 7_200),
            ("2026-10-25T01:00:00Z", 3_600), ("2099-07-01T00:00:00Z", 7_200),
        ] {
            #expect(try zone.offset(at: Self.utc(moment)) == wanted, "\(moment)")
        }
        #expect(offset(.max) == 3_600)
    }

    @Test(arguments: [
        ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:59Z", -18_000),
        ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -14_400),
        // In the southern hemisphere, it is summer at New Year.
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 39_600),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z", 36_000),
        // Names in angle brackets, offsets with half hours, and half an hour of summer time.
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-01-01T00:00:00Z", 39_600),
        ("<+0545>-5:45", "2026-01-01T00:00:00Z", 20_700),
        // Summer time that is the standard time, and transitions that fall on another day.
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00:00Z", 0),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7_200),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3_600),
        ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-03-28T00:00:00Z", 10_800),
    ])
    func `rules are parsed in the format of the time zone database`(rule: String, moment: String, offset: Int)
        throws
    {
        let zone = try #require(ZoneRules(tzif: Self.file([], types: [0], footer: rule)))
        #expect(try zone.offset(at: Self.utc(moment)) == offset)
    }

    @Test(arguments: [
        "", "CET", "CET-1CEST", "CET-1CEST,J60,J300", "CET-1CEST,M13.1.0,M1.1.0", "CET-999", "<x",
    ])
    func `if there is no readable rule, the last offset continues to apply`(rule: String) throws {
        let zone = try #require(ZoneRules(tzif: Self.file([(5, 1)], types: [0, 900], footer: rule)))
        #expect(try zone.offset(at: Self.utc("2026-07-01T00:00:00Z")) == 900)
    }

    @Test func `a file in another format is refused, and so is a truncated file`() {
        let whole = Self.file([(1, 0), (2, 1)], types: [0, 60], footer: "UTC0")
        let needed = whole.count - "\nUTC0\n".utf8.count
        for count in 0..<needed { #expect(ZoneRules(tzif: Array(whole[..<count])) == nil, "\(count)") }
        #expect(ZoneRules(tzif: whole) != nil)
        #expect(ZoneRules(tzif: Self.file([(1, 2)], types: [0, 60], footer: "UTC0")) == nil)
        #expect(ZoneRules(tzif: Self.file([(2, 0), (1, 1)], types: [0, 60], footer: "UTC0")) == nil)
        #expect(ZoneRules(tzif: Self.file([], types: [90_000], footer: "UTC0")) == nil)
    }
}
