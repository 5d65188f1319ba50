internal import ArgumentParser
internal import PushOperations
internal import PushStore

struct Backup: ParsableCommand {
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
        var line = ProgressLine()
        defer { line.clear() }
        let done = try Interruption.heard { isInterrupted in
            try operations.carryOut(
                BackUpStore(file: file, withKey: !withoutKey, isForced: force),
                watchedBy: Watch(
                    report: { progress in line.show { progress.text } }, isCancelled: isInterrupted))
        } lastWord: {
            line.clear()
            return "interrupted: there is no backup"
        }
        line.clear()
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
