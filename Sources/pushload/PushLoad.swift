internal import ArgumentParser

/// The load harness: real processes and an honest report.
@main
struct PushLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushload",
        abstract: "Drives real processes, a synthetic gateway and the engine, and compares what they say.",
        discussion: """
            Needs pushmta and pushsink beside itself. Exit status: 0 all was as it must be, 1 it was not, 2 wrong usage.
            """,
        subcommands: [
            Demo.self, Bench.self, Chaos.self, Hosts.self, Recover.self, Neighbours.self, Stalls.self,
            Week.self, Fleet.self, Fuzz.self, WebRates.self, Singles.self, Rates.self, Scale.self,
            Control.self, Switches.self, Hello.self,
            Caretaker.self,
        ])

    static func main() async {
        Interruption.listen()
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as LoadError {
            Terminal.remark("\(error)")
            PushLoad.exit(withError: ExitCode(1))
        } catch {
            let code = exitCode(for: error)
            guard code == .validationFailure else { PushLoad.exit(withError: error) }
            Terminal.remark(fullMessage(for: error))
            PushLoad.exit(withError: ExitCode(2))
        }
    }
}
