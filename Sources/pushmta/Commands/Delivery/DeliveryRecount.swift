internal import ArgumentParser
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

struct DeliveryRecount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recount", abstract: "Count a delivery's messages anew, and let it go on where it was held.",
        discussion: """
            A delivery whose rows contradict each other is held: nothing more of it is sent. This makes its counters and \
            the ranges of its parts what its messages say. Exit status 1 where something is wrong that messages do not \
            tell; the delivery stays held then, until its validity ends.
            """)

    @Argument(help: "The delivery's id.")
    var id: DeliveryID

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let instance = try Instance(config)
        let result = try instance.openStore().repair.recount(id, at: Clocks.moment())
        instance.nudgeMaster()
        if json.isWanted {
            try StandardOutput.json([
                "id": .integer(id.rawValue), "mendedParts": .integer(result.mendedParts),
                "problem": .string(result.problem), "before": Self.json(result.before), "after": Self.json(result.after),
            ])
        } else {
            try StandardOutput.lines(lines(result))
        }
        if !result.isRepaired { throw Ending.failed }
    }

    private func lines(_ result: RecountResult) -> [String] {
        var table = TextTable(["COUNT", "BEFORE", "NOW"], numeric: ["BEFORE", "NOW"])
        for ((name, before), (_, after)) in zip(Self.counts(result.before), Self.counts(result.after)) {
            table.append([name, Numerals.grouped(before), Numerals.grouped(after)])
        }
        var lines = table.lines
        if result.mendedParts > 0 { lines.append("\(Numerals.count(result.mendedParts, "part")) found again") }
        lines.append(result.problem.map { "still held: \($0)" } ?? "delivery \(id) goes on")
        return lines
    }

    private static func json(_ counts: DeliveryCounts) -> JSONValue {
        .object(Self.counts(counts).map { JSONMember(key: $0.0, value: .integer($0.1)) })
    }

    private static func counts(_ counts: DeliveryCounts) -> [(String, Int)] {
        [
            ("targeted", counts.targeted), ("excluded", counts.excluded), ("pending", counts.pending),
            ("sent", counts.sent), ("retrying", counts.retrying), ("failed", counts.failed),
            ("cancelled", counts.cancelled),
        ]
    }
}
