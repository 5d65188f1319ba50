internal import ArgumentParser

struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Kill the master amid a delivery and see how soon a new one sends.",
        discussion: "Exit status 0: it sent within two seconds.")

    @Option(help: ArgumentHelp("Messages of the delivery.", valueName: "count"))
    var messages = 1_000_000

    func validate() throws {
        guard (10_000...10_000_000).contains(messages) else {
            throw ValidationError("--messages takes 10000 to 10000000.")
        }
    }

    func run() async throws {
        try await Testbed.use(RecoveryScenario.settings) { testbed in
            let report = try await RecoveryScenario(messages: messages).run(in: testbed) { Terminal.line($0) }
            Terminal.line(
                "from the start of run to the first request: \(report.untilFirstRequest.inSeconds.fixed(3)) s; to the "
                    + "\(testbed.settings.gateway.streams)th: \(report.untilFullWindow.inSeconds.fixed(3)) s; "
                    + "\(report.pending) messages pending")
            guard report.untilFirstRequest <= .seconds(2) else {
                throw LoadError(
                    .wrong("it took \(report.untilFirstRequest.inSeconds.fixed(3)) s to send again"))
            }
        }
    }
}
