import Foundation
import PushAPI
import PushModel
import Testing
import pushmta

struct TopScreenTests {
    private static let size = TopSize(columns: 150, rows: 30)

    private func shown(
        deliveries: [[String: Any]] = [], accounts: [[String: Any]] = [], queues: [[String: Any]] = [],
        _ change: (inout [String: Any]) -> Void = { _ in }
    ) throws -> TopScreen {
        var screen = TopScreen(intervalSeconds: 2)
        screen.show(try status(deliveries, accounts, queues, change), rates: [:])
        return screen
    }

    private func status(
        _ deliveries: [[String: Any]], _ accounts: [[String: Any]] = [], _ queues: [[String: Any]] = [],
        _ change: (inout [String: Any]) -> Void = { _ in }
    ) throws -> StatusView {
        var master: [String: Any] = [
            "pid": 77, "uptimeSeconds": 306, "state": "running", "ageSeconds": 0, "operations": 0,
            "unrecorded": 12, "answersPerSecond": 1_234.5, "waitingRanges": 0, "alarms": [],
            "children": [], "accounts": accounts,
        ]
        change(&master)
        let status: [String: Any] = [
            "store": "/var/pushmta.db", "running": true, "verifyMode": false, "master": master,
            "deliveries": deliveries, "damaged": [], "queues": queues,
            "webhooks": [], "hosts": [], "waitingVerdicts": [],
        ]
        return try JSONDecoder().decode(
            StatusView.self, from: try JSONSerialization.data(withJSONObject: status))
    }

    private func delivery(
        _ id: Int, _ state: String = "inProgress", sent: Int = 0, targeted: Int = 100, label: String = "Sale",
        until: String? = nil
    ) -> [String: Any] {
        var delivery: [String: Any] = [
            "id": id, "label": label, "state": state, "environments": ["production"],
            "createdAt": "2026-11-21T10:00:00.000Z",
            "counts": [
                "targeted": targeted, "excluded": 0, "pending": targeted - sent, "sent": sent, "retrying": 0,
                "failed": 0, "cancelled": 0, "received": 0, "clicked": 0,
            ],
        ]
        delivery["pausedUntil"] = until
        return delivery
    }

    private func account(
        _ name: String, _ state: String = "working", reason: String = "", perSecond: Double = 0,
        troubles: [[String: Any]] = []
    ) -> [String: Any] {
        [
            "name": name, "state": state, "reason": reason, "mark": "\(name) #1", "outstanding": 0,
            "granted": 0,
            "answersPerSecond": perSecond, "inFlight": 0, "window": 0, "connections": 0, "children": [],
            "troubles": troubles, "topics": [],
        ]
    }

    private func queue(_ account: String, pending: Int) -> [String: Any] {
        [
            "account": account, "mark": "\(account) #1", "pending": pending, "retrying": 3, "paused": 4,
            "granted": 0, "unrecorded": 0, "oldestSeconds": 65, "answersPerSecond": 0,
        ]
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
        let rows = lines.filter { $0.hasPrefix("b ") || $0.hasPrefix("held ") || $0.hasPrefix("idle ") }
        #expect(words(rows.first).prefix(2) == ["held", "waiting"], "what does not work comes first")
        #expect(rows.first?.hasSuffix("the gateway refuses") == true)
        #expect(
            words(rows.last) == ["b", "working", "99.5", "1000", "3", "4", "1m", "5s", "7", "BadTopic"])
    }

    @Test func `deliveries show their progress, and paused ones show when they expire`() throws {
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
                == ["9", "Sale", "inProgress", "####......", "42%", "100", "42", "0", "58", "12.5"])
        let second = lines.first { $0.hasPrefix("       7") }
        #expect(second?.contains("#########.  99%") == true && second?.contains(" paused ") == true)
        #expect(second?.hasSuffix("expires 2026-11-24T00:00:00Z") == true)
    }

    @Test func `the selection follows its delivery, and moves on when the delivery has ended`() throws {
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

    @Test func `an absent master is reported, and no old figures are shown`() throws {
        var screen = try shown(deliveries: [delivery(1)])
        screen.lose(because: "no master runs")
        let lines = texts(screen)
        #expect(
            lines[0] == "no figures: the master is queried again every 2.0 s" && lines[1] == "no master runs")
        #expect(screen.selected == nil && !lines.contains { $0.contains("Sale") })
        #expect(texts(TopScreen(intervalSeconds: 2))[0] == "querying the master")
    }

    @Test func `alarms and a silent master are shown`() throws {
        let screen = try shown { master in
            master["ageSeconds"] = 12.5
            master["alarms"] = [["kind": "account", "about": "a", "cause": "no child works", "seconds": 75]]
        }
        let lines = screen.lines(Self.size)
        #expect(lines[0].text.hasSuffix("reported 12.5 s ago, no answer since"))
        #expect(lines[1] == TopLine("ALARM account a for 75 s: no child works", .alarm))
    }

    @Test(arguments: [(150, 30), (40, 10), (80, 24), (20, 5), (1, 1), (0, 0), (300, 4)])
    func `the output never exceeds the terminal's size, and shows the keys if they fit`(
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

    @Test func `rates are measured between two looks that are far enough apart`() throws {
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
