import Foundation
import PushAPI
import PushModel
import Testing
import pushmta

struct TopScreenTests: StatusDrafting {
    private static let size = TopSize(columns: 150, rows: 30)

    private func shown(
        deliveries: [[String: Any]] = [], accounts: [[String: Any]] = [], queues: [[String: Any]] = [],
        _ change: (inout [String: Any]) -> Void = { _ in }
    ) throws -> TopScreen {
        var screen = TopScreen(intervalSeconds: 2)
        screen.show(try status(deliveries, accounts, queues, change), rates: [:])
        return screen
    }

    private func texts(_ screen: TopScreen, _ size: TopSize = Self.size) -> [String] {
        screen.lines(size).map(\.text)
    }

    private func words(_ line: String?) -> [String] { (line ?? "").split(separator: " ").map(String.init) }

    @Test func `accounts show their rate, waiting messages, errors and the last reason`() throws {
        let trouble: [String: Any] = ["text": "BadTopic", "count": 7, "lastAt": "2026-11-23T03:00:00Z"]
        let lines = texts(
            try shown(
                accounts: [
                    account("b", perSecond: 99.5, troubles: [trouble]), account("idle"),
                    account("held", "waiting", reason: "the gateway refuses"),
                ], queues: [queue("b", pending: 1_000)]))
        #expect(lines[0].contains("running, process 77, up 5m 6s; 1234.5 answers a second; unrecorded 12"))
        let rows = lines.filter { $0.hasPrefix("b#1 ") || $0.hasPrefix("held#1 ") || $0.hasPrefix("idle") }
        #expect(words(rows.first).prefix(2) == ["held#1", "waiting"], "what does not work comes first")
        #expect(rows.first?.hasSuffix("the gateway refuses") == true)
        #expect(
            words(rows.last) == [
                "b#1", "working", "99.5", "1000", "3", "4", "1m", "5s", "7", "-", "BadTopic",
            ])
    }

    @Test func `deliveries show their progress, and paused deliveries show when they expire`() throws {
        var screen = try shown(deliveries: [
            delivery(9, sent: 42), delivery(7, "paused", sent: 100, until: "2026-11-24T00:00:00Z"),
        ])
        screen.show(
            try status([
                delivery(9, sent: 42), delivery(7, "paused", sent: 99, until: "2026-11-24T00:00:00Z"),
            ]), rates: [DeliveryID(rawValue: 9): 12.5])
        let lines = texts(screen)
        let first = lines.first { $0.hasPrefix("       9") }
        #expect(
            words(first)
                == ["9", "Sale", "inProgress", "####......", "42%", "100", "42", "0", "58", "12.5", "-", "-"])
        let second = lines.first { $0.hasPrefix("       7") }
        #expect(second?.contains("#########.  99%") == true && second?.contains(" paused ") == true)
        #expect(second?.hasSuffix("expires 2026-11-24T00:00:00Z") == true)
    }

    @Test func `accounts and deliveries show what limits them, and deliveries show the remaining time`()
        throws
    {
        var (limited, waiting) = (delivery(9, sent: 42), delivery(8))
        limited["limitedBy"] = "rate"
        limited["secondsLeft"] = 65
        waiting["limitedBy"] = "window"
        var busy = account("b", perSecond: 99.5)
        busy["limitedBy"] = "gatewayLatency"
        let lines = texts(try shown(deliveries: [limited, waiting], accounts: [busy]))
        #expect(lines.filter { $0.contains("LIMITED BY") }.count == 2)
        #expect(lines.contains { $0.hasPrefix("b#1 ") && $0.contains("gateway latency") })
        #expect(lines.contains { $0.hasPrefix("       9") && words($0).suffix(3) == ["rate", "1m", "5s"] })
        #expect(
            lines.contains { $0.hasPrefix("       8") && words($0).suffix(2) == ["window", "unknown"] })
    }

    @Test func `the selection follows its delivery, and moves to the next one when the delivery has ended`()
        throws
    {
        var screen = try shown(deliveries: [delivery(3), delivery(2), delivery(1)])
        #expect(screen.selected?.id.rawValue == 3)
        screen.select(.up)
        #expect(screen.selected?.id.rawValue == 3)
        screen.select(.down)
        #expect(screen.lines(Self.size).filter { $0.style == .selected }.map { words($0.text)[0] } == ["2"])
        screen.show(try status([delivery(4), delivery(3), delivery(2), delivery(1)]), rates: [:])
        #expect(screen.selected?.id.rawValue == 2)
        screen.show(try status([delivery(4), delivery(3), delivery(1)]), rates: [:])
        #expect(screen.selected?.id.rawValue == 1)
        screen.select(.first)
        #expect(screen.selected?.id.rawValue == 4)
        screen.select(.last)
        #expect(screen.selected?.id.rawValue == 1)
        screen.show(try status([]), rates: [:])
        #expect(screen.selected == nil)
        screen.select(.down)
        #expect(texts(screen).contains("no open deliveries"))
    }

    @Test func `a missing master is reported, and no old figures are shown`() throws {
        var screen = try shown(deliveries: [delivery(1)])
        screen.lose(because: "no master runs")
        let lines = texts(screen)
        #expect(
            lines[0] == "no figures: the master is queried again every 2.0 s" && lines[1] == "no master runs")
        #expect(screen.selected == nil && !lines.contains { $0.contains("Sale") })
        #expect(texts(TopScreen(intervalSeconds: 2))[0] == "querying the master")
    }

    @Test func `alarms and an unresponsive master are shown`() throws {
        let screen = try shown { master in
            master["ageSeconds"] = 12.5
            master["alarms"] = [["kind": "account", "about": "a", "cause": "no child works", "seconds": 75]]
        }
        let lines = screen.lines(Self.size)
        #expect(lines[0].text.hasPrefix("running, process 77, no answer for 12.5 s, up "))
        #expect(lines[1] == TopLine("ALARM account a for 75 s: no child works", .alarm))
    }

    @Test(arguments: [(150, 30), (40, 10), (80, 24), (20, 5), (1, 1), (0, 0), (300, 4)])
    func `the output never exceeds the terminal's size, and shows the available keys if they fit`(
        columns: Int, rows: Int
    )
        throws
    {
        var screen = try shown(
            deliveries: (1...200).reversed().map { delivery($0, label: "Größe\u{1B}[2J\n\($0)") },
            accounts: (1...100).map { account("account \($0)", perSecond: Double($0)) })
        for _ in 0..<100 { screen.select(.down) }
        let lines = screen.lines(TopSize(columns: columns, rows: rows))
        #expect(lines.count <= rows)
        #expect(lines.allSatisfy { $0.text.count <= columns })
        #expect(lines.allSatisfy { line in line.text.unicodeScalars.allSatisfy { $0.value >= 32 } })
        guard rows >= 10 else { return }
        #expect(
            lines.last?.text
                == String("j/k select   p pause or resume   +/- interval   q quit".prefix(columns)))
        #expect(lines.contains { $0.style == .selected }, "what is selected can be seen")
        #expect(rows < 20 || lines.contains { $0.text.hasPrefix("and ") })
    }

    @Test(arguments: [80, 90, 100, 120])
    func `the most important columns fit, and accounts of the same app can be distinguished`(columns: Int)
        throws
    {
        let app = "customer-loyalty-programme-ios-production"
        let trouble: [String: Any] = [
            "text": "TooManyProviderTokenUpdates: the gateway refuses further tokens", "count": 7,
            "lastAt": "2026-11-23T03:00:00Z",
        ]
        let name = "iosHTTP2 production TEAMID1234:KEYID56789"
        let (old, new) = ("\(name) #541908bc", "\(name) #541777bc")
        let screen = try shown(
            deliveries: [
                delivery(
                    12_345, sent: 1_234_567, targeted: 9_876_543, label: "Sale of the year, the last days"),
                delivery(
                    12_344, "paused", targeted: 9_876_543, label: "Sale of the year",
                    until: "2026-11-24T00:00:00Z"
                ),
            ],
            accounts: [
                account(name, "waiting", reason: "the gateway says no", mark: old, apps: [app, "z"]),
                account(name, perSecond: 98_765.4, troubles: [trouble], mark: new, apps: [app]),
            ], queues: [queue(name, pending: 8_641_976, mark: new)]
        ) { master in
            master["alarms"] = [
                ["kind": "account", "about": "other", "cause": "no child process works", "seconds": 75]
            ]
        }
        let lines = texts(screen, TopSize(columns: columns, rows: 24))
        #expect(lines.allSatisfy { $0.count <= columns })
        func heading(_ start: String) -> String { lines.first { $0.hasPrefix(start) } ?? "" }
        for word in ["ACCOUNT", "STATE", "PER SECOND", "PENDING", "ERRORS", "LAST REASON"] {
            #expect(heading("ACCOUNT").contains(word), "\(heading("ACCOUNT"))")
        }
        for word in ["LABEL", "STATE", "PROGRESS", "FAILED", "PER SECOND", "TIME LEFT"] {
            #expect(heading("DELIVERY").contains(word), "\(heading("DELIVERY"))")
        }
        #expect(
            lines.contains { $0.hasPrefix("customer-") && $0.contains("#5419 ") && $0.contains("waiting") })
        #expect(
            lines.contains { $0.hasPrefix("customer-") && $0.contains("#5417 ") && $0.contains(" 98765.4 ") })
        #expect(lines.contains { $0.contains(" 8641976 ") && $0.contains("TooMany") })
        #expect(lines.contains { $0.contains("12345") && $0.contains("Sale") && $0.contains(" 12%") })
    }

    @Test func `an alarm with a long cause takes two lines`() throws {
        let cause =
            "its messages wait: no child process is working, and none can be started on this machine now"
        let screen = try shown(accounts: [
            account("iosHTTP2 production TEAM:KEY", mark: "x #12345678", apps: ["a"])
        ]) { master in
            master["alarms"] = [
                [
                    "kind": "account", "about": "iosHTTP2 production TEAM:KEY", "cause": cause, "seconds": 75,
                ]
            ]
        }
        let lines = texts(screen, TopSize(columns: 80, rows: 24))
        #expect(lines[1].hasPrefix("ALARM account a#1234 for 75 s: its messages wait"))
        #expect(lines[2].hasPrefix("  ") && lines[2].hasSuffix("on this machine now"))
    }

    @Test func `rates are measured between two refreshes that are far enough apart`() throws {
        let start = MonotonicTime(nanoseconds: 0)
        var rates = TopRates()
        rates.note(try status([delivery(1, sent: 10)]), at: start)
        #expect(rates.perSecond.isEmpty)
        rates.note(
            try status([delivery(1, sent: 30), delivery(2, sent: 5)]), at: start.advanced(bySeconds: 2))
        #expect(rates.perSecond == [DeliveryID(rawValue: 1): 10])
        rates.note(try status([delivery(1, sent: 31)]), at: start.advanced(byMilliseconds: 2_010))
        #expect(rates.perSecond == [DeliveryID(rawValue: 1): 10])
        // Failed messages were sent again.
        rates.note(try status([delivery(1, sent: 20)]), at: start.advanced(bySeconds: 4))
        #expect(rates.perSecond == [DeliveryID(rawValue: 1): 0])
    }
}
