import PushModel
import PushWire
import TestContents
import Testing

@Suite struct DeliveryCalendarDocumentTests {
    private func parse(_ schedule: String) throws(WireError) -> DeliveryCalendar? {
        let document =
            #"{"label":"l","service":"s","target":{"all":true},"content":{"body":"x"},"schedule":\#(schedule)}"#
        return try DeliveryDocument.parse(Array(document.utf8)).schedule.calendar
    }

    private func findings(_ schedule: String) -> [String] {
        do {
            _ = try parse(schedule)
            return []
        } catch {
            return error.lines
        }
    }

    @Test func `waves, a time of day and quiet hours are parsed`() throws {
        let shares = try parse(
            #"{"waves":[{"share":0.01},{"after":"30m","share":0.1},{"after":7200}],"validity":"1d"}"#)
        #expect(
            shares?.waves == [
                .init(share: 10_000), .init(after: 1_800, share: 100_000), .init(after: 7_200),
            ])
        let sizes = try parse(#"{"waves":[{"size":1000},{"after":"2h"}]}"#)
        #expect(sizes?.waves == [.init(size: 1_000), .init(after: 7_200)])
        let whole = try parse(#"{"waves":[{"share":0.5},{"after":"1h","share":0.5}]}"#)
        #expect(whole?.waves.map(\.share) == [500_000, 500_000])
        let times = try parse(
            #"{"localTime":"10:00","quietHours":{"from":"22:00","to":"08:00"},"timeZone":"Europe/Paris"}"#)
        #expect(times?.localTime == 36_000 && times?.timeZone == "Europe/Paris" && times?.waves == [])
        #expect(times?.quietHours == QuietHours(from: 79_200, to: 28_800))
        #expect(try parse(#"{"validity":"1d"}"#) == nil)
    }

    @Test(arguments: [
        (#"{"waves":[]}"#, "schedule.waves: must have 1 to 20 waves, not 0"),
        (#"{"waves":{}}"#, "schedule.waves: must be an array of waves, not an object"),
        (#"{"waves":[7]}"#, "schedule.waves[0]: must be an object, not 7"),
        (
            #"{"waves":[{"part":1}]}"#,
            "schedule.waves[0].part: unknown; allowed: after, share, size"
        ),
        (
            #"{"waves":[{"size":0},{"after":"1h"}]}"#,
            "schedule.waves[0].size: must be an integer from 1 to 2147483647, not 0"
        ),
        (
            #"{"waves":[{"share":1.5},{"after":"1h"}]}"#,
            "schedule.waves[0].share: must be a number greater than 0 and up to 1, with at most 6 decimal places, not 1.5"
        ),
        (
            #"{"waves":[{"share":0.6},{"after":"1h","share":0.6},{"after":"1h"}]}"#,
            "schedule.waves: the sum of the shares must not exceed 1"
        ),
        (
            #"{"waves":[{"share":1},{"after":"1h"}]}"#,
            "schedule.waves: no recipient is left for the last wave; the shares before it already add up to 1"
        ),
        (
            #"{"waves":[{"share":0.1},{"after":"1h","share":0.1}]}"#,
            "schedule.waves[1]: the last wave receives the rest; remove its share or size"
        ),
        (
            #"{"waves":[{"size":5}]}"#,
            "schedule.waves[0]: the last wave receives the rest; remove its share or size"
        ),
        (
            #"{"waves":[{"share":0.1},{"after":"1h","size":5},{"after":"1h"}]}"#,
            "schedule.waves: must have either shares or sizes, not both"
        ),
        (
            #"{"waves":[{"share":0.1,"size":5},{"after":"1h"}]}"#,
            "schedule.waves[0]: must have only share or size, not both"
        ),
        (
            #"{"waves":[{},{"after":"1h"}]}"#,
            "schedule.waves[0]: has neither share nor size; only the last wave receives the rest"
        ),
        (#"{"waves":[{"size":5},{}]}"#, "schedule.waves[1].after: missing"),
        (
            #"{"waves":[{"after":"1h"}]}"#,
            "schedule.waves[0].after: the first wave starts with the delivery; remove after"
        ),
        (
            #"{"validity":"3h","waves":[{"size":5},{"after":"2h","size":5},{"after":"1h"}]}"#,
            "schedule.waves[2].after: the wave would start after the validity ends, which is 3h after the start of the delivery"
        ),
        (
            #"{"localTime":"25:00"}"#,
            "schedule.localTime: must be a time of day from 00:00 to 23:59, not \"25:00\""
        ),
        (#"{"localTime":10}"#, "schedule.localTime: must be a time of day from 00:00 to 23:59, not 10"),
        (#"{"quietHours":{"from":"22:00"}}"#, "schedule.quietHours.to: missing"),
        (
            #"{"quietHours":{"from":"22:00","to":"22:00"}}"#,
            "schedule.quietHours: from and to must be different times of day"
        ),
        (
            #"{"localTime":"07:00","quietHours":{"from":"22:00","to":"08:00"}}"#,
            "schedule.localTime: is within the quiet hours; use a time outside quietHours"
        ),
        (
            #"{"timeZone":"Europe/Paris"}"#,
            "schedule.timeZone: has no effect without localTime or quietHours"
        ),
        (#"{"localTime":"10:00","timeZone":""}"#, "schedule.timeZone: must not be empty"),
        (
            #"{"wave":[]}"#,
            "schedule.wave: unknown; allowed: startAt, validity, priority, ratePerSecond, retentionDays, waves, localTime, quietHours, timeZone"
        ),
    ])
    func `an error states its path and the allowed values`(schedule: String, finding: String) {
        #expect(findings(schedule) == [finding])
    }

    @Test func `a calendar can have at most 20 waves`() throws {
        func schedule(_ count: Int) -> String {
            let middle = (0..<count - 2).map { _ in #",{"after":60,"size":1}"# }.joined()
            return #"{"waves":[{"size":1}\#(middle),{"after":60}]}"#
        }
        #expect(try parse(schedule(20))?.waves.count == 20)
        #expect(findings(schedule(21)) == ["schedule.waves: must have 1 to 20 waves, not 21"])
    }

    @Test func `a template may have a calendar, over which a calendar in the document takes precedence`()
        throws
    {
        let template =
            #"{"content":{"body":"x"},"schedule":{"localTime":"10:00","quietHours":{"from":"22:00","to":"08:00"}}}"#
        let saved = try TemplateDocument.parse(Array(template.utf8))
        let own = try DeliveryDocument.value(
            of: Array(
                #"{"label":"l","service":"s","target":{"all":true},"schedule":{"localTime":"09:00"}}"#.utf8))
        let filled = TemplateMerge.delivery(
            own, over: saved.value, TemplateVersion(name: "t", version: 1))
        let calendar = try DeliveryDocument.read(filled).schedule.calendar
        #expect(calendar?.localTime == 32_400)
        #expect(calendar?.quietHours == QuietHours(from: 79_200, to: 28_800))
    }
}
