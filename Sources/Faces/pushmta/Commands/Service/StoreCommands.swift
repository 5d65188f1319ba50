internal import ArgumentParser
internal import PushAPI
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushStore

struct Backup: PerformingCommand {
    static let useCases: [any UseCase.Type] = [BackUpStore.self]
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Make a consistent copy of the store in one file, while it is used.",
        discussion: """
            Nobody waits for it, a running master neither. The file is readable by its owner alone and appears when all \
            of it is on disk. Beside it lies FILE.key, the instance's key: who has both can send in its name, and without \
            the key credentials have to be given again, so keep it, and keep it elsewhere. The file ends with a checksum, which \
            'pushmta restore' checks. 'pushmta restore' puts a \
            backup back, of a store in a file or on a server, to either. Exit status 3 where something is there that is \
            not to be replaced.
            """)

    @Argument(help: "The file to make.")
    var file: String

    @Flag(help: "Replace an earlier file.")
    var force = false

    @Flag(help: "Do not write FILE.key: the instance's key is kept elsewhere.")
    var withoutKey = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        var bar = ProgressBar()
        defer { bar.clear() }
        let done = try Interruption.heard { isInterrupted in
            try operations.carryOut(
                BackUpStore(path: file, withoutKey: withoutKey, isForced: force),
                watchedBy: Watch(
                    report: { bar.show(done: $0.done, of: $0.total) }, isCancelled: isInterrupted))
        } lastWord: {
            bar.clear()
            return "interrupted: there is no backup"
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
    static let localReason = "It replaces the files of the store while no service has them open."

    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup in the place of the store.",
        discussion: """
            The backup is checked first: against the checksum at its end, and by SQLite's integrity check. A damaged \
            one is refused. No master may serve the store. What is there is moved aside with --force, to STORE.replaced; a database on a \
            server must be new or empty. The instance's key comes from FILE.key where there is none.

            Deliveries that had not ended when the backup was taken are held, because what was sent since would be sent \
            again: 'pushmta status' names them, 'pushmta delivery release' lets them go on, and what is not released ends \
            with its validity. Exit status 3 where it is refused: nothing was changed.
            """)

    @Argument(help: "What 'pushmta backup' made.")
    var file: String

    @Flag(help: "Move a store that is there aside.")
    var force = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let instance = try Instance(config)
        var line = ProgressLine()
        defer { line.clear() }
        let done = try Interruption.heard { isInterrupted in
            try RestoreStore(file: file, to: instance.settings.store, isForced: force).perform(
                watchedBy: Watch(
                    report: { progress in line.show { progress.text } }, isCancelled: isInterrupted))
        } lastWord: {
            line.clear()
            return "interrupted: nothing was restored"
        }
        line.clear()
        var text = "\(done.store) is what it was on \(done.takenAt.utcText)"
        if let replaced = done.replaced { text += "; what was there is \(replaced)" }
        if done.held > 0 {
            let (held, them) =
                done.held == 1
                ? ("1 delivery is held", "it")
                : ("\(Numerals.grouped(done.held)) deliveries are held", "them")
            text += "; \(held): 'pushmta delivery release' lets \(them) go on"
        }
        try StandardOutput.answer(done, json, text)
    }
}

extension PurgeStore: Confirmed {
    static let form = CommandForm(
        discussion: """
            Messages of deliveries that ended more than nmac/@retentionDays ago, subscribers whose tokens have been in \
            quarantine for longer than nmac/quarantine/@purgeDelay, verdicts and user keys that are needed no more. \
            A running master does the same by itself, each hour. Deliveries keep their counts, and are listed and shown \
            as before; 'delivery log' reports that its messages are gone. With --older-than it asks on a terminal, and needs \
            --yes elsewhere. It works with a master or without one; an interruption leaves the rest to the next time.
            """, options: ["olderThanDays": "older-than"])

    func confirm(in operations: Operations) throws {
        guard let olderThanDays, !isDryRun else { return }
        try Confirmation.ask(
            "Remove the messages of all deliveries that ended more than \(Numerals.count(olderThanDays, "day")) ago?",
            elsewhere:
                "--older-than removes what the setting keeps: give --yes to confirm, or --dry-run to look",
            refusal: "nothing was removed")
    }

    static func lines(_ purged: PurgeView) -> [String] { [purged.text] }
}

extension PurgeView {
    fileprivate var text: String {
        guard !isEmpty else { return "nothing has been kept for longer than it is to be" }
        let list = sums.words { "\(Numerals.grouped($0)) \($0 == 1 ? $1 : $2)" }
        return "\(dryRun ? "would remove" : "removed") \(list)"
    }
}

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Move the store.", subcommands: [StoreCopyCommand.self])
}

struct StoreCopyCommand: ProcessCommand {
    static let localReason = "It copies between stores that no service has open."

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
