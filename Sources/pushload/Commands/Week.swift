internal import ArgumentParser

struct Week: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "week",
        abstract:
            "Send a week's deliveries within minutes, with retention on, and see whether anything grows.",
        discussion: """
            Messages are kept for one day, and a day is so long as --day-seconds says. Exit status 0: from the second \
            evening on neither the store nor the master grew by more than the records of the deliveries.
            """)

    @Option(help: ArgumentHelp("Deliveries of the week.", valueName: "count"))
    var deliveries = 2_000

    @Option(help: ArgumentHelp("Messages of each.", valueName: "count"))
    var devices = 5_000

    @Option(
        help: ArgumentHelp("How long a day is, where its deliveries take no longer.", valueName: "seconds"))
    var daySeconds = 5

    @Option(help: "The store's engine: sqlite; postgresql: a server of the run's own, from Debian's package.")
    var store = TestbedSettings.usualStore

    func validate() throws {
        guard (7...100_000).contains(deliveries) else {
            throw ValidationError("--deliveries takes 7 to 100000.")
        }
        guard (1...1_000_000).contains(devices) else {
            throw ValidationError("--devices takes 1 to 1000000.")
        }
        guard (1...3_600).contains(daySeconds) else {
            throw ValidationError("--day-seconds takes 1 to 3600.")
        }
    }

    func run() async throws {
        let scenario = WeekScenario(deliveries: deliveries, devices: devices, daySeconds: daySeconds)
        var settings = scenario.settings
        settings.store = store
        try await Testbed.use(settings) { testbed in
            let report = try await scenario.run(in: testbed) { Terminal.line($0) }
            Terminal.line(
                "\(report.messages) messages in \(report.seconds.fixed(1)) s; each delivery left \(report.bytesADelivery) bytes; "
                    + "since the second evening the store grew by \(report.storeGrowth / 1024) KiB, the master by "
                    + "\(report.masterGrowth.fixed(1)) MiB")
            if let trouble = report.trouble { throw LoadError(.wrong(trouble)) }
        }
    }
}
