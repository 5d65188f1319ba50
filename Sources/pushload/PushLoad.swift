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
            DemoScenario.self, BenchScenario.self, ChaosScenario.self, HostsScenario.self,
            RecoveryScenario.self,
            NeighbourScenario.self, StallScenario.self, WeekScenario.self, FleetScenario.self,
            FuzzScenario.self,
            WebRatesScenario.self, SinglesScenario.self, RateScenario.self, ScaleScenario.self,
            ControlScenario.self, SwitchScenario.self, Hello.self, Caretaker.self,
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
