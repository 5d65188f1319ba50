import PushAPI
import PushModel
import Testing

@Suite struct UndeclaredParameterReportsTests {
    private static let app = AppID(rawValue: 1)

    @Test func `each app has one line an hour, which counts the registrations since the last line`() throws {
        var reports = UndeclaredParameterReports()
        func note(_ names: [String], _ app: AppID = Self.app, atSecond second: Int64) -> String? {
            reports.note(
                names, app: app, named: "shop \(app)",
                at: MonotonicTime(nanoseconds: 0).advanced(bySeconds: second))
        }
        let first = try #require(note(["fristName"], atSecond: 5))
        #expect(first.hasPrefix("app shop 1: a registration has parameters"))
        #expect(first.contains("(fristName)"))
        for second in Int64(6)...1_205 { #expect(note(["name-\(second)"], atSecond: second) == nil) }
        #expect(note(["fristName"], AppID(rawValue: 2), atSecond: 1_206) != nil)
        #expect(note(["a"], atSecond: 3_604) == nil)
        let second = try #require(note(["a"], atSecond: 3_605))
        #expect(second.contains("1 202 registrations have parameters"))
        #expect(second.contains("(name-6, name-7, name-8, name-9, name-10, …)"))
        #expect(reports.totals.map(\.registrations) == [1_203, 1])
    }

    @Test func `a line shows only as much of a name as a reader needs to recognise it`() throws {
        var reports = UndeclaredParameterReports()
        let names = [String(repeating: "n", count: 10_000), "a\nb"]
        let noted = reports.note(names, app: Self.app, named: "shop", at: MonotonicTime(nanoseconds: 0))
        let line = try #require(noted)
        #expect(line.count < 400 && !line.contains("\n") && line.contains(#"a\nb"#))
    }
}
