internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct DeliveryLog: ParsableCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case csv, jsonl
    }

    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Print what became of each message of a delivery.",
        discussion: """
            One row a message, in the order in which they were prepared. messageId is what the device got as _mId; it \
            is empty where the delivery is not tracked. A running delivery's log is a snapshot page by page. Exit status 1 \
            where messages cannot be read; the others are printed.
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs)
    var id: DeliveryID

    @Option(help: "CSV with a header, or one JSON object a line.")
    var format: Format = .csv

    @Option(help: ArgumentHelp("Only the messages to this user.", valueName: "key"))
    var userKey: String?

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let operations = try Operations(config)
        var output = FileWriter()
        var isFirst = true
        let format = format
        var failure: OperationError?
        do throws(OperationError) {
            try ReadDeliveryLog(id: id, userKey: userKey).perform(in: operations) { rows in
                if isFirst, format == .csv { try output.append(MessageLogRow.header) }
                isFirst = false
                let bytes = try format == .csv ? MessageLogRow.csv(rows) : MessageLogRow.jsonLines(rows)
                try output.append { $0 += bytes }
            }
        } catch {
            failure = error
        }
        if failure == nil, isFirst, format == .csv { try output.append(MessageLogRow.header) }
        // What could be read is given, whatever could not.
        try output.finish()
        if let failure { throw failure }
    }
}
