import PushConsole
import PushModel
import Testing

@Suite struct FormatTests {
    private static let noon = WallMoment(WallTime(secondsSince1970: 1_795_262_400))

    private func presented<Value>(in language: Language, _ body: () throws -> Value) rethrows -> Value {
        let presentation = Presentation(language: language, zone: .utc, zoneName: "UTC", now: Self.noon)
        return try Presentation.$current.withValue(presentation) { try body() }
    }

    private func moment(_ seconds: Int64) -> WallMoment {
        WallMoment(WallTime(secondsSince1970: Self.noon.time.secondsSince1970 + seconds))
    }

    @Test func `numbers have the separators of the language`() {
        presented(in: .english) {
            #expect(Formats.count(1_234_567) == "1,234,567")
            #expect(Formats.share(32, of: 1_000) == "3.2%")
            #expect(Formats.decimal(3.14159) == "3.1" && Formats.decimal(868.4) == "868")
            #expect(Formats.bytes(1_536_000) == "1.5 MB")
        }
        presented(in: .german) {
            #expect(Formats.count(1_234_567) == "1.234.567")
            #expect(Formats.share(32, of: 1_000) == "3,2\u{A0}%")
            #expect(Formats.bytes(1_536_000) == "1,5 MB")
        }
    }

    @Test func `a small share is not zero, and a part is not the whole`() {
        presented(in: .english) {
            #expect(Formats.share(1, of: 100_000) == "<0.1%" && Formats.share(0, of: 5) == "0%")
            #expect(Formats.share(999_999, of: 1_000_000) == ">99.9%" && Formats.share(5, of: 5) == "100%")
            #expect(Formats.share(0, of: 0) == nil)
        }
    }

    @Test func `durations and distances have one or two units`() {
        presented(in: .english) {
            let texts = [40, 75, 900, 7_500, 86_400, 129_600, 300_000].map { Formats.duration(seconds: $0) }
            #expect(
                texts == ["40 s", "1 min 15 s", "15 min", "2 h 5 min", "1 day", "1 day 12 h", "3 days 11 h"])
            let distances = [0, 90, 5_000, 100_000, -300_000].map { Moments.distance(moment($0)).text }
            #expect(distances == ["now", "in 1 min 30 s", "in 1 h 23 min", "in 1 day 3 h", "3 days ago"])
        }
        presented(in: .german) {
            #expect(Moments.distance(moment(-300_000)).text == "vor 3 Tagen")
            #expect(Formats.duration(seconds: 300_000) == "3 Tage 11 h")
        }
        presented(in: .german) {
            #expect(Formats.durationAfterPreposition(seconds: 300_000) == "3 Tagen 11 h")
            #expect(Formats.durationAfterPreposition(seconds: 86_400) == "1 Tag")
        }
    }

    @Test func `a period that has ended is never zero`() {
        presented(in: .english) {
            #expect(Formats.period(seconds: 0) == "<1 s" && Formats.period(seconds: 75) == "1 min 15 s")
        }
    }

    @Test func `the labels of an axis differ`() {
        presented(in: .english) {
            let labels = [[0, 60], [0, 50_400], [0, 86_400, 172_800], [0, 3_600, 50_400]].map { seconds in
                HTML.axisLabels(seconds.map(moment))
            }
            #expect(
                labels == [
                    ["12:00", "12:01"], ["Today, 12:00", "Tomorrow, 02:00"],
                    ["Today", "Tomorrow", "23 Nov 2026"], ["Today, 12:00", "13:00", "Tomorrow, 02:00"],
                ])
        }
    }

    @Test func `a line of one span is visible, and one without counts is left out`() {
        presented(in: .english) {
            let title = Phrase(same: "Chart")
            func chart(_ received: Int) -> String {
                HTML.timeChart(
                    id: "c", title: title, moments: [Self.noon],
                    [.init(title, [4]), .init(Phrase(same: "Received"), [received], isLine: true)],
                    summary: title
                ).text
            }
            #expect(chart(2).contains("points=\"28.80,50 211.20,50\""))
            #expect(chart(2).contains("key-line"))
            #expect(!chart(0).contains("polyline") && !chart(0).contains("key-line"))
            // The table still has the series.
            #expect(chart(0).contains("Received"))
        }
    }

    @Test func `days near today have names`() {
        presented(in: .english) {
            let texts = [0, 86_400, -86_400, 1_000_000].map { Moments.text(moment($0)) }
            #expect(texts == ["Today, 12:00", "Tomorrow, 12:00", "Yesterday, 12:00", "3 Dec 2026, 01:46"])
            #expect(Moments.long(Self.noon) == "Saturday 21 Nov 2026, 12:00")
            #expect(
                Moments.element(Self.noon).text.hasPrefix("<time datetime=\"2026-11-21T12:00:00Z\" title="))
        }
        presented(in: .german) {
            #expect(Moments.text(moment(1_000_000)) == "3. Dez. 2026, 01:46")
            #expect(Moments.long(Self.noon) == "Samstag, 21. Nov. 2026, 12:00")
        }
    }

    @Test func `a length in a drawing has a point in all languages`() {
        presented(in: .german) {
            #expect(Formats.length(33.333) == "33.33" && Formats.length(-0.5) == "-0.50")
            #expect(Formats.length(.nan) == "0" && Formats.length(100) == "100")
        }
    }
}
