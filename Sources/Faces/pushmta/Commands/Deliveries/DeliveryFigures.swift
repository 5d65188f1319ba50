internal import ArgumentParser
package import PushAPI
internal import PushModel
internal import PushWire

struct DeliveryStats: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print the results of a delivery in figures.",
        discussion: """
            The figures are the numbers of targeted, excluded (by reason), sent, failed (by type and \
            reason), received and clicked messages. A message that a device reports several times counts \
            once; the number of all reports follows if it is greater. --json and --csv also show how the \
            figures developed over time. \
            The figures are kept when the messages are removed. Before that, 'delivery recount' can \
            recalculate them.

            Example: pushmta delivery stats 17 --csv > statistics.csv
            """)

    @OptionGroup var members: MemberArguments<ShowDeliveryStatistics>
    @OptionGroup var format: StatisticsFormat
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let statistics = try members.request().carryOut(by: Operations(config))
        try format.print(statistics, csv: statistics.csv, statistics.lines)
    }
}

extension ShowDeliveryStatistics: CommandUseCase {}

/// The output format of statistics.
struct StatisticsFormat: ParsableArguments {
    @Flag(help: "Print JSON instead of text.")
    var json = false

    @Flag(help: "Print CSV instead of text, with one row for each figure.")
    var csv = false

    func validate() throws {
        if json, csv { throw ValidationError("Give --json or --csv, not both.") }
    }

    func print(
        _ statistics: some Encodable, csv bytes: @autoclosure () -> [UInt8],
        _ lines: @autoclosure () -> [String]
    ) throws {
        if json { return try StandardOutput.json(statistics) }
        if csv { return try StandardOutput.bytes(bytes()) }
        try StandardOutput.lines(lines())
    }
}

struct DeliveryLog: PerformingCommand {
    static let useCases: [any UseCase.Type] = [ReadDeliveryLogPage.self]
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case csv, jsonl
    }

    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Print the result of each message of a delivery.",
        discussion: """
            Each message has one row, in the order in which the messages were prepared. messageId is the \
            _mId that the device received; it is empty if the delivery has no tracking. receivedAt, \
            clickedAt and clicks are the device's first reports and its number of clicks. The log of a \
            running delivery is read page by page, and each page is a snapshot. Exit status 1 if messages \
            cannot be read; the other messages are printed.

            Example: pushmta delivery log 17 > log.csv
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs, transform: NumberArgument.deliveryID)
    var id: DeliveryID

    @Option(help: "The format: CSV with a header, or one JSON object per line.")
    var format: Format = .csv

    @Option(help: ArgumentHelp("Print only the messages to this user.", valueName: "key"))
    var userKey: String?

    @Option(help: ArgumentHelp("Print only the messages to the device with this token.", valueName: "token"))
    var token: String?

    @OptionGroup var config: ConfigurationOption

    func validate() throws {
        if userKey != nil, token != nil {
            throw ValidationError("Give --user-key or --token, not both.")
        }
    }

    func run() throws {
        let operations = try Operations(config)
        var output = FileWriter()
        var isFirst = true
        let format = format
        var failure: OperationError?
        do throws(OperationError) {
            try ReadDeliveryLog(id: id, userKey: userKey, token: token).perform(in: operations) { rows in
                if isFirst, format == .csv { try output.append(MessageLogRow.header) }
                isFirst = false
                let bytes = try format == .csv ? MessageLogRow.csv(rows) : MessageLogRow.jsonLines(rows)
                try output.append { $0 += bytes }
            }
        } catch {
            failure = error
        }
        if failure == nil, isFirst, format == .csv { try output.append(MessageLogRow.header) }
        // Output the rows that could be read, even if other rows could not be read.
        try output.finish()
        if let failure { throw failure }
    }
}

extension DeliveryStatistics {
    var lines: [String] {
        let fields: [(name: String, value: String)] = [
            ("id", "\(id)"), ("label", label), ("state", state.rawValue),
            ("targeted", Numerals.grouped(counts.targeted)),
            ("excluded", Numerals.grouped(counts.excluded)),
            ("pending", Numerals.grouped(counts.pending + counts.retrying)),
            ("sent", Numerals.grouped(counts.sent)),
            ("failed", Numerals.grouped(counts.failed)),
            ("cancelled", Numerals.grouped(counts.cancelled)),
            ("received", Self.share(counts.received, of: counts.sent, reports: receipts)),
            ("clicked", Self.share(counts.clicked, of: counts.sent, reports: clicks)),
        ]
        var lines = FieldList(fields).lines
        var table = TextTable(
            ["APP", "SENT", "FAILED", "EXCLUDED", "RECEIVED", "CLICKED"],
            numeric: ["SENT", "FAILED", "EXCLUDED", "RECEIVED", "CLICKED"])
        for app in apps {
            table.append([
                app.app + (app.environment?.note ?? ""), "\(app.sent)", "\(app.failed)",
                "\(app.excluded)", "\(app.received)", "\(app.clicked)",
            ])
        }
        if !apps.isEmpty { lines += [""] + table.lines }
        lines += Self.table("EXCLUDED BECAUSE", exclusions) + Self.table("FAILED BECAUSE", failures)
        if let devices { lines += DeviceCount.table(devices) }
        return lines
    }

    /// Returns a text such as `1 200 (12.0 %)` or, if some messages were reported more than once,
    /// `1 200 (12.0 %), reported 1 350 times`.
    private static func share(_ count: Int, of all: Int, reports: Int) -> String {
        let times = reports > count ? ", reported \(Numerals.grouped(reports)) times" : ""
        guard all > 0 else { return Numerals.grouped(count) + times }
        let tenths = (count * 1_000 + all / 2) / all
        return "\(Numerals.grouped(count)) (\(tenths / 10).\(tenths % 10) %)\(times)"
    }

    private static func table(_ heading: String, _ reasons: [Reason]) -> [String] {
        guard !reasons.isEmpty else { return [] }
        var table = TextTable(["COUNT", "APP", "TYPE", "REASON", heading], numeric: ["COUNT"])
        for reason in reasons {
            table.append([
                "\(reason.count)", reason.app, reason.failureType ?? "", reason.failureReason ?? "",
                reason.providerReason,
            ])
        }
        return [""] + table.lines
    }
}

extension ServiceStatistics {
    var lines: [String] {
        var table = TextTable(
            ["APP", "PLATFORM", "ENVIRONMENT", "VALID", "QUARANTINED", "DISABLED", "OPTED OUT"],
            numeric: ["VALID", "QUARANTINED", "DISABLED", "OPTED OUT"])
        for app in apps {
            table.append([
                app.app, app.platform, app.environment.rawValue, "\(app.valid)", "\(app.quarantined)",
                "\(app.disabled)", "\(app.optedOut)",
            ])
        }
        var lines = table.lines
        lines += DeviceCount.table(apps.flatMap(\.devices))
        var days = TextTable(["DAY", "APP", "REGISTERED"], numeric: ["REGISTERED"])
        for app in apps {
            for day in app.days { days.append([day.day, app.app, "\(day.registered)"]) }
        }
        if apps.contains(where: { !$0.days.isEmpty }) { lines += [""] + days.lines }
        return lines
    }
}

extension DeviceCount {
    fileprivate static func table(_ devices: [DeviceCount]) -> [String] {
        guard !devices.isEmpty else { return [] }
        var table = TextTable(["DEVICES", "APP", "SYSTEM", "LANGUAGE"], numeric: ["DEVICES"])
        for device in devices { table.append(["\(device.count)", device.app, device.os, device.language]) }
        return [""] + table.lines
    }
}
