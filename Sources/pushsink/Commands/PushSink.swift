internal import ArgumentParser

/// The synthetic gateway: an own reading of Apple's contract, to hold another against.
///
/// It shares no code with the engine beyond the C libraries: where two readings agree, the agreement means
/// something.
@main
struct PushSink: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushsink",
        abstract: "A synthetic push gateway with scripted faults, for this machine only.",
        discussion: runWords,
        subcommands: [RunCommand.self, CertsCommand.self],
        defaultSubcommand: RunCommand.self)

    private static var runWords: String {
        let help = RunCommand.helpMessage(columns: 80)
        return "Without a subcommand it runs, with these options; rules: 'pushsink run --help'.\n\n"
            + String(help[(help.firstRange(of: "<options>\n\n")?.upperBound ?? help.startIndex)...])
    }

    /// Exit codes: 0 done, 1 failed, 2 usage.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as SinkError {
            Terminal.complain(error.description)
            PushSink.exit(withError: ExitCode(1))
        } catch {
            let code = exitCode(for: error)
            if code == .success {
                Terminal.say(fullMessage(for: error))
                PushSink.exit(withError: code)
            }
            Terminal.complain(fullMessage(for: error))
            PushSink.exit(withError: ExitCode(code == .validationFailure ? 2 : 1))
        }
    }
}
