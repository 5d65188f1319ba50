internal import ArgumentParser
internal import PushConfig
internal import PushModel
internal import PushOperations
internal import PushStore

struct Restore: ParsableCommand {
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
