internal import ArgumentParser

/// The synthetic gateway: an independent interpretation of Apple's contract, with which another
/// interpretation can be compared.
///
/// The program shares no code with the engine except the C libraries, so that agreement between the two
/// interpretations is meaningful.
@main
struct PushSink: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushsink",
        abstract: "Run a synthetic push gateway with scripted faults, for this machine only.",
        discussion: runWords,
        subcommands: [RunCommand.self, CertsCommand.self],
        defaultSubcommand: RunCommand.self)

    private static var runWords: String {
        let help = RunCommand.helpMessage(columns: 80)
        return
            "Without a subcommand, pushsink runs with these options. 'pushsink run --help' describes the "
            + "rules.\n\n"
            + String(help[(help.firstRange(of: "<options>\n\n")?.upperBound ?? help.startIndex)...])
    }

    /// Exit codes: 0 for success, 1 for failure, 2 for wrong usage.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            let code = exitCode(for: error)
            let text = (error as? SinkError)?.description ?? fullMessage(for: error)
            if code == .success { Terminal.say(text) } else { Terminal.complain(text) }
            PushSink.exit(withError: ExitCode(code == .success ? 0 : code == .validationFailure ? 2 : 1))
        }
    }
}

/// The commands that the help lists.
package enum SinkCommands {
    /// The name of each command and the text of its help.
    package static var help: [(name: String, discussion: String)] {
        PushSink.configuration.subcommands.map { $0.configuration }.filter { $0.shouldDisplay }
            .map { ($0.commandName ?? "", $0.discussion) }
    }

    /// Parses a command line without the program's name, and runs nothing.
    /// - Throws: The reason why the program would refuse the command line.
    package static func parse(_ words: [String]) throws { _ = try PushSink.parseAsRoot(words) }
}

/// Checks the value of an option.
func check(_ isGood: Bool, _ problem: @autoclosure () -> String) throws {
    if !isGood { throw ValidationError(problem()) }
}
