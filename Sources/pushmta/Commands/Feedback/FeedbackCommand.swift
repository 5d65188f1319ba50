internal import ArgumentParser

struct FeedbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feedback", abstract: "The feedback service of the old binary gateway.",
        subcommands: [FeedbackPollCommand.self])
}
