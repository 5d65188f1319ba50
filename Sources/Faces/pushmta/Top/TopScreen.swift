package import PushAPI
package import PushModel
internal import PushWire

/// The contents of `top` as a value. The contents and a size determine the lines.
package struct TopScreen: Sendable {
    /// The last status received from the master; `nil` if there is none yet or the master is unavailable.
    package var status: StatusView?
    package var rates: [DeliveryID: Double] = [:]
    /// The reason why no status is known now; `nil` if there is a status.
    package var failure: String?
    /// The delivery that keys such as `p` act on.
    package private(set) var selection: DeliveryID?
    /// The result of the key that was pressed last.
    package var message = ""
    /// The interval between two queries.
    package var intervalSeconds: Double

    package init(intervalSeconds: Double) { self.intervalSeconds = intervalSeconds }

    /// The deliveries that are under way, the newest first.
    package var deliveries: [DeliveryView] { status?.deliveries ?? [] }
    package var selected: DeliveryView? { deliveries.first { $0.id == selection } }

    /// Shows a new status. If the selected delivery has ended, the delivery that is now at its position is
    /// selected.
    package mutating func show(_ new: StatusView, rates: [DeliveryID: Double]) {
        let place = deliveries.firstIndex { $0.id == selection } ?? 0
        (status, failure, self.rates) = (new, nil, rates)
        guard selected == nil else { return }
        selection = deliveries.isEmpty ? nil : deliveries[min(place, deliveries.count - 1)].id
    }

    package mutating func lose(because why: String) { (status, failure, rates) = (nil, why, [:]) }

    /// The ways in which a key selects another delivery.
    package enum Move: Equatable, Sendable { case up, down, first, last }

    package mutating func select(_ move: Move) {
        guard !deliveries.isEmpty else { return }
        let place = deliveries.firstIndex { $0.id == selection } ?? 0
        let wanted =
            switch move {
            case .up: max(place - 1, 0)
            case .down: min(place + 1, deliveries.count - 1)
            case .first: 0
            case .last: deliveries.count - 1
            }
        selection = deliveries[wanted].id
    }

    /// Returns at most as many lines as the screen has rows, none wider than the screen.
    package func lines(_ size: TopSize) -> [TopLine] {
        let rows = max(size.rows, 0)
        var top = heading
        let keys = [TopLine(message), TopLine(Self.keys, .heading)]
        guard let status else {
            return fitted(top + [TopLine("")] + keys, size)
        }
        let names = AccountNames(status)
        top += alarms(status, names, size.columns)
        // Accounts receive at most a third of the remaining rows, plus any rows that deliveries do not need.
        let left = rows - top.count - keys.count
        let table = deliveryTable(status, size.columns)
        let accounts = TopAccount.all(of: status, names)
        let spared = max(left / 3, left - table.count - 1)
        let shown = Self.accountLines(accounts, atMost: max(spared - 1, 0), size.columns)
        let room = max(left - shown.count - 1, 0)
        let deliveries = window(table, atMost: room)
        var lines = top + shown
        lines.append(TopLine(""))
        lines += deliveries
        lines += Array(repeating: TopLine(""), count: max(room - deliveries.count, 0))
        return fitted(lines + keys, size)
    }

    static let keys = "j/k select   p pause or resume   +/- interval   q quit"

    private func fitted(_ lines: [TopLine], _ size: TopSize) -> [TopLine] {
        lines.prefix(max(size.rows, 0)).map { $0.fitted(to: max(size.columns, 0)) }
    }

    // MARK: Heading and alarms

    private var heading: [TopLine] {
        let every = "every \(StatusView.tenths(intervalSeconds)) s"
        guard let status, let master = status.master else {
            guard let failure else { return [TopLine("querying the master", .heading)] }
            return [
                TopLine("no figures: the master is queried again \(every)", .alarm), TopLine(failure),
            ]
        }
        let silence =
            master.ageSeconds > 1
            ? ", no answer for \(StatusView.tenths(master.ageSeconds)) s" : ""
        let text =
            "\(master.state), process \(master.pid)\(silence), up "
            + "\(StatusView.duration(master.uptimeSeconds)); "
            + "\(StatusView.tenths(master.answersPerSecond)) answers a second; unrecorded "
            + "\(Numerals.grouped(master.unrecorded)); children \(master.children.count); \(every)"
        return [TopLine(text, .heading)] + (status.verifyMode ? [TopLine(StatusView.rehearsal)] : [])
    }

    private static let maxAlarms = 3
    /// The maximum number of lines of an alarm. The part that does not fit is not shown.
    private static let linesOfAlarm = 2

    private func alarms(_ status: StatusView, _ names: AccountNames, _ columns: Int) -> [TopLine] {
        guard let master = status.master else { return [] }
        var lines = master.alarms.prefix(Self.maxAlarms).flatMap {
            "ALARM \(names.line(of: $0))".wrapped(to: columns, indentation: 2).prefix(Self.linesOfAlarm).map {
                TopLine($0, .alarm)
            }
        }
        if let waitsFor = master.waitsFor { lines.append(TopLine("waits for \(waitsFor)")) }
        if let failure = status.storeTrouble { lines.append(TopLine("STORE \(failure)", .alarm)) }
        if let failure = master.trouble { lines.append(TopLine("TROUBLE \(failure)", .alarm)) }
        return lines
    }

    // MARK: Accounts

    private static func accountLines(
        _ accounts: [TopAccount], atMost most: Int, _ columns: Int
    ) -> [TopLine] {
        guard !accounts.isEmpty, most > 1 else { return [] }
        let isWhole = accounts.count + 1 <= most
        let shown = isWhole ? accounts[...] : accounts.prefix(most - 2)
        var table = TextTable(TopAccount.headings, numeric: TopAccount.numbers)
        for account in shown { table.append(account.cells) }
        var lines = table.lines(within: columns, TopAccount.narrowing).enumerated().map {
            TopLine($1, $0 == 0 ? .heading : .plain)
        }
        if !isWhole { lines.append(TopLine("and \(Numerals.grouped(accounts.count - shown.count)) others")) }
        return lines
    }

    // MARK: Deliveries

    private func deliveryTable(_ status: StatusView, _ columns: Int) -> [TopLine] {
        guard status.storeTrouble == nil else { return [TopLine("deliveries cannot be shown")] }
        guard !status.deliveries.isEmpty else { return [TopLine("no open deliveries")] }
        let numbers = ["DELIVERY", "TARGETED", "SENT", "FAILED", "WAITING", "PER SECOND"]
        var table = TextTable(
            [
                "DELIVERY", "LABEL", "STATE", "PROGRESS", "TARGETED", "SENT", "FAILED", "WAITING",
                "PER SECOND", "LIMITED BY", "TIME LEFT", "",
            ], numeric: numbers)
        for delivery in status.deliveries {
            let (counts, rate) = (delivery.counts, rates[delivery.id] ?? delivery.messagesPerSecond)
            table.append([
                "\(delivery.id)", delivery.label, delivery.stateWord, delivery.progress,
                "\(counts.targeted)", "\(counts.sent)", "\(counts.failed)",
                "\(counts.pending + counts.retrying)", rate.map { StatusView.tenths($0) } ?? "-",
                delivery.limitCells[0], delivery.limitCells[1],
                delivery.pausedUntil.map { "expires \($0.utcText)" } ?? "",
            ])
        }
        let steps: [TextTable.Narrowing] = [
            .shorten("LABEL", to: 24), .drop(""), .drop("TARGETED"), .drop("SENT"),
            .shorten("LABEL", to: 12), .drop("WAITING"), .shorten("LABEL", to: 6), .drop("LIMITED BY"),
        ]
        return table.lines(within: columns, steps).enumerated().map { number, text in
            let isSelected = number > 0 && status.deliveries[number - 1].id == selection
            return TopLine(text, number == 0 ? .heading : isSelected ? .selected : .plain)
        }
    }

    /// Returns the part of the table that shows its heading and the selected row.
    private func window(_ table: [TopLine], atMost most: Int) -> [TopLine] {
        guard table.count > most, most > 1, let head = table.first else { return Array(table.prefix(most)) }
        let rows = most - 1
        let selected = table.firstIndex { $0.style == .selected } ?? 1
        let first = min(max(selected - rows / 2, 1), table.count - rows)
        return [head] + table[first..<first + rows]
    }
}

extension DeliveryView {
    /// A text such as `####......  42%`: the proportion of the known messages that have ended.
    fileprivate var progress: String {
        let ended = Double(counts.sent) + Double(counts.failed) + Double(counts.cancelled)
        let share = counts.targeted > 0 ? min(max(ended / Double(counts.targeted), 0), 1) : 0
        let done = Int(share * 10)
        // The text shows 100% only if no messages are left.
        let percent = "\(Int(share * 100))%"
        return String(repeating: "#", count: done) + String(repeating: ".", count: 10 - done)
            + String(repeating: " ", count: 5 - percent.count) + percent
    }
}
