internal import ArgumentParser

struct Neighbours: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "neighbours",
        abstract: "Measure an account alone and beside one whose gateway is silent.",
        discussion: "Exit status 0: beside it the sound one keeps nine tenths of its rate.")

    @Option(help: ArgumentHelp("Messages of each delivery.", valueName: "count"))
    var messages = 100_000

    @Option(
        help: "Concurrent streams that the gateway allows on a connection; each takes 20 ms for an answer.")
    var streams = 200

    @Option(
        help: ArgumentHelp("Messages in the child's hands at most (maxWaitingMessages).", valueName: "count"))
    var capacity = 4_000

    func validate() throws {
        guard (1_000...10_000_000).contains(messages) else {
            throw ValidationError("--messages takes 1000 to 10000000.")
        }
        guard (1...100_000).contains(streams) else { throw ValidationError("--streams takes 1 to 100000.") }
        guard (1...1_000_000).contains(capacity) else {
            throw ValidationError("--capacity takes 1 to 1000000.")
        }
    }

    func run() async throws {
        try await Testbed.use(NeighbourScenario.settings(streams: streams, capacity: capacity)) { testbed in
            let report = try await NeighbourScenario(messages: messages).run(in: testbed) {
                Terminal.line($0)
            }
            Terminal.line(
                "alone \(report.alone.fixed(0))/s, beside a silent gateway \(report.beside.fixed(0))/s: "
                    + "\((report.ratio * 100).fixed(1)) %; \(report.unanswered) of \(messages) wait for the silent one"
            )
            guard report.ratio >= 0.9 else {
                throw LoadError(.wrong("the silent account slows its neighbour down"))
            }
        }
    }
}
