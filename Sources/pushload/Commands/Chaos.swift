internal import ArgumentParser

struct Chaos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos", abstract: "Kill children and masters in mid-delivery and count what arrived.",
        discussion: """
            Children and masters take turns. Exit status 0: everything arrived, duplicates within their bound.
            """)

    @Option(help: ArgumentHelp("Messages of the delivery.", valueName: "count"))
    var messages = 200_000

    @Option(help: ArgumentHelp("How often to kill something.", valueName: "count"))
    var kills = 10

    @Option(help: ArgumentHelp("Messages in a child's hands at most (maxWaitingMessages).", valueName: "count"))
    var room = 2_000

    @Option(
        name: .customLong("delay-ms"), help: ArgumentHelp("What the gateway takes for an answer.", valueName: "ms"))
    var delay = 100

    func validate() throws {
        guard (1_000...10_000_000).contains(messages) else {
            throw ValidationError("--messages takes 1000 to 10000000.")
        }
        guard (1...1_000).contains(kills) else { throw ValidationError("--kills takes 1 to 1000.") }
        guard (1...1_000_000).contains(room) else { throw ValidationError("--room takes 1 to 1000000.") }
        guard (0...60_000).contains(delay) else { throw ValidationError("--delay-ms takes 0 to 60000.") }
    }

    func run() async throws {
        let victims = (0..<kills).map { $0 % 2 == 0 ? KillScenario.Victim.child : .master }
        let settings = KillScenario.settings(room: room, delayMilliseconds: delay)
        try await House.use(settings) { house in
            let scenario = KillScenario(messages: messages, victims: victims)
            let report = try await scenario.run(in: house) { Terminal.line($0) }
            let ledger = report.ledger
            Terminal.line("gateway    \(ledger.reached) devices reached, \(ledger.missing) missing")
            Terminal.line(
                "duplicates \(ledger.doubled); \(report.bound) were possible, \(report.unrecorded) unrecorded when last "
                    + "asked")
            Terminal.line("orphans    lived on for \(report.longestOrphan.inSeconds.fixed(3)) s at most")
            try judge(report)
            Terminal.line("sent \(ledger.sent) of \(messages) through \(kills) kills in \(report.seconds.fixed(1)) s")
        }
    }

    private func judge(_ report: KillScenario.Report) throws(LoadError) {
        var expected = DeliveryLedger()
        expected.targeted = messages
        expected.sent = messages
        expected.reached = messages
        // These two are bounded, not known.
        expected.doubled = report.ledger.doubled
        expected.unanswered = report.ledger.unanswered
        guard report.ledger == expected else {
            throw LoadError(.wrong("the two ends do not agree: \(report.ledger)"))
        }
        guard report.ledger.doubled <= report.bound else {
            throw LoadError(.wrong("\(report.ledger.doubled) duplicates, over the bound of \(report.bound)"))
        }
        guard report.longestOrphan <= .seconds(2) else {
            throw LoadError(.wrong("a child outlived its master by \(report.longestOrphan.inSeconds) s"))
        }
    }
}
