package import PushAPI
internal import PushModel
internal import PushWire

extension StatusView {
    package var lines: [String] { lines(within: nil) }

    /// - Parameter columns: The width of the terminal, to which tables are fitted and at which texts are
    ///   wrapped; `nil` if there is none. Accounts have short names on a terminal.
    package func lines(within columns: Int?) -> [String] {
        let names = columns.map { _ in AccountNames(self) }
        let tail = queueLines(columns, names) + deliveryLines(columns)
        guard let master else {
            return ["no master serves \(store)"] + FieldList(sizeFields).lines + rehearsalLines + damagedLines
                + verdictLines + webhookLines + hostLines(columns) + tail
        }
        let summary = FieldList(summary(of: master, names)).lines(within: columns)
        let table = master.childLines(columns) + master.accountLines(columns, names)
        guard storeTrouble == nil else {
            return summary + rehearsalLines + table + queueLines(columns, names)
        }
        return summary + rehearsalLines + damagedLines + verdictLines + webhookLines
            + hostLines(columns) + table + tail
    }

    private func summary(of master: MasterStatus, _ names: AccountNames?) -> [(name: String, value: String)] {
        var summary = [(name: "store", value: store)] + sizeFields
        summary += [
            ("master", "\(master.state), process \(master.pid), up \(Self.duration(master.uptimeSeconds))"),
            ("answers", "\(Self.tenths(master.answersPerSecond)) a second, within the last ten seconds"),
            ("unrecorded", Numerals.grouped(master.unrecorded)),
            ("waiting ranges", Numerals.grouped(master.waitingRanges)),
        ]
        if let web = master.web { summary.append(("web", web)) }
        if let admin = master.webAdmin { summary.append(("web admin", admin)) }
        if let console = master.webConsole { summary.append(("console", console)) }
        if let waitsFor = master.waitsFor { summary.append(("waits for", waitsFor)) }
        if master.ageSeconds > 1 {
            summary.append(("said", "\(Self.tenths(master.ageSeconds)) s ago: it has not answered since"))
        }
        if let trouble = master.trouble { summary.append(("TROUBLE", trouble)) }
        summary += master.alarms.map { ("ALARM", names?.line(of: $0) ?? $0.line) }
        if let storeTrouble { summary.append(("STORE", "\(storeTrouble); deliveries are not shown")) }
        return summary
    }

    private var sizeFields: [(name: String, value: String)] {
        guard let size else { return [] }
        var text = Numerals.bytes(size.bytes)
        if let free = size.freeBytes { text += ", including \(Numerals.bytes(free)) free" }
        if let disk = size.diskFreeBytes { text += ", on a disk with \(Numerals.bytes(disk)) left" }
        if size.logBytes > 0 { text += ", and \(Numerals.bytes(size.logBytes)) of write-ahead log" }
        var fields = [(name: "size", value: text)]
        if let million = size.bytesPerMillionMessages {
            fields.append((name: "growth", value: "\(Numerals.bytes(million)) for a million more messages"))
        }
        return fields
    }

    private var rehearsalLines: [String] { verifyMode ? [Self.rehearsal] : [] }

    static let rehearsal =
        "mta/@verifyMode is true: this is a rehearsal; every message counts as sent, and none is sent"

    private var damagedLines: [String] {
        let restored = damaged.filter(\.restored)
        let lines = damaged.filter { !$0.restored }.map { held in
            "DAMAGED: delivery \(held.delivery) is held since \(held.since.utcText): \(held.why); "
                + "run 'pushmta delivery recount \(held.delivery)'"
        }
        guard let first = restored.first else { return lines }
        let named = restored.prefix(10).map { "\($0.delivery)" }.joined(separator: ", ")
        let others = restored.count > 10 ? " and \(Numerals.grouped(restored.count - 10)) others" : ""
        let (noun, verb) = restored.count == 1 ? ("delivery", "is") : ("deliveries", "are")
        return lines + [
            "HELD: \(noun) \(named)\(others) \(verb) held since \(first.since.utcText): \(first.why); "
                + "run 'pushmta delivery release ID', or --all"
        ]
    }

    private var verdictLines: [String] { waitingVerdicts.map { "VERDICTS: \($0.line)" } }

    /// The lines of webhook receivers that lag, fail or are disabled.
    private var webhookLines: [String] {
        webhooks.filter(\.needsAttention).map {
            $0.statusLine.printable(atMost: CommandFailure.maxLineLength)
        }
    }

    /// The table of hosts. It is empty if there is only one host, because the lines above already describe
    /// that host.
    private func hostLines(_ columns: Int?) -> [String] {
        guard hosts.count > 1 else { return [] }
        return ["", "hosts"] + HostView.table(hosts).lines(within: columns, HostView.narrowing)
    }

    private func queueLines(_ columns: Int?, _ names: AccountNames?) -> [String] {
        guard !queues.isEmpty else { return [] }
        let numbers = ["PENDING", "RETRYING", "PAUSED", "GRANTED", "UNRECORDED", "OLDEST", "PER SECOND"]
        var table = TextTable(["QUEUE"] + numbers, numeric: numbers)
        for queue in queues {
            table.append([
                names?.short(queue.mark, orElse: queue.account) ?? queue.account, "\(queue.pending)",
                "\(queue.retrying)", "\(queue.paused)", "\(queue.granted)",
                "\(queue.unrecorded)", queue.oldestSeconds.map { Self.duration($0) } ?? "-",
                Self.tenths(queue.answersPerSecond),
            ])
        }
        return ["", "queues"]
            + table.lines(
                within: columns,
                [
                    .drop("UNRECORDED"), .shorten("QUEUE", to: 20), .drop("GRANTED"), .drop("PAUSED"),
                    .shorten("QUEUE", to: 12), .drop("PER SECOND"),
                ])
    }

    private func deliveryLines(_ columns: Int?) -> [String] {
        guard !deliveries.isEmpty else { return ["no open deliveries"] }
        return ["", "deliveries"]
            + DeliveryView.table(deliveries).lines(
                within: columns,
                [
                    .shorten("LABEL", to: 24), .drop("STARTED"), .drop("EXPIRES"), .shorten("LABEL", to: 12),
                    .drop("TARGETED"), .drop("ENVIRONMENT"), .shorten("LABEL", to: 6),
                ])
    }

    static func tenths(_ seconds: Double) -> String {
        let tenths = Int((min(seconds, 1e9) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Returns a text such as `3d 4h`, `4h 5m`, `5m 6s` or `6s`.
    static func duration(_ seconds: Int) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"),
            (seconds % 60, "s"),
        ]
        let significant = parts.drop { $0.0 == 0 }.prefix(2)
        return significant.isEmpty ? "0s" : significant.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}

extension MasterStatus.Alarm {
    /// A text such as `account NAME for 75 s: CAUSE`.
    var line: String {
        let since = seconds > 0 ? " for \(seconds) s" : ""
        return "\(kind)\(about.isEmpty ? "" : " \(about)")\(since): \(cause)".printable(
            atMost: CommandFailure.maxLineLength)
    }
}

extension MasterStatus {
    fileprivate func childLines(_ columns: Int?) -> [String] {
        guard !children.isEmpty else { return ["no children"] }
        var table = TextTable(
            [
                "PROCESS", "GENERATION", "STATE", "OUTSTANDING", "WAITING", "IN FLIGHT", "CONNECTIONS",
                "MEMORY",
            ],
            numeric: [
                "PROCESS", "GENERATION", "OUTSTANDING", "WAITING", "IN FLIGHT", "CONNECTIONS", "MEMORY",
            ])
        for child in children {
            table.append([
                "\(child.pid)", "\(child.generation)", child.state, "\(child.outstanding)",
                "\(child.waiting)",
                "\(child.inFlight)", "\(child.connections)", "\(child.residentKilobytes / 1_024) MB",
            ])
        }
        return ["", "children"]
            + table.lines(within: columns, [.drop("GENERATION"), .drop("CONNECTIONS"), .drop("MEMORY")])
    }

    fileprivate func accountLines(_ columns: Int?, _ names: AccountNames?) -> [String] {
        guard !accounts.isEmpty else { return [] }
        var table = TextTable(["ACCOUNT", "STATE", "LIMITED BY"])
        for account in accounts {
            let name = names?.short(account.mark, orElse: account.name) ?? account.name
            table.append([name, account.state, account.limitedBy?.name ?? "-"])
        }
        let topics = accounts.flatMap { account in account.topics.map { AccountHold($0, of: account) } }
        let holds = (accounts.compactMap { AccountHold($0, app: $0.apps.first) } + topics)
            .compactMap { untold($0) }.flatMap {
                $0.line.printable(atMost: CommandFailure.maxLineLength).wrapped(to: columns, indentation: 2)
            }
        return ["", "accounts"] + table.lines(within: columns, [.shorten("ACCOUNT", to: 20)])
            + (holds.isEmpty ? [] : [""] + holds)
    }

    /// Returns the part of a hold that no alarm contains; `nil` if an alarm contains everything.
    private func untold(_ hold: AccountHold) -> AccountHold? {
        let (kind, about) =
            hold.topic.map { ("topic", "\($0) of \(hold.account)") } ?? ("account", hold.account)
        let isTold = alarms.contains {
            $0.kind == kind && $0.about == about && $0.cause.contains(hold.reason)
        }
        guard isTold else { return hold }
        // Accounts in these states make no further attempts that a line could announce.
        guard hold.topic != nil || !["stopped", "stalled"].contains(hold.state) else { return nil }
        var rest = hold
        rest.reason = ""
        return rest
    }
}
