internal import ArgumentParser

struct StormCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm", abstract: "Floods of bad tokens that wait for your judgement.",
        discussion: """
            When nearly all answers of an account reject tokens, a wrong certificate, topic or environment is \
            likelier than so many lost devices. The account is stopped, its messages wait, and no device is put into quarantine until \
            you decide whether the answers are to be believed. 'confirm' and 'discard' also decide about verdicts that wait without \
            a storm, as 'pushmta status' lists them.
            """,
        subcommands: [StormShow.self, StormConfirm.self, StormDiscard.self])
}
