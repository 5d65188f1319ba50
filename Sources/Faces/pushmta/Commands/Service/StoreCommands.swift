internal import ArgumentParser
internal import PushAPI
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushStore

struct Backup: PerformingCommand {
    static let useCases: [any UseCase.Type] = [BackUpStore.self]
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a consistent copy of the store to one file while the store is in use.",
        discussion: """
            No process waits for the backup, not even a running master. Only the owner can read the backup \
            file, which appears when it is complete and on disk. FILE.key next to it contains the instance's \
            key. A person who has both files can send in the instance's name; without the key, credentials \
            must be given again. Keep the key in another place. The backup file ends with a checksum, which \
            'pushmta restore' checks. 'pushmta restore' can restore a backup of either kind of store, in a \
            file or on a server, to either kind. Exit status 3 if a file exists that must not be replaced.

            Example: pushmta backup /backup/pushmta.db
            """)

    @Argument(help: "The file to write.")
    var file: String

    @Flag(help: "Replace an existing file.")
    var force = false

    @Flag(help: "Do not write FILE.key: the instance's key is kept elsewhere.")
    var withoutKey = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        var bar = ProgressBar()
        defer { bar.clear() }
        let done = try Interruption.observed { isInterrupted in
            try operations.carryOut(
                BackUpStore(path: file, withoutKey: withoutKey, isForced: force),
                watchedBy: Watch(
                    report: { bar.show(done: $0.done, of: $0.total) }, isCancelled: isInterrupted))
        } lastWord: {
            bar.clear()
            return "interrupted: no backup was made"
        }
        bar.clear()
        let key = done.keyFile.map { " and its key \($0)" } ?? ""
        try StandardOutput.answer(done, json, "\(Numerals.bytes(done.bytes)) in \(done.file)\(key)")
    }
}

extension BackupProgress {
    var text: String {
        if let copy { return "\(Numerals.count(copy.rows, "row")) copied" }
        if isChecking {
            return totalBytes == 0
                ? "checking" : "\(Numerals.bytes(bytes)) of \(Numerals.bytes(totalBytes)) checked"
        }
        return "\(Numerals.bytes(bytes)) of \(Numerals.bytes(totalBytes)) copied"
    }
}

struct Restore: ProcessCommand {
    static let localReason = "The command replaces the files of the store while no service has them open."

    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore the store from a backup.",
        discussion: """
            The backup is checked first: against the checksum at its end, and by SQLite's integrity check. A \
            damaged backup is refused. No master may be running on the store. With --force, an existing \
            store is moved aside, to STORE.replaced; a database on a server must be new or empty. The \
            instance's key comes from FILE.key if the instance has none.

            Deliveries that had not ended when the backup was taken are put on hold, because messages that \
            were sent after that time would be sent again. 'pushmta status' lists these deliveries, and \
            'pushmta delivery release' releases them. Deliveries that are not released end when their \
            validity ends. Exit status 3 if the command is refused: nothing was changed.

            Example: pushmta restore /backup/pushmta.db
            """)

    @Argument(help: "A file that 'pushmta backup' wrote.")
    var file: String

    @Flag(help: "Move an existing store aside.")
    var force = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let instance = try Instance(config)
        var line = ProgressLine()
        defer { line.clear() }
        let done = try Interruption.observed { isInterrupted in
            try RestoreStore(
                file: file, to: instance.settings.store, isForced: force, caller: Operations.commandCaller
            ).perform(
                watchedBy: Watch(
                    report: { progress in line.show { progress.text } }, isCancelled: isInterrupted))
        } lastWord: {
            line.clear()
            return "interrupted: nothing was restored"
        }
        line.clear()
        var text = "\(done.store) is in its state of \(done.takenAt.utcText)"
        if let replaced = done.replaced { text += "; the previous store is \(replaced)" }
        if done.held > 0 {
            let (held, them) =
                done.held == 1
                ? ("1 delivery is held", "it")
                : ("\(Numerals.grouped(done.held)) deliveries are held", "them")
            text += "; \(held): 'pushmta delivery release' releases \(them)"
        }
        try StandardOutput.answer(done, json, text)
    }
}

extension PurgeStore: Confirmed {
    static let form = CommandForm(
        discussion: """
            Removes the messages of deliveries that ended more than nmac/@retentionDays ago, subscribers \
            whose tokens have been in quarantine for longer than nmac/quarantine/@purgeDelay, and verdicts \
            and user keys that are no longer needed. A running master automatically does the same every \
            hour. Deliveries keep their counts, and are listed and shown as before; 'delivery log' reports \
            that the messages were removed. With --older-than the command asks for confirmation on a \
            terminal, and requires --yes elsewhere. The command works whether or not a master is running. If \
            the command is interrupted, the next run removes the remaining data. The command frees no space \
            on the disk: the file of a store on SQLite keeps its size, and new data uses the space ('free' \
            in 'pushmta status'). To make the file smaller, copy the store: 'pushmta store copy'.

            Example: pushmta purge --older-than 90 --dry-run
            """, options: ["olderThanDays": "older-than"])

    func confirm(in operations: Operations) throws {
        guard let olderThanDays, !isDryRun else { return }
        try Confirmation.ask(
            """
            Remove the messages of all deliveries that ended more than \
            \(Numerals.count(olderThanDays, "day")) ago?
            """,
            elsewhere:
                """
                --older-than may remove messages that nmac/@retentionDays would keep: add --yes to confirm, \
                or try --dry-run
                """,
            refusal: "nothing was removed")
    }

    static func lines(_ purged: PurgeView) -> [String] { [purged.text] }
}

extension PurgeView {
    fileprivate var text: String {
        guard !isEmpty else { return "nothing has been kept for longer than its retention time" }
        let list = sums.words { "\(Numerals.grouped($0)) \($0 == 1 ? $1 : $2)" }
        return "\(dryRun ? "would remove" : "removed") \(list)"
    }
}

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Move the store to another place.",
        subcommands: [StoreCopyCommand.self])
}

struct StoreCopyCommand: ProcessCommand {
    static let localReason = "The command copies between stores that no service has open."

    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy the whole store to another place, on either database engine.",
        discussion: """
            Two configuration files name the stores: --config names the source, and --to names the \
            destination, which must be new or empty. The instance's key is copied too. While the copy runs, \
            no master may be running on either store, and no other process may write to the source.

            Until the new store is complete and has been compared with the source, it is marked as \
            unfinished, and no command opens it. If a copy did not complete for any reason, run the command \
            again: it copies the whole store again. Later changes to the source are not in the copy. Exit \
            status 3 if the command is refused: nothing was changed.

            Example: pushmta store copy --config serverConf.xml --to postgresql.xml
            """)

    @Option(
        help: ArgumentHelp("The configuration file that names the destination.", valueName: "file"),
        completion: ConfigurationOption.completion)
    var to: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let from = try Instance(config)
        let other = try ConfigurationFile.load(
            path: to, schema: ConnectorCatalogue.settings, productVersion: ProductVersion.text)
        try InstanceOwner.refuseRoot(at: other.settings.store.place.instancePath)
        var line = ProgressLine()
        let copied: CopiedStore
        do {
            defer { line.clear() }
            copied = try CopyStore(from: from.settings.store, to: other.settings.store).perform(
                watchedBy: Watch(report: { progress in line.show { progress.text } }))
        }
        if json.isWanted { try StandardOutput.json(copied) } else { try StandardOutput.line(copied.text) }
    }
}

extension CopyProgress {
    fileprivate var text: String {
        switch stage {
        case .emptying: "removing the remains of an unfinished copy"
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
            + "\(Numerals.grouped(tables.count)) tables counted and \(Numerals.grouped(deliveries)) "
            + "deliveries recounted: all match the source"
    }
}
