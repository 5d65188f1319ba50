internal import ArgumentParser
internal import PushOperations
internal import PushStore

struct StormDiscard: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Do not believe the answers of a storm: no token is touched.",
        discussion: """
            For a wrong certificate, topic or environment; correct it first with 'app update', or the storm comes \
            back. The account goes on at once. An interruption leaves the rest waiting; the same command finishes it. \
            Exit status 1 where there is nothing to decide.
            """)

    @OptionGroup var subject: StormArgument

    func run() throws {
        let decided = try subject.decide(.discard)
        try StandardOutput.answer(
            decided, subject.json,
            "\(Numerals.count(decided.discarded, "verdict")) discarded; no token was touched")
    }
}
