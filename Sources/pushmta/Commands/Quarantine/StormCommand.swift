internal import ArgumentParser

struct StormCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm", abstract: "Floods of bad tokens that wait for your judgement.",
        discussion: """
            When most answers of an account call tokens bad, a wrong certificate, topic or environment is \
            likelier than so many lost devices. The account is stopped, its messages wait, and nobody is put into quarantine until \
            you say whether the answers are to be believed.
            """,
        subcommands: [StormShow.self, StormConfirm.self, StormDiscard.self])
}
