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
        discussion: "Without a subcommand it runs, with the options of 'pushsink run':\n\n\(runOptions)",
        subcommands: [RunCommand.self, CertsCommand.self],
        defaultSubcommand: RunCommand.self)

    /// The help of `run` from its options on; its rules stand in `pushsink run --help`.
    private static var runOptions: String {
        let help = RunCommand.helpMessage(columns: 90)
        return String(help[(help.firstRange(of: "USAGE:")?.lowerBound ?? help.startIndex)...])
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
