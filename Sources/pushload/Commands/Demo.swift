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
        try await Testbed.use { testbed in
            Terminal.line("gateway    pushsink listens on 127.0.0.1 port \(testbed.ports.apns)")
            try await testbed.createApp()
            Terminal.line(
                "app        \(Testbed.app) of service \(Testbed.service), token key \(testbed.account.keyID)")
            try await testbed.startEngine()
            Terminal.line("engine     pushmta run is ready")
            let imported = try await testbed.importSubscribers(SyntheticSubscribers(messages))
            Terminal.line("import     \(imported.output.firstLine)")
            let delivery = try await testbed.submit()
            Terminal.line("submit     delivery \(delivery) is on disk")
            let report = try await testbed.settle(delivery)
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            Terminal.line(
                "gateway    \(audit.reached) devices reached, \(audit.doubled) twice, \(audit.rejected) refused"
            )
            try Self.require(audit, messages)
            let seconds = max(report.seconds ?? 0, 0.001)
            Terminal.line(
                "sent \(report.counts.sent) of \(messages) in \(seconds.fixed(2)) s "
                    + "(\(Int((Double(messages) / seconds).rounded()))/s)")
        }
    }

    private static func require(_ audit: DeliveryAudit, _ messages: Int) throws(LoadError) {
        var expected = DeliveryAudit()
        expected.targeted = messages
        expected.sent = messages
        expected.reached = messages
        guard audit == expected else { throw LoadError(.wrong("the two ends do not agree: \(audit)")) }
    }
}
