internal import ArgumentParser
internal import PushConfig
internal import PushOperations
internal import PushStore

struct StoreCopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy the whole store to another place, of either database engine.",
        discussion: """
            Two configuration files say where the stores are: --config the one that is copied, --to the one that is \
            made, which must be new or empty. The instance's key goes with it. No master may serve either, and \
            nobody else writes to the first meanwhile.

            Until all of it is there and was compared with the first, the new store is marked, and no command opens it. \
            Whatever ended a copy, run it again: it starts over. What is written to the first store afterwards is not \
            in the copy. Exit status 3 where it is refused: nothing was changed.
            """)

    @Option(
        help: ArgumentHelp("The configuration file that says where it is copied to.", valueName: "file"),
        completion: ConfigurationOption.completion)
    var to: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let from = try Instance(config)
        let other = try ConfigurationFile.load(path: to, productVersion: ProductVersion.text)
        try InstanceOwner.refuseRoot(at: other.settings.store.place.instancePath)
        var line = ProgressLine()
        let copied: CopiedStore
        do {
            defer { line.clear() }
            copied = try CopyStore(from: from.settings.store, to: other.settings.store).perform(
                watchedBy: Watch(report: { progress in line.show { progress.text } }))
        }
        if copied.unreadableParts > 0 {
            StandardError.line(
                "\(Numerals.count(copied.unreadableParts, "part")) of an earlier version cannot be read and stayed in "
                    + "\(copied.from); deliveries that they belong to are held")
        }
        if json.isWanted { try StandardOutput.json(copied) } else { try StandardOutput.line(copied.text) }
    }
}

extension CopyProgress {
    fileprivate var text: String {
        switch stage {
        case .emptying: "emptying what an unfinished copy has left"
        case .copying: "copying the store: \(Numerals.count(rows, "row")), table \(table ?? "")"
        case .counting: "counting the copy: table \(table ?? "")"
        case .recounting: "recounting the copy: \(Numerals.grouped(deliveries)) deliveries"
        }
    }
}

extension CopiedStore {
    fileprivate var text: String {
        let tenths = (milliseconds + 50) / 100
        return
            "\(Numerals.count(rows, "row")) copied from \(from) to \(to) in \(tenths / 10).\(tenths % 10) s; "
            + "\(Numerals.grouped(tables.count)) tables counted and \(Numerals.grouped(deliveries)) deliveries recounted: "
            + "all as they were"
    }
}
