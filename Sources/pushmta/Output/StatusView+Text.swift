internal import PushModel
package import PushOperations

extension StatusView {
    package var lines: [String] {
        guard let master else {
            return ["no master serves \(store)"] + rehearsalLines + damagedLines + deliveryLines
        }
        var summary = [
            ("store", store),
            ("master", "\(master.state), process \(master.pid), up \(Self.duration(master.uptimeSeconds))"),
            ("unrecorded", Numerals.grouped(master.unrecorded)),
            ("waiting ranges", Numerals.grouped(master.waitingRanges)),
        ]
        if let waitsFor = master.waitsFor { summary.append(("waits for", waitsFor)) }
        if master.ageSeconds > 1 {
            summary.append(("said", "\(Self.tenths(master.ageSeconds)) s ago: it has not answered since"))
        }
        if let trouble = master.trouble { summary.append(("TROUBLE", trouble)) }
        if let storeTrouble {
            summary.append(("STORE", "\(storeTrouble); deliveries are not shown"))
            return FieldList(summary).lines + rehearsalLines + master.childLines + master.accountLines
        }
        return FieldList(summary).lines + rehearsalLines + damagedLines + master.childLines
            + master.accountLines + deliveryLines
    }

    private var rehearsalLines: [String] { verifyMode ? [Self.rehearsal] : [] }

    static let rehearsal = "mta/@verifyMode is true: a rehearsal, every message counts as sent and none is"

    private var damagedLines: [String] {
        damaged.map { held in
            "DAMAGED: delivery \(held.delivery) is held since \(held.since.utcText): \(held.why); "
                + "pushmta delivery recount \(held.delivery)"
        }
    }

    private var deliveryLines: [String] {
        deliveries.isEmpty
            ? ["no open deliveries"] : ["", "deliveries"] + DeliveryView.table(deliveries).lines
    }

    private static func tenths(_ seconds: Double) -> String {
        let tenths = Int((min(seconds, 1e9) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// `3d 4h`, `4h 5m`, `5m 6s`, `6s`
    private static func duration(_ seconds: Int) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"),
            (seconds % 60, "s"),
        ]
        let significant = parts.drop { $0.0 == 0 }.prefix(2)
        return significant.isEmpty ? "0s" : significant.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}

extension MasterView {
    fileprivate var childLines: [String] {
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
        return ["", "children"] + table.lines
    }

    fileprivate var accountLines: [String] {
        guard !accounts.isEmpty else { return [] }
        var table = TextTable(["ACCOUNT", "STATE", "REASON"])
        for account in accounts { table.append([account.name, account.state, account.reason]) }
        let holds = accounts.compactMap { AccountHold($0) }.map {
            $0.line.printable(atMost: CommandFailure.longestLine)
        }
        return ["", "accounts"] + table.lines + (holds.isEmpty ? [] : [""] + holds)
    }
}
