internal import ArgumentParser
internal import PushModel
internal import PushStore
internal import PushWire

struct DeliveryLog: ParsableCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case csv, jsonl
    }

    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Print what became of each message of a delivery.",
        discussion: """
            One row a message, in the order in which they were prepared. messageId is what the device got as _mId; it \
            is empty where the delivery is not tracked. A running delivery's log is a snapshot page by page.
            """)

    @Argument(help: "The delivery's id.")
    var id: DeliveryID

    @Option(help: "CSV with a header, or one JSON object a line.")
    var format: Format = .csv

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let store = try Instance(config).openStore()
        _ = try store.deliveries.require(id)
        let isTracked = try store.deliveries.delivery(id)?.order.tracking ?? false
        let cipher = MessageIDCipher(key: try store.instanceKey())
        let row = MessageLogRow(cipher: cipher, delivery: id, isTracked: isTracked)
        var output = FileWriter()
        if format == .csv { try output.append(MessageLogRow.columns.joined(separator: ",") + "\n") }
        var last: MessageID?
        while true {
            let page = try store.deliveries.log(of: id, after: last)
            guard let end = page.last else { break }
            let format = format
            try output.append { bytes in
                switch format {
                case .csv: row.appendCSV(page, to: &bytes)
                case .jsonl: row.appendJSONLines(page, to: &bytes)
                }
            }
            last = end.message
        }
        try output.finish()
    }
}
