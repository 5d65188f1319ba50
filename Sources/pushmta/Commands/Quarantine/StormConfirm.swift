internal import ArgumentParser
internal import PushOperations
internal import PushStore

struct StormConfirm: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm", abstract: "Believe the answers of a storm: their tokens go into quarantine.",
        discussion: """
            For devices that are really gone. A device that registered again after the answer is left alone. The \
            account goes on at once. An interruption leaves the rest waiting; the same command finishes it. Exit \
            status 1 where there is nothing to decide.
            """)

    @OptionGroup var subject: StormArgument

    func run() throws {
        let decided = try subject.decide(.confirm)
        try StandardOutput.answer(
            decided, subject.json,
            """
            \(Numerals.count(decided.quarantined, "token")) quarantined, \
            \(Numerals.count(decided.counted, "error")) counted, \
            \(Numerals.grouped(decided.ignored)) left alone: registered again since, gone, or excluded already
            """)
    }
}
