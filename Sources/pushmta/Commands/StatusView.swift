internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

/// What `status` shows.
struct StatusView {
    let storePath: String
    /// nil where none runs.
    let master: MasterStatus?
    /// Those that have not ended.
    let deliveries: [DeliverySummary]
    /// Those that are held because their rows are damaged.
    let damaged: [DamagedDelivery]
    let now: WallMoment

    var json: JSONValue {
        [
            "store": .string(storePath),
            "running": .boolean(master != nil),
            "master": master.map(Self.json) ?? .null,
            "deliveries": .array(deliveries.map { DeliveryView.json($0, at: now) }),
            "damaged": .array(
                damaged.map { held in
                    [
                        "delivery": .integer(held.delivery.rawValue), "why": .string(held.why),
                        "since": .string(held.since.utcText),
                    ]
                }),
        ]
    }

    var lines: [String] {
        guard let master else { return ["no master serves \(storePath)"] + damagedLines + deliveryLines }
        var summary = [
            ("store", storePath),
            ("master", "\(master.state), process \(master.pid), up \(Self.duration(master.uptimeSeconds))"),
            ("unrecorded", Numerals.grouped(master.unrecorded)),
            ("waiting ranges", Numerals.grouped(master.waitingRanges)),
        ]
        if let trouble = master.trouble { summary.append(("TROUBLE", trouble)) }
        return FieldList(summary).lines + damagedLines + Self.children(master) + Self.accounts(master) + deliveryLines
    }

    private var damagedLines: [String] {
        damaged.map { held in
            "DAMAGED: delivery \(held.delivery) is held since \(held.since.utcText): \(held.why); "
                + "pushmta delivery recount \(held.delivery)"
        }
    }

    private var deliveryLines: [String] {
        deliveries.isEmpty ? ["no open deliveries"] : ["", "deliveries"] + DeliveryList.table(deliveries, at: now).lines
    }

    private static func children(_ master: MasterStatus) -> [String] {
        guard !master.children.isEmpty else { return ["no children"] }
        var table = TextTable(
            ["PROCESS", "GENERATION", "STATE", "OUTSTANDING", "WAITING", "IN FLIGHT", "CONNECTIONS", "MEMORY"],
            numeric: ["PROCESS", "GENERATION", "OUTSTANDING", "WAITING", "IN FLIGHT", "CONNECTIONS", "MEMORY"])
        for child in master.children {
            table.append([
                "\(child.pid)", "\(child.generation)", child.state, Numerals.grouped(child.outstanding),
                Numerals.grouped(child.waiting), Numerals.grouped(child.inFlight), "\(child.connections)",
                "\(child.residentKilobytes / 1_024) MB",
            ])
        }
        return ["", "children"] + table.lines
    }

    private static func accounts(_ master: MasterStatus) -> [String] {
        guard !master.accounts.isEmpty else { return [] }
        var table = TextTable(["ACCOUNT", "STATE", "REASON"])
        for account in master.accounts { table.append([account.name, account.state, account.reason]) }
        let holds = master.accounts.compactMap(AccountHold.init).map { $0.line().visible }
        return ["", "accounts"] + table.lines + (holds.isEmpty ? [] : [""] + holds)
    }

    /// `3d 4h`, `4h 5m`, `5m 6s`, `6s`
    private static func duration(_ seconds: Int) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s"),
        ]
        let significant = parts.drop { $0.0 == 0 }.prefix(2)
        return significant.isEmpty ? "0s" : significant.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }

    private static func json(_ master: MasterStatus) -> JSONValue {
        [
            "pid": .integer(Int64(master.pid)),
            "uptimeSeconds": .integer(master.uptimeSeconds),
            "state": .string(master.state),
            "unrecorded": .integer(master.unrecorded),
            "waitingRanges": .integer(master.waitingRanges),
            "trouble": .string(master.trouble),
            "children": .array(master.children.map { child in
                [
                    "pid": .integer(Int64(child.pid)),
                    "generation": .integer(Int64(child.generation)),
                    "state": .string(child.state),
                    "outstanding": .integer(child.outstanding),
                    "waiting": .integer(child.waiting),
                    "inFlight": .integer(child.inFlight),
                    "connections": .integer(child.connections),
                    "residentKilobytes": .integer(child.residentKilobytes),
                ]
            }),
            "accounts": .array(master.accounts.map { account in
                .object(Self.members(account))
            }),
        ]
    }

    static func members(_ account: MasterStatus.Account) -> [JSONMember] {
        let values: [(String, JSONValue)] = [
            ("name", .string(account.name)), ("state", .string(account.state)), ("reason", .string(account.reason)),
            ("mark", .string(account.mark)),
            ("secondsUntilProbe", account.secondsUntilProbe.map { .integer($0) } ?? .null),
            ("outstanding", .integer(account.outstanding)), ("inFlight", .integer(account.inFlight)),
            ("window", .integer(account.window)), ("connections", .integer(account.connections)),
            ("ratePerSecond", account.ratePerSecond.map { .integer($0) } ?? .null),
            ("children", .array(account.children.map { .integer(Int64($0)) })),
            ("troubles", .array(account.troubles.map { trouble in
                [
                    "text": .string(trouble.text), "count": .integer(trouble.count),
                    "lastAt": .string(WallTime(secondsSince1970: trouble.last).utcText),
                ]
            })),
        ]
        return values.map { JSONMember(key: $0.0, value: $0.1) }
    }
}
