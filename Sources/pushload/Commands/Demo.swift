internal import ArgumentParser

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Send one delivery to synthetic subscribers and count it at both ends."
    )

    @Option(help: ArgumentHelp("Subscribers.", valueName: "count"))
    var messages = 10_000

    func validate() throws {
        guard (1...10_000_000).contains(messages) else {
            throw ValidationError("--messages takes 1 to 10000000.")
        }
    }

    func run() async throws {
        try await House.use { house in
            Terminal.line("gateway    pushsink listens on 127.0.0.1 port \(house.ports.apns)")
            try await house.createApp()
            Terminal.line(
                "app        \(House.app) of service \(House.service), token key \(house.account.keyID)")
            try await house.startEngine()
            Terminal.line("engine     pushmta run is ready")
            let imported = try await house.importSubscribers(SyntheticSubscribers(messages))
            Terminal.line("import     \(imported.output.firstLine)")
            let delivery = try await house.submit()
            Terminal.line("submit     delivery \(delivery) is on disk")
            let report = try await house.settle(delivery)
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            Terminal.line(
                "gateway    \(ledger.reached) devices reached, \(ledger.doubled) twice, \(ledger.rejected) refused"
            )
            try Self.require(ledger, messages)
            let seconds = max(report.seconds ?? 0, 0.001)
            Terminal.line(
                "sent \(report.counts.sent) of \(messages) in \(seconds.fixed(2)) s "
                    + "(\(Int((Double(messages) / seconds).rounded()))/s)")
        }
    }

    private static func require(_ ledger: DeliveryLedger, _ messages: Int) throws(LoadError) {
        var expected = DeliveryLedger()
        expected.targeted = messages
        expected.sent = messages
        expected.reached = messages
        guard ledger == expected else { throw LoadError(.wrong("the two ends do not agree: \(ledger)")) }
    }
}
