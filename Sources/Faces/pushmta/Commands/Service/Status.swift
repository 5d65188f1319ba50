internal import ArgumentParser
internal import PushAPI
internal import PushConfig
internal import PushMaster
internal import PushStore
internal import PushWire

struct Status: PerformingCommand {
    static var useCases: [any UseCase.Type] { [ShowStatus.self] }

    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the running master, its children, accounts and open deliveries.",
        discussion: """
            Exit status 1 if no master is running; the command still shows the waiting work. If a master is \
            running and the store cannot be read, the master's figures are shown. An alarm means that work \
            is due but no request has been answered successfully for a minute, or that a person must act. \
            The alarm contains the reason.

            Example: pushmta status --check
            """)

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    @Flag(
        help: """
            For scripts: print one line, or the alarms. Exit status 0: a master is running and has no alarm; \
            1: no master is running, or the master does not answer; 4: there is an alarm.
            """)
    var check = false

    func run() throws {
        let status = try look()
        if check { return try say(status) }
        if json.isWanted {
            try StandardOutput.json(status)
        } else {
            try StandardOutput.lines(status.lines(within: StandardOutput.terminalSize?.columns))
        }
        if !status.running { throw CommandExit.failed }
    }

    private func say(_ status: StatusView) throws {
        guard let master = status.master else { throw OperationError.noMaster }
        let isSilent = master.ageSeconds > Self.longestSilenceSeconds
        let alarms = master.alarms.map(\.line) + (status.storeTrouble.map { ["store: \($0)"] } ?? [])
        if json.isWanted {
            try StandardOutput.json(master.alarms)
        } else if isSilent {
            throw CommandFailure.failed(
                "process \(master.pid) has not answered for \(Int(master.ageSeconds)) s; look at its log")
        } else {
            try StandardOutput.lines(alarms.isEmpty ? ["\(master.state), process \(master.pid)"] : alarms)
        }
        if isSilent { throw CommandExit.failed }
        if !alarms.isEmpty { throw CommandExit.alarmed }
    }

    /// The maximum silence, in seconds. A loop that is running answers within one second.
    private static let longestSilenceSeconds = 10.0

    /// Reads the status. The master is queried through its socket, so the master's own report is available
    /// even if the store's server is not reachable.
    private func look() throws -> StatusView {
        do { return try Operations(config).carryOut(ShowStatus()) } catch {
            let instance = try Instance.served(config)
            guard let master = try? LocalClient.status(storePath: instance.storePath) else { throw error }
            return StatusView(of: master, instance.settings, unreadable: error)
        }
    }
}
